'use strict';

const { loadModule } = require('../kit/old-module.cjs');

const { operations } = loadModule(__dirname, 'operations.js');

/**
 * Script of a fresh process: runs one operation once. It is loaded without a promise; the first one
 * is made when the clock runs. It has no words that Node.js 10 does not know.
 *
 * @typedef {object} Order
 * @property {string} operation
 * @property {number} n
 */

/** @type {Order} */
const order = JSON.parse(process.argv[2] || '');
const make = operations[order.operation];
if (make === undefined) throw new Error(`There is no operation "${order.operation}".`);
const once = make(order.n);

// Node.js makes the clock's function at its first use, too.
process.hrtime.bigint();

async function main() {
  const start = process.hrtime.bigint();
  const value = await once();
  const end = process.hrtime.bigint();
  const said = JSON.stringify({ ms: Number(end - start) / 1e6, value });
  // An open message channel would keep the process alive.
  process.stdout.write(said, () => process.exit(0));
}

main().catch((/** @type {unknown} */ error) => {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
});
