import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import { emscriptenFile } from './emscripten-file.js';

/**
 * Opens Emscripten's script in a runtime. It is run as a script of the global scope, as a page runs
 * it: as a module it would not see the `Module` that says what to do. The names that CommonJS would
 * define are set as globals. Its workers are CommonJS files, which `emscripten/package.json` says.
 *
 * @param {string} name of the script
 * @returns {import('./emscripten.js').EmscriptenHost}
 */
export function openInRuntime(name) {
  const path = fileURLToPath(new URL(`emscripten/${name}`, import.meta.url));
  const script = readFileSync(path, 'utf8');
  return {
    locateFile: 'Deno' in globalThis ? locateInDeno : locate,
    wasmBinary: readFileSync(new URL('emscripten/thread-start.wasm', import.meta.url)),
    async load() {
      Object.assign(globalThis, {
        require: createRequire(path),
        __filename: path,
        __dirname: dirname(path),
      });
      runInThisContext(script, { filename: path });
    },
  };
}

/**
 * Path of a file that Emscripten's script loads: its worker.
 * @param {string} file
 */
function locate(file) {
  return fileURLToPath(new URL(emscriptenFile(file), import.meta.url));
}

/** @param {string} file */
function locateInDeno(file) {
  if (!file.endsWith('.worker.js')) return locate(file);
  return fileURLToPath(new URL('deno-worker.cjs', import.meta.url));
}
