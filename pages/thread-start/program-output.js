/**
 * Output of native/thread-start.c. It is parsed strictly, because the output of another program is
 * not a sample.
 *
 *     thread-start 1
 *     threads 2
 *     started 2
 *     waited 1000000
 *     recorded 1000123
 *     elapsed 61234
 *     elapsed 10321
 *     end 2
 *
 * @typedef {object} ProgramResult
 * @property {number} started
 * @property {number} knownWaitUs
 * @property {number} recordedWaitUs
 * @property {readonly number[]} elapsedUs In the order in which the threads were made.
 */

/**
 * @param {string} text
 * @param {number} threads how many were asked for
 * @returns {ProgramResult}
 * @throws {Error} that says which line was not what it should be.
 */
export function parseOutput(text, threads) {
  const lines = text.replace(/\n$/, '').split('\n');
  const read = readerOf(lines);
  expectSame(read('thread-start'), 1, 'the version of its output');
  expectSame(read('threads'), threads, 'the number of threads');
  const started = read('started');
  const knownWaitUs = read('waited') / 1000;
  const recordedWaitUs = read('recorded') / 1000;
  const elapsedUs = Array.from({ length: threads }, () => read('elapsed') / 1000);
  expectSame(read('end'), threads, 'the number of threads at the end');
  if (lines.length > 0)
    throw new Error(`The program printed more than its result: ${show(lines[0])}.`);
  return { started, knownWaitUs, recordedWaitUs, elapsedUs };
}

/**
 * Output of `thread-start wait`: the recorded length of each reading, in microseconds.
 *
 * @param {string} text
 * @param {number} waitUs that was asked for
 * @returns {readonly number[]}
 * @throws {Error} that says which line was not what it should be.
 */
export function parseWaits(text, waitUs) {
  const lines = text.replace(/\n$/, '').split('\n');
  const read = readerOf(lines);
  expectSame(read('thread-start'), 1, 'the version of its output');
  expectSame(read('waited') / 1000, waitUs, 'the length of its waits');
  const recorded = [];
  while (lines[0]?.startsWith('recorded ')) recorded.push(read('recorded') / 1000);
  expectSame(read('end'), recorded.length, 'the number of readings at the end');
  if (recorded.length > 0 && lines.length === 0) return recorded;
  throw new Error(`The program printed no reading, or more than its result: ${show(lines[0])}.`);
}

/**
 * @param {string[]} lines those that are left
 * @returns {(name: string) => number}
 */
function readerOf(lines) {
  return (name) => {
    const line = lines.shift();
    const [, seen, number] = /^([a-z-]+) (-?\d{1,18})$/.exec(line ?? '') ?? [];
    if (seen === name) return Number(number);
    throw new Error(
      `The program printed ${show(line)} where "${name}" and a number were expected.`,
    );
  };
}

/**
 * @param {number} seen
 * @param {number} expected
 * @param {string} what
 */
function expectSame(seen, expected, what) {
  if (seen === expected) return;
  throw new Error(`The program printed ${String(seen)} as ${what} instead of ${String(expected)}.`);
}

/** @param {string | undefined} line */
function show(line) {
  return line === undefined ? 'nothing' : JSON.stringify(line.slice(0, 80));
}
