import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Transform } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { hostOf, makeTrial, moduleOf } from './bridge.js';
import { TrialFault } from './execution.js';
import { collect, describe, ended, namedProgram } from './started-program.js';

/**
 * Bridge to the shell of a JavaScript engine, which runs the benchmark's own module (`shell.js`). They
 * speak in lines of JSON: the bridge gives the order, and one empty line for each mark that the farm
 * has heard; the shell says the rest.
 *
 * @import { TrialResult } from '../protocol.d.ts'
 * @import { Said } from './shell.js'
 */

/**
 * Flags by which a shell does as its browser does; the owner's come after them, and win. Seen with
 * SpiderMonkey 102: its shell keeps the stack of each `await`, Firefox only while a debugger is
 * open, and asyncFib(16) took 16 ms with it and 4 without.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const ownFlags = { spidermonkey: ['--async-stacks-capture-debuggee-only'] };

/**
 * Functions that the kit uses and ChakraCore 1.11 lacks. The bundler makes `import(url)` a call of
 * `require`.
 */
const beforeAll = `
var theBenchmark;
var require = () => theBenchmark;
Array.prototype.at = function (i) { return this[i < 0 ? this.length + i : i]; };
Array.prototype.flatMap = function (f) { return [].concat(...this.map((one, i) => f(one, i))); };
`;

/** Of everything that it says: a result has some hundred kilobytes. */
const mostBytes = 32_000_000;
const keptOfErrors = 2000;

await makeTrial(async ({ href, fetchAssignment, mark, onPhase }) => {
  const { product, path, flags } = namedProgram();
  const script = fileURLToPath(new URL('shell.js', import.meta.url));
  const modulePath = fileURLToPath(moduleOf(href, 'benchmark.js'));
  const isOld = product === 'chakracore';
  const words = isOld ? flags : [...(ownFlags[product] ?? []), ...flags, '-m', script];
  // Before the assignment is fetched, because the farm looks for processes then.
  const shell = spawn(path, words, { stdio: 'pipe' });
  const how = ended(shell);
  how.catch(() => undefined); // It is awaited when the shell has said all.
  const errors = collect(shell.stderr, keptOfErrors, () => {});
  const output = shell.stdout.pipe(bound());
  shell.stdin.on('error', () => undefined); // A shell that has ended says so by its end.
  try {
    if (isOld) shell.stdin.write(`${await oneScript(path, script, modulePath)}\0`);
    const assignment = await fetchAssignment();
    shell.stdin.write(`${JSON.stringify({ modulePath, assignment })}\n`);
    for await (const line of createInterface(output)) {
      const said = parse(line);
      if ('phase' in said) onPhase(said.phase);
      if ('fault' in said) throw new TrialFault(said.fault.phase, new Error(said.fault.message));
      if ('result' in said) return behind(product, said.result);
      if (!('mark' in said)) continue;
      await mark(said.mark);
      shell.stdin.write('\n');
    }
    throw new Error(describe(await how, errors()));
  } finally {
    shell.kill('SIGKILL');
  }
});

/**
 * A shell runs no foreign code, so its clock is as fine as it has one.
 * @param {string} product
 * @param {TrialResult} result
 * @returns {TrialResult}
 */
function behind(product, result) {
  return { ...result, clock: { ...result.clock, isolated: true }, host: hostOf(product) };
}

/**
 * @param {string} line
 * @returns {Said}
 */
function parse(line) {
  try {
    return Object(JSON.parse(line));
  } catch {
    throw new Error(`The shell printed what is no message: ${line.slice(0, 200)}`);
  }
}

/** An error of this stream ends the trial as any other of this process does. */
function bound() {
  let bytes = 0;
  return new Transform({
    transform(piece, _encoding, done) {
      bytes += piece.length;
      if (bytes <= mostBytes) done(null, piece);
      else done(new Error(`The shell printed more than ${String(mostBytes)} bytes.`));
    },
  });
}

/**
 * For the shell of an engine that knows no modules, and not all of today's syntax: the kit and a benchmark
 * as one script. Asynchronous functions stay what they are: the engine is to run them itself.
 * @param {string} shell path of the program, which has the bundler in its folder
 * @param {string} script path of `shell.js`
 * @param {string} modulePath of the benchmark
 * @returns {Promise<string>} a script without a NUL
 */
async function oneScript(shell, script, modulePath) {
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
