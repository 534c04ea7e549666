import { findRuntime } from './host-facts.js';

/**
 * Fresh processes of the runtime that this code runs in. A process does anything for the first time
 * only once, and the process of a trial cannot: it has loaded modules and asked the farm for its
 * assignment, and so used promises, files and threads long before the benchmark begins.
 *
 * @typedef {object} ProcessFacts
 * @property {string} execPath
 * @property {readonly string[]} execArgv
 * @property {{ deno?: string, bun?: string }} versions
 * @property {Readonly<Record<string, string | undefined>>} env
 */

/**
 * The farm's arguments for each runtime: it may not download, prompt or write a lockfile.
 * @type {Readonly<Record<'node' | 'deno' | 'bun', readonly string[]>>}
 */
const runtimeArguments = {
  node: [],
  deno: ['run', '--allow-all', '--no-lock', '--cached-only', '--no-prompt'],
  bun: ['--no-install'],
};

/** No answer takes longer than this, or the process is ended. */
const patienceMs = 30_000;

const mostCharacters = 1_000_000;

/**
 * Another program that fresh processes run, with its flags, as the farm's process driver names it: a
 * Node.js that is too old for the modules of a trial.
 */
const measuredProgram = 'CROSSFARM_FRESH_PROCESS';

/** @returns {readonly string[] | null} */
function findMeasuredProgram() {
  const { env } = /** @type {{ env?: ProcessFacts['env'] }} */ (findRuntime() ?? {});
  const named = env?.[measuredProgram];
  return named === undefined ? null : JSON.parse(named);
}

/**
 * Where another program is measured, only what happens in a fresh process is its own.
 * @param {import('../protocol.d.ts').Parameters} parameters
 * @throws {Error} for a case that would be measured in the program of this process
 */
export function refuseUnlessFresh({ state, place }) {
  const [program] = findMeasuredProgram() ?? [];
  const isFresh = state === 'first' || state === 'cold';
  if (program === undefined || (isFresh && place === 'main')) return;
  throw new Error(
    `${program} is too old for ES modules: it is measured in fresh processes alone, by cases with state=first and place=main.`,
  );
}

/**
 * Runs a script in a fresh process and gives what it printed, parsed as JSON. The script finds the
 * order, as JSON, in `process.argv[2]`. It should be CommonJS (`.cjs`): to load an ES module,
 * Node.js 20 reads its file with the very promises and threads that a script may want to use first.
 *
 * The process ends with the one that asked: both are in one process group.
 *
 * @param {URL} script
 * @param {unknown} order
 * @returns {Promise<any>}
 */
export function askFreshProcess(script, order) {
  const runtime = findRuntime();
  const processes = runtime?.getBuiltinModule?.('node:child_process');
  if (runtime === null || processes === undefined) {
    return Promise.reject(
      new Error(
        'This host starts no processes that the kit knows (Node.js does from 20.16 and 22.3 on).',
      ),
    );
  }
  const facts = /** @type {ProcessFacts} */ (/** @type {unknown} */ (runtime));
  const path = runtime.getBuiltinModule?.('node:url').fileURLToPath(script);
  const [program = facts.execPath, ...flags] = findMeasuredProgram() ?? [
    facts.execPath,
    ...argumentsOf(facts),
  ];
  const args = [...flags, path, JSON.stringify(order)];
  const options = { timeout: patienceMs, killSignal: 'SIGKILL', maxBuffer: mostCharacters };
  return new Promise((resolve, reject) => {
    const hear = (/** @type {Error | null} */ error, /** @type {string} */ text, said = '') => {
      try {
        if (error !== null) throw new Error(lastLine(said) || error.message);
        resolve(JSON.parse(text));
      } catch (cause) {
        const why = cause instanceof Error ? cause.message : String(cause);
        reject(new Error(`A fresh process failed: ${why}`, { cause }));
      }
    };
    processes.execFile(program, args, options, hear);
  });
}

/**
 * The owner's flags concern the fresh process as well; only Node.js separates them from others.
 * @param {ProcessFacts} facts
 */
function argumentsOf({ versions, execArgv }) {
  if (versions.deno !== undefined) return runtimeArguments.deno;
  if (versions.bun !== undefined) return runtimeArguments.bun;
  return [...runtimeArguments.node, ...execArgv];
}

/** @param {string} text */
function lastLine(text) {
  return text.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
}
