import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * For the shell of an engine that knows no modules, and not all of today's syntax: the kit and a benchmark
 * as one script. Asynchronous functions stay what they are: the engine is to run them itself.
 */

/** What ChakraCore 1.11 lacks and the kit uses. The bundler makes `import(url)` a call of `require`. */
const beforeAll = `
var theBenchmark;
var require = () => theBenchmark;
Array.prototype.at = function (i) { return this[i < 0 ? this.length + i : i]; };
Array.prototype.flatMap = function (f) { return [].concat(...this.map((one, i) => f(one, i))); };
`;

/**
 * @param {string} shell path of the program, which has the bundler in its folder
 * @param {string} script path of `shell.js`
 * @param {string} modulePath of the benchmark
 * @returns {Promise<string>} a script without a NUL
 */
export async function oneScript(shell, script, modulePath) {
  const bundler = join(`${shell}.files`, 'node_modules', 'esbuild', 'lib', 'main.js');
  /** @type {any} */
  const esbuild = (await import(pathToFileURL(bundler).href)).default;
  const [benchmark, kit] = [modulePath, script].map((path) => JSON.stringify(path));
  const { outputFiles } = await esbuild
    .build({
      stdin: {
        contents: `import * as benchmark from ${String(benchmark)};
globalThis.theBenchmark = benchmark;
import ${String(kit)};`,
        resolveDir: dirname(script),
      },
      banner: { js: beforeAll },
      bundle: true,
      write: false,
      charset: 'ascii',
      format: 'iife',
      target: 'es2017',
      supported: { 'dynamic-import': false },
      logLevel: 'silent',
    })
    .finally(() => esbuild.stop());
  return outputFiles[0].text;
}
