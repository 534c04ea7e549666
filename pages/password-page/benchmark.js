import { findScreen, watchFrames } from './frames.js';
import { checkKnownKey, openPassword, toHex } from './keys.js';

/**
 * @import { Parameters, ParameterValue } from '../protocol.d.ts'
 * @import { Preparation } from '../kit/execution.js'
 * @import { Frames } from './frames.js'
 * @import { Derive } from './keys.js'
 */

export const id = 'password-page';

/** Frames of a page that does nothing, to compare with. */
const restingFrames = 20;

/**
 * @param {Parameters} parameters `place` concerns the host only
 * @returns {Promise<Preparation>}
 */
export async function prepare({ function: name, rounds, keys }) {
  checkInteger('rounds', rounds, 1_000_000);
  checkInteger('keys', keys, 100);
  await checkKnownKey();
  const ways = await openPassword('secret');
  const derive = Object.entries(ways).find(([known]) => known === name)?.[1];
  if (derive === undefined) throw new Error(`There is no function "${String(name)}".`);
  // A salt for each, so that no key can be taken from the one before.
  const salts = Array.from({ length: Number(keys) }, (_, index) => new Uint8Array(16).fill(index));
  const [last = new Uint8Array()] = salts.slice(-1);
  const other = name === 'deriveBits' ? ways.pbkdf2 : ways.deriveBits;
  const expected = toHex(await other(last, Number(rounds)));
  const screen = findScreen();
  const frames = screen && watchFrames(screen);
  const restingFrameMs = frames && (await watchRest(frames));
  return {
    ...operationOf({ deriveKeys: () => inTurn(derive, salts, Number(rounds)), frames }),
    check: (value) => checkKeys(/** @type {Uint8Array[]} */ (value), salts.length, expected),
    /** @returns {Record<string, number>} */
    counters: () => (restingFrameMs === null ? {} : { restingFrameMs }),
  };
}

/**
 * From one frame to the first after the keys, where there are frames; else the keys alone.
 * @param {{ deriveKeys: () => Promise<Uint8Array[]>, frames: Frames | null }} parts
 */
function operationOf({ deriveKeys, frames }) {
  const hashing = { metric: 'hashing', unit: 'ms', values: /** @type {number[]} */ ([]) };
  const gap = { metric: 'longest-frame-gap', unit: 'ms', values: /** @type {number[]} */ ([]) };
  return {
    asynchronous: true,
    also: frames === null ? [hashing] : [hashing, gap],
    async once() {
      frames?.begin();
      const start = performance.now();
      const keys = await deriveKeys();
      hashing.values.push(performance.now() - start);
      if (frames !== null) {
        await frames.next();
        gap.values.push(frames.longestMs());
      }
      return keys;
    },
    end: () => frames?.end(),
  };
}

/**
 * Awaiting what is no promise lets nothing but microtasks run: between two keys in JavaScript no
 * frame can be drawn.
 * @type {(derive: Derive, salts: readonly Uint8Array<ArrayBuffer>[], rounds: number) => Promise<Uint8Array[]>}
 */
async function inTurn(derive, salts, rounds) {
  const keys = [];
  for (const salt of salts) keys.push(await derive(salt, rounds));
  return keys;
}

/**
 * The longest gap between frames while nothing else happens.
 * @param {Frames} frames
 */
async function watchRest(frames) {
  await frames.next(); // The gap before the first frame began before anybody looked.
  frames.begin();
  for (let frame = 0; frame < restingFrames; frame++) await frames.next();
  return Math.round(frames.longestMs() * 1000) / 1000;
}

/**
 * The last key must be what the other implementation made of the same salt, and no two the same.
 * @param {readonly Uint8Array[]} keys
 * @param {number} count
 * @param {string} expected
 */
function checkKeys(keys, count, expected) {
  const texts = keys.map(toHex);
  const different = new Set(texts).size;
  if (different !== count) {
    throw new Error(`There were ${String(different)} different keys instead of ${String(count)}.`);
  }
  const last = String(texts.at(-1));
  if (last === expected) return;
  throw new Error(`The last key was ${last}; the other implementation made ${expected}.`);
}

/**
 * @param {string} name
 * @param {ParameterValue | undefined} value
 * @param {number} most
 */
function checkInteger(name, value, most) {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) return;
  throw new Error(`${name} cannot be ${String(value)}: it is 1 to ${String(most)}.`);
}
