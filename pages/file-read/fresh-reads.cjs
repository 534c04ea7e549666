'use strict';

const fs = require('fs');
const { loadModule } = require('../kit/old-module.cjs');
const { modes } = require('./reads.cjs');

/**
 * Script of a fresh process: reads the files once, times that, and prints the result. It is
 * CommonJS, like the scripts of the source. Until the clock starts it uses neither a promise nor a
 * thread, unless `after` says so. It has no words that Node.js 10 does not know.
 *
 * @typedef {object} Order
 * @property {string} folder holds the files 0, 1, 2 … and `other`
 * @property {number} files
 * @property {string} mode
 * @property {string} after what the process does first
 */

/** @type {Order} */
const order = JSON.parse(process.argv[2] || '');
const paths = Array.from({ length: order.files }, (_, i) => `${order.folder}/${String(i)}`);
const read = modes[order.mode];
if (read === undefined) throw new Error(`There is no mode "${order.mode}".`);

/** @type {Readonly<Record<string, () => unknown>>} */
const beginnings = {
  nothing: () => undefined,
  sync: () => modes.sync(paths),
  // The look-up loads what is behind it.
  module: () => void fs.promises,
  // The pool starts its threads with the first request; `stat` loads nothing of what reads files.
  pool: () => new Promise((resolve) => fs.stat(order.folder, resolve)),
  read: () => readOther(1),
  many: () => readOther(200),
};

/** @param {number} times one after the other */
async function readOther(times) {
  for (let i = 0; i < times; i++) await read([`${order.folder}/other`]);
}

// Node.js makes the clock's function at its first use, too.
process.hrtime.bigint();

async function main() {
  const begun = beginnings[order.after]();
  if (begun instanceof Promise) await begun;
  const start = process.hrtime.bigint();
  const pending = read(paths);
  const contents = pending instanceof Promise ? await pending : pending;
  const end = process.hrtime.bigint();
  const fetched = fetchedBytes();
  const { describeContents } = loadModule(__dirname, 'content.js');
  const ms = Number(end - start) / 1e6;
  process.stdout.write(JSON.stringify({ ms, fetched, ...describeContents(contents) }));
}

/**
 * Bytes that the kernel fetched from the disk for this process, all its threads included; null where
 * that cannot be known. Read afterwards alone, because reading it is reading a file.
 */
function fetchedBytes() {
  const file = '/proc/self/io';
  if (!fs.existsSync(file)) return null;
  const [, bytes] = /^read_bytes: (\d+)$/m.exec(fs.readFileSync(file, 'utf8')) || [];
  return bytes === undefined ? null : Number(bytes);
}

main().catch((/** @type {unknown} */ error) => {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
});
