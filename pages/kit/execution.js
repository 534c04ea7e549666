import { isIsolated, openClock } from './clock.js';
import { readHost } from './host-facts.js';
import { measure } from './measure.js';
import { openReference } from './reference.js';

/**
 * @import { Assignment, Parameters, TrialError, TrialResult, WindowMark } from '../protocol.d.ts'
 * @import { AlsoMeasured, MeasureHooks, Operation } from './measure.js'
 */

/** @typedef {TrialError['phase']} Phase */

/**
 * A benchmark with its parameters, ready to run.
 * @typedef {object} Preparation
 * @property {Operation['once']} once
 * @property {Operation['argument']} [argument]
 * @property {Operation['asynchronous']} asynchronous
 * @property {(value: unknown) => void | Promise<void>} check Throws an Error that says what was expected and what was seen.
 * @property {() => Record<string, number> | Promise<Record<string, number>>} [counters] Counted after the window, in separate runs.
 * @property {readonly AlsoMeasured[]} [also] Metrics besides the duration.
 * @property {Operation['firstRun']} [firstRun]
 * @property {Operation['fresh']} [fresh]
 * @property {Operation['durationOf']} [durationOf]
 * @property {() => readonly string[]} [errors] Sentences about parts that failed without ending the trial, asked for after the window.
 * @property {() => void | Promise<void>} [end] Tidies up, whatever came of the trial.
 */

/**
 * Exports of a benchmark's module: the same in a page, a worker and a runtime.
 * @typedef {object} BenchmarkModule
 * @property {string} id
 * @property {(parameters: Parameters) => Preparation | Promise<Preparation>} prepare
 */

/** A trial that went wrong, and where. */
export class TrialFault extends Error {
  /**
   * @param {Phase} phase
   * @param {unknown} cause
   */
  constructor(phase, cause) {
    super(cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause), { cause });
    this.name = 'TrialFault';
    this.phase = phase;
  }
}

/**
 * @typedef {object} ExecutionOptions
 * @property {string} benchmarkUrl of the benchmark's module
 * @property {Assignment} assignment
 * @property {(mark: WindowMark['mark']) => Promise<void>} mark
 * @property {(phase: Phase) => void} onPhase Called before each phase, never inside the timed window.
 */

/**
 * Runs one case from loading its module to the result, and tidies up behind it. It knows neither
 * page nor farm.
 *
 * @param {ExecutionOptions} options
 * @returns {Promise<TrialResult>}
 * @throws {TrialFault} the first one
 */
export async function execute(options) {
  /** @type {Preparation[]} */
  const prepared = [];
  /** @type {TrialResult} */
  let result;
  try {
    result = await runCase(options, (preparation) => prepared.push(preparation));
  } catch (fault) {
    await tidyUp(prepared).catch(() => undefined); // The first error is the one to report.
    throw fault;
  }
  await tidyUp(prepared);
  return result;
}

/**
 * @param {Preparation} operation
 * @param {Assignment} assignment
 */
function needsReference({ firstRun }, { measurement }) {
  return !firstRun && !('fast' in measurement);
}

/** @param {readonly Preparation[]} prepared */
async function tidyUp(prepared) {
  try {
    for (const { end } of prepared) await end?.();
  } catch (cause) {
    throw new TrialFault('finish', cause);
  }
}

/**
 * @param {ExecutionOptions} options
 * @param {(preparation: Preparation) => void} onPrepared
 * @returns {Promise<TrialResult>}
 */
async function runCase({ benchmarkUrl, assignment, mark, onPhase }, onPrepared) {
  /** @type {Phase} */
  let phase = 'load';
  const enter = (/** @type {Phase} */ next) => {
    phase = next;
    onPhase(next);
  };
  try {
    enter('load');
    const benchmark = await loadBenchmark(benchmarkUrl, assignment.benchmark);
    enter('prepare');
    const operation = await benchmark.prepare(assignment.parameters);
    onPrepared(operation);
    const clock = openClock();
    enter('warm-up');
    const hooks = windowHooks(mark, () => enter('timed'));
    const measured = await measure({
      operation,
      rules: assignment.measurement,
      clock,
      hooks,
      reference: needsReference(operation, assignment) ? openReference(clock) : null,
    });
    enter('check');
    await operation.check(measured.value);
    enter('finish');
    const counters = (await operation.counters?.()) ?? {};
    const errors = operation.errors?.().slice(0, 10) ?? [];
    return {
      protocol: 1,
      clock: { granuleUs: round(clock.granuleMs * 1000), isolated: isIsolated() },
      host: readHost(),
      repeats: measured.repeats,
      steadiness: measured.steadiness,
      ...(measured.steadyState && { steadyState: measured.steadyState }),
      ...(measured.callMs !== undefined && { callMs: measured.callMs }),
      samples: [
        { metric: 'duration', unit: 'ms', warmUp: measured.warmUp, timed: measured.timed },
        ...measured.also,
      ],
      counters,
      ...(errors.length > 0 && { errors }),
    };
  } catch (cause) {
    throw new TrialFault(phase, cause);
  }
}

/**
 * @param {ExecutionOptions['mark']} mark
 * @param {() => void} onTimed
 * @returns {MeasureHooks}
 */
function windowHooks(mark, onTimed) {
  const span = { start: 0, end: 0 };
  return {
    async beforeWindow() {
      onTimed();
      await mark('start');
      span.start = performance.now();
    },
    async afterWindow() {
      span.end = performance.now();
      await mark('end');
      // Shows the window in a trace of the browser; made after it, so that nothing is inside.
      performance.measure('timed window', span);
    },
  };
}

/**
 * @param {string} url
 * @param {string} id
 * @returns {Promise<BenchmarkModule>}
 */
async function loadBenchmark(url, id) {
  const module = await import(url);
  if (typeof module.id !== 'string' || typeof module.prepare !== 'function') {
    throw new Error(`${url} does not export id and prepare.`);
  }
  if (module.id === id) return module;
  throw new Error(`This page is the benchmark "${module.id}"; it was asked for "${id}".`);
}

function round(/** @type {number} */ value) {
  return Math.round(value * 1000) / 1000;
}
