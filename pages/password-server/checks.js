import { fileContent } from './file-content.js';

/**
 * Checks of a case's parameters before a load, and of its answers after it.
 *
 * @import { Parameters, ParameterValue } from '../protocol.d.ts'
 * @import { Load } from './load.js'
 */

/** Password that every request hashes, as in the study. */
export const password = 'secret';

/** Number of characters of every bcrypt hash, all ASCII. */
const hashLength = 60;

/**
 * @typedef {object} Settings
 * @property {'sync' | 'async'} route
 * @property {'hash' | 'file'} work
 * @property {'autocannon' | 'ab'} generator
 * @property {number} concurrency
 * @property {number} requests
 * @property {number} cost
 * @property {number} threadPool
 * @property {number} port
 */

/**
 * @param {Parameters} parameters
 * @returns {Settings}
 * @throws {Error} a sentence that says what can be done instead.
 */
export function checkParameters({ route, work, generator, ...numbers }) {
  const integer = (
    /** @type {string} */ name,
    /** @type {number} */ low,
    /** @type {number} */ high,
  ) => checkInteger(name, numbers[name], { low, high });
  const settings = {
    route: checkChoice('route', route, /** @type {const} */ (['sync', 'async'])),
    work: checkChoice('work', work, /** @type {const} */ (['hash', 'file'])),
    generator: checkChoice('generator', generator, /** @type {const} */ (['autocannon', 'ab'])),
    concurrency: integer('concurrency', 1, 200),
    requests: integer('requests', 1, 5000),
    cost: integer('cost', 4, 12),
    threadPool: integer('threadPool', 0, 8),
    port: integer('port', 0, 65_535),
  };
  const { concurrency, requests } = settings;
  if (requests >= concurrency) return settings;
  throw new Error(
    `${String(requests)} requests cannot keep ${String(concurrency)} connections busy: requests must be at least concurrency.`,
  );
}

/**
 * @param {string} name
 * @param {ParameterValue | undefined} value
 * @param {{ low: number, high: number }} bounds
 */
function checkInteger(name, value, { low, high }) {
  if (typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high) {
    return value;
  }
  throw new Error(`${name} cannot be ${String(value)}: it is ${String(low)} to ${String(high)}.`);
}

/**
 * @template {string} Choice
 * @param {string} name
 * @param {ParameterValue | undefined} value
 * @param {readonly Choice[]} choices
 */
function checkChoice(name, value, choices) {
  const chosen = choices.find((one) => one === value);
  if (chosen !== undefined) return chosen;
  throw new Error(`${name} cannot be ${String(value)}: it is ${choices.join(' or ')}.`);
}

/**
 * @typedef {object} Expected
 * @property {Settings['work']} work
 * @property {number} requests
 * @property {number} cost
 * @property {(text: string, hash: string) => boolean} verify whether the hash is one of the text
 */

/**
 * Checks that every request was answered once, with status 200 and its own hash of the right form
 * and cost, and that the last one is a hash of the password and of nothing else; or with the file. A
 * generator that does not show its answers has counted them itself.
 *
 * @param {Load} load
 * @param {Expected} expected
 * @throws {Error} a sentence.
 */
export function checkLoad({ latencies, answers }, { work, requests, cost, verify }) {
  if (latencies.length !== requests) {
    throw new Error(`${String(latencies.length)} of ${String(requests)} requests were answered.`);
  }
  if (answers === null) return;
  if (work === 'file') return checkFiles(answers);
  const form = new RegExp(`^\\$2b\\$${String(cost).padStart(2, '0')}\\$[./A-Za-z0-9]{53}$`);
  for (const { status, body } of answers) {
    if (status === 200 && form.test(body)) continue;
    const seen = `${String(status)} "${body.slice(0, 100)}"`;
    throw new Error(`A request was answered with ${seen} instead of 200 and a hash.`);
  }
  if (new Set(answers.map(({ body }) => body)).size !== answers.length) {
    throw new Error('Two answers are the same hash: each should have a salt of its own.');
  }
  const last = answers.at(-1)?.body ?? '';
  if (verify(password, last) && !verify(`${password}?`, last)) return;
  throw new Error(`The answer "${last}" is not a hash of the password.`);
}

/** @param {readonly import('./load.js').Answer[]} answers */
function checkFiles(answers) {
  for (const { status, body } of answers) {
    if (status === 200 && body === fileContent) continue;
    const seen = `${String(status)} "${body.slice(0, 100)}"`;
    throw new Error(`A request was answered with ${seen} instead of 200 and the file.`);
  }
}

/**
 * Of every answer, which `ab` counts.
 * @param {Settings['work']} work
 */
export function bodyBytesOf(work) {
  return work === 'file' ? fileContent.length : hashLength;
}
