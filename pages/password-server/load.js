/**
 * @typedef {object} LoadOrder
 * @property {string} url
 * @property {number} concurrency connections, each with one request at a time
 * @property {number} requests
 * @property {number} bodyBytes of every answer
 * @property {AbortSignal} signal gives up, with the signal's reason
 *
 * @typedef {{ status: number, body: string }} Answer
 *
 * @typedef {object} Load
 * @property {number} elapsedMs from the first request to the last answer
 * @property {number[]} latencies in milliseconds, one a request
 * @property {number} bytes of all answers, with their headers
 * @property {Readonly<Record<'connect' | 'processing' | 'waiting', number[]>>} [phases] of each request, in milliseconds, where the generator gives them
 * @property {Answer[] | null} answers null when the generator does not give them
 *
 * @typedef {object} Generator
 * @property {(order: LoadOrder) => Promise<Load>} load
 * @property {() => Promise<void>} end Releases everything.
 */

/** Less than the farm gives a trial, so that there is time to report what was seen until then. */
export const deadlineMs = 100_000;
