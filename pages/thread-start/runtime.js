import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * Emscripten's script in a runtime: a CommonJS file, which `emscripten/package.json` says of it.
 * @returns {import('./emscripten.js').EmscriptenHost}
 */
export function openInRuntime() {
  const load = createRequire(import.meta.url);
  return {
    wasmBinary: readFileSync(new URL('emscripten/thread-start.wasm', import.meta.url)),
    load: async () => void load('./emscripten/thread-start.js'),
  };
}
