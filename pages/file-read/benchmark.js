import { findRuntime } from '../kit/host-facts.js';

/**
 * @import { Parameters } from '../protocol.d.ts'
 * @import { Preparation } from '../kit/execution.js'
 */

export const id = 'file-read';

const limits = { files: 1000, sizeKiB: 16_384, totalKiB: 262_144 };

/**
 * Parameters that were checked.
 * @typedef {object} Asked
 * @property {number} files
 * @property {number} bytes of each file
 * @property {string} mode
 * @property {string} state
 * @property {string} open
 * @property {string} after
 */

/** @type {Readonly<Record<'mode' | 'state' | 'open' | 'after', readonly string[]>>} */
const choices = {
  mode: ['sync', 'async-parallel', 'async-sequential', 'callback-parallel'],
  state: ['warm', 'first', 'cold'],
  open: ['within', 'before'],
  after: ['nothing', 'sync', 'pool', 'read', 'many'],
};

/**
 * @param {Parameters} parameters
 * @returns {Promise<Preparation>}
 */
export async function prepare(parameters) {
  const asked = parse(parameters);
  if (findRuntime() === null) {
    refuseInBrowsers(asked);
    const { prepareReads } = await import('./origin-files.js');
    return prepareReads(asked);
  }
  if (asked.open === 'before') {
    throw new Error('open cannot be "before": in a runtime files are read by their paths.');
  }
  const { prepareReads } = await import('./runtime.js');
  return prepareReads(asked);
}

/**
 * @param {Parameters} parameters
 * @returns {Asked}
 */
function parse({ files, size, mode, state, open, after }) {
  const count = integer('files', files, limits.files);
  const sizeKiB = integer('size', size, limits.sizeKiB);
  if (count * sizeKiB > limits.totalKiB) {
    const all = `${String(count)} files of ${String(sizeKiB)} KiB`;
    throw new Error(`${all} are more than ${String(limits.totalKiB / 1024)} MiB together.`);
  }
  const asked = {
    files: count,
    bytes: sizeKiB * 1024,
    mode: choice('mode', mode),
    state: choice('state', state),
    open: choice('open', open),
    after: choice('after', after),
  };
  if (asked.state === 'warm' && asked.after !== 'nothing') {
    throw new Error('after concerns first reads: before a warm one there were many others.');
  }
  return asked;
}

/**
 * The farm plans no such case; a person may ask for it all the same.
 * @param {Asked} asked
 */
function refuseInBrowsers({ mode, state, after }) {
  const refused = [
    mode === 'callback-parallel' ? `mode cannot be "${mode}"` : null,
    state === 'cold' ? 'state cannot be "cold"' : null,
    after === 'sync' || after === 'pool' ? `after cannot be "${after}"` : null,
  ].find((one) => one !== null);
  if (refused !== undefined) throw new Error(`${refused}: browsers have no such thing.`);
}

/** @type {(name: string, value: unknown, most: number) => number} */
function integer(name, value, most) {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) {
    return value;
  }
  throw new Error(`${name} cannot be ${String(value)}: it is 1 to ${String(most)}.`);
}

/** @type {(name: keyof typeof choices, value: unknown) => string} */
function choice(name, value) {
  const found = choices[name].find((one) => one === value);
  if (found !== undefined) return found;
  throw new Error(`${name} cannot be "${String(value)}": it is ${choices[name].join(', ')}.`);
}
