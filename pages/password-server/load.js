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
 * @property {() => Promise<void>} end Releases everything.
 */

/** Less than the farm gives a trial, so that there is time to report what was seen until then. */
export const deadlineMs = 100_000;
