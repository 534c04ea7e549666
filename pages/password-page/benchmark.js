import { findScreen, watchFrames } from './frames.js';
import { checkKnownKey, openPassword, toHex } from './keys.js';

/**
 * @import { Parameters, ParameterValue } from '../protocol.d.ts'
 * @import { Preparation } from '../kit/execution.js'
 * @import { Frames } from './frames.js'
 * @import { Salt } from './keys.js'
 */

export const id = 'password-page';

/** Frames of a page that does nothing, to compare with. */
const restingFrames = 20;

/**
 * Result of one run of the operation.
 * @typedef {{ salt: Salt, key: Uint8Array }[]} Keys
 */

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
  const other = name === 'deriveBits' ? ways.pbkdf2 : ways.deriveBits;
  const screen = findScreen();
  const frames = screen && watchFrames(screen);
  const restingFrameMs = frames && (await watchRest(frames));
  const deriveKeys = inTurn((salt) => derive(salt, Number(rounds)), Number(keys));
  return {
    ...operationOf(deriveKeys, frames),
    check: (value) =>
      checkKeys(/** @type {Keys} */ (value), {
        count: Number(keys),
        derive: (salt) => other(salt, Number(rounds)),
      }),
    /** @returns {Record<string, number>} */
    counters: () => (restingFrameMs === null ? {} : { restingFrameMs }),
  };
}

/**
 * From one frame to the first after the keys, where there are frames; else the keys alone.
 * @param {() => Promise<Keys>} deriveKeys
 * @param {Frames | null} frames
 */
function operationOf(deriveKeys, frames) {
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
 * No salt comes twice: Firefox 153 remembers the last keys that it derived, and gave five of them
 * again in 0.6 ms. Awaiting a plain value lets only microtasks run: between two keys in
 * JavaScript no frame can be drawn.
 *
 * @param {(salt: Salt) => Uint8Array | Promise<Uint8Array>} derive
 * @param {number} count
 * @returns {() => Promise<Keys>}
 */
function inTurn(derive, count) {
  let made = 0;
  return async () => {
    const keys = [];
    for (let index = 0; index < count; index++) {
      const salt = new Uint8Array(16);
      new DataView(salt.buffer).setUint32(0, made++);
      keys.push({ salt, key: await derive(salt) });
    }
    return keys;
  };
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
 * No two keys are the same, and the last is what the other implementation makes of its salt.
 * @param {Keys} keys
 * @param {{ count: number, derive: (salt: Salt) => Uint8Array | Promise<Uint8Array> }} expected
 */
async function checkKeys(keys, { count, derive }) {
  const different = new Set(keys.map(({ key }) => toHex(key))).size;
  const last = keys.at(-1);
  if (last === undefined || different !== count) {
    throw new Error(`There were ${String(different)} different keys instead of ${String(count)}.`);
  }
  const [seen, wanted] = [toHex(last.key), toHex(await derive(last.salt))];
  if (seen === wanted) return;
  throw new Error(`The last key was ${seen}; the other implementation made ${wanted}.`);
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
