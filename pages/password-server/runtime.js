import process from 'node:process';
import { bodyBytesOf, checkLoad, checkParameters, password } from './checks.js';
import { summarizeLatencies, tableOf } from './latency.js';
import { chooseGenerator, loadPackage } from './generators.js';
import { startServer } from './server-process.js';

/**
 * @import { Parameters } from '../protocol.d.ts'
 * @import { Preparation } from '../kit/execution.js'
 * @import { Settings } from './checks.js'
 * @import { Generator, Load } from './load.js'
 * @import { ServerProcess } from './server-process.js'
 */

/** Before the one that counts: it compiles the routes and the generator, and starts the pool's threads. */
const warmUp = { concurrency: 4, requests: 8 };

/** How long the end of the server may lag behind what the generator saw of it. */
const lagMs = 1000;

/**
 * Starts a server and loads one of its routes once: a trial is a load.
 * @param {Parameters} parameters
 * @returns {Promise<Preparation>}
 */
export async function prepare(parameters) {
  const settings = checkParameters(parameters);
  checkPool(settings.threadPool);
  const { default: bcrypt } = await loadPackage('bcrypt', () => import('bcrypt'));
  const verify = (/** @type {string} */ text, /** @type {string} */ hash) =>
    bcrypt.compareSync(text, hash);
  const generator = await chooseGenerator(settings.generator);
  const server = await startServer({ password, ...settings }).catch(async (cause) => {
    await generator.end();
    throw cause;
  });
  const end = async () => {
    await server.end();
    await generator.end();
  };
  try {
    await warm({ settings, server, generator, verify });
    return { ...operationOf({ settings, server, generator, verify }), end };
  } catch (cause) {
    const why = await explain(cause, server);
    await end();
    throw why;
  }
}

/**
 * UV_THREADPOOL_SIZE is Node.js's. With other runtimes it was tried out: 16 hashes at once ran on
 * 16 threads in Deno 2.9, regardless of the variable, and on as many as it named in Bun 1.4, but on
 * two at least.
 *
 * @param {number} size
 */
function checkPool(size) {
  const { deno, bun } = process.versions;
  if (deno !== undefined && size > 0) {
    throw new Error(
      'Deno has no UV_THREADPOOL_SIZE: it takes a thread for each hash. Leave threadPool at 0.',
    );
  }
  if (bun !== undefined && size === 1) {
    throw new Error('Bun has two threads in its pool at least: threadPool cannot be 1.');
  }
}

/**
 * @typedef {object} Parts
 * @property {Settings} settings
 * @property {ServerProcess} server
 * @property {Generator} generator
 * @property {(text: string, hash: string) => boolean} verify
 */

/** @param {Parts} parts */
async function warm({ settings, server, generator, verify }) {
  const { route, work, concurrency, cost } = settings;
  const url = `${server.origin}/${route}`;
  const few = {
    requests: warmUp.requests,
    concurrency: Math.min(concurrency, warmUp.concurrency),
    bodyBytes: bodyBytesOf(work),
  };
  const load = await generator.load({ url, signal: server.gone, ...few });
  // A generator that shows no answers is checked by one that is fetched here.
  const answers = load.answers ?? [await fetchAnswer(url, server.gone)];
  checkLoad({ ...load, answers }, { work, requests: few.requests, cost, verify });
  await countConnections(server); // Those of the warm-up are counted, and so forgotten.
}

/**
 * @param {Parts} parts
 * @returns {Preparation}
 */
function operationOf({ settings, server, generator, verify }) {
  const { route, work, concurrency, requests, cost } = settings;
  const order = {
    url: `${server.origin}/${route}`,
    signal: server.gone,
    concurrency,
    requests,
    bodyBytes: bodyBytesOf(work),
  };
  const series = emptySeries();
  const threads = server.threads();
  /** @type {Record<string, number>} */
  let table = {};
  return {
    firstRun: true,
    asynchronous: true,
    also: series.all,
    async once() {
      try {
        const load = await generator.load(order);
        series.add(load);
        return load;
      } catch (cause) {
        throw await explain(cause, server);
      }
    },
    check(value) {
      checkLoad(/** @type {Load} */ (value), { work, requests, cost, verify });
      table = tableOf(/** @type {Load} */ (value));
    },
    async counters() {
      const connections = await countConnections(server);
      if (connections !== concurrency) {
        const seen = `${String(connections)} connections instead of ${String(concurrency)}`;
        throw new Error(`The load came over ${seen}: they were not kept alive.`);
      }
      return { connections, ...(threads !== null && { serverThreads: threads }), ...table };
    },
  };
}

/** Metrics other than the duration, without values yet. */
function emptySeries() {
  const series = (/** @type {string} */ metric, unit = 'ms') => ({
    metric,
    unit,
    values: /** @type {number[]} */ ([]),
  });
  const throughput = series('throughput', 'requests/s');
  const latency = series('latency');
  const mean = series('latency-mean');
  const sd = series('latency-sd');
  const p99 = series('latency-p99');
  return {
    all: [throughput, latency, mean, sd, p99],
    /** @param {Load} load */
    add({ elapsedMs, latencies }) {
      const summary = summarizeLatencies(latencies);
      throughput.values.push((1000 * latencies.length) / elapsedMs);
      latency.values.push(...latencies);
      mean.values.push(summary.mean);
      sd.values.push(summary.sd);
      p99.values.push(summary.p99);
    },
  };
}

/**
 * Explains a load that failed: the end of the server says more than the error of the generator, but
 * may be known a moment later.
 * @param {unknown} cause
 * @param {ServerProcess} server
 */
async function explain(cause, { gone }) {
  if (!gone.aborted) {
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, lagMs);
      gone.addEventListener('abort', () => (clearTimeout(timer), resolve(null)), { once: true });
    });
  }
  return gone.aborted ? gone.reason : cause;
}

/** @param {ServerProcess} server */
async function countConnections({ origin, gone }) {
  const { body } = await fetchAnswer(`${origin}/connections`, gone);
  const { connections } = JSON.parse(body);
  return Number(connections);
}

/**
 * @param {string} url
 * @param {AbortSignal} gone
 */
async function fetchAnswer(url, gone) {
  const signal = AbortSignal.any([gone, AbortSignal.timeout(10_000)]);
  const response = await fetch(url, { signal });
  return { status: response.status, body: await response.text() };
}
