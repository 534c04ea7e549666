import { findRuntime } from '../kit/host-facts.js';

/**
 * The work of this benchmark, the same on the thread that asks and in workers.
 *
 * @typedef {(message: Uint8Array) => Uint8Array} Hash
 */

/**
 * The finished part of the work.
 * @typedef {object} Done
 * @property {number} calls
 * @property {number} sum Of the first and the last byte of every digest.
 * @property {Uint8Array} digest The last one.
 */

/**
 * Answer of a thread: the work it did, and the number of its answers so far.
 * @typedef {Done & { answers: number }} Answer
 */

/** MD5 of `text`, as bytes in hexadecimal. */
export const text = 'Hello World';
export const digestOfText = 'b10a8db164e0754105b7a99be72e3fe5';

/** Made once, outside the timed window: encoding is not what is measured. */
const message = new TextEncoder().encode(text);

/**
 * MD5 in JavaScript, the same file in every host, or the runtime's own.
 * @param {unknown} implementation
 * @returns {Promise<Hash>}
 */
export async function loadHash(implementation) {
  if (implementation === 'javascript') {
    return (await import('../vendor/noble-hashes/legacy.js')).md5;
  }
  if (implementation !== 'native') {
    throw new Error(`There is no implementation "${String(implementation)}".`);
  }
  if (findRuntime() === null) throw new Error('Browsers have no MD5 of their own.');
  return (await import('./runtime.js')).md5;
}

/**
 * Hashes the message repeatedly, one call after the other. Every call makes a new array, of which two
 * bytes go into the sum: no compiler may leave a call out, or make one of all.
 *
 * @param {Hash} hash
 * @param {number} calls at least 1
 * @returns {Done}
 */
export function hashTimes(hash, calls) {
  /** @type {Uint8Array} */
  let digest = new Uint8Array();
  let sum = 0;
  let made = 0;
  for (; made < calls; made++) {
    digest = hash(message);
    sum += (digest[0] ?? NaN) + (digest[15] ?? NaN);
  }
  return { calls: made, sum, digest };
}

/**
 * Calls of each thread: as equal as whole numbers can be, and together all.
 * @param {number} calls
 * @param {number} threads
 */
export function shareOut(calls, threads) {
  const least = Math.floor(calls / threads);
  return Array.from({ length: threads }, (_, index) => least + (index < calls % threads ? 1 : 0));
}

/**
 * @param {Done} done
 * @throws {Error} that says what was expected and what was seen.
 */
export function checkDone({ calls, sum, digest }) {
  const seen = toHex(digest);
  if (seen !== digestOfText) {
    throw new Error(`MD5 of "${text}" is ${digestOfText}; a thread gave ${seen}.`);
  }
  const bytes = [0, 15].map((index) => parseInt(digestOfText.slice(2 * index, 2 * index + 2), 16));
  const expected = calls * bytes.reduce((total, byte) => total + byte, 0);
  if (sum === expected) return;
  throw new Error(
    `The digests of ${String(calls)} calls sum up to ${String(sum)} instead of ${String(expected)}: not all were right.`,
  );
}

/** @param {Uint8Array} bytes */
function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
