/**
 * @typedef {object} LoadOrder
 * @property {string} url
 * @property {number} concurrency connections, each with one request at a time
 * @property {number} requests
 * @property {AbortSignal} signal gives up, with the signal's reason
 *
 * @typedef {{ status: number, body: string }} Answer
 *
 * @typedef {object} Load
 * @property {number} elapsedMs from the first request to the last answer
 * @property {number[]} latencies in milliseconds, one a request
 * @property {Answer[] | null} answers null when the generator does not give them
 *
 * @typedef {object} Generator
 * @property {(order: LoadOrder) => Promise<Load>} load
 * @property {() => Promise<void>} end Lets go of everything.
 */

/** Less than the farm gives a trial, so that what was seen until then can be told. */
export const deadlineMs = 100_000;

/**
 * Loaded only when it is wanted, so that one that is missing concerns nobody else.
 * @param {'autocannon' | 'ab'} name
 * @returns {Promise<Generator>}
 * @throws {Error} a sentence, when it is missing.
 */
export async function chooseGenerator(name) {
  if (name === 'ab') return (await import('./load-ab.js')).openAb();
  const module = await loadPackage('autocannon', () => import('./load-autocannon.js'));
  return module.openAutocannon();
}

/**
 * An npm package that may be missing, or may not load in this runtime.
 *
 * @template Module
 * @param {string} name
 * @param {() => Promise<Module>} load
 * @returns {Promise<Module>}
 * @throws {Error} a sentence.
 */
export async function loadPackage(name, load) {
  try {
    return await load();
  } catch (cause) {
    const [first = ''] = String(cause instanceof Error ? cause.message : cause).split('\n');
    throw new Error(`The package ${name} does not load in this runtime: ${first}`, { cause });
  }
}
