/**
 * The same recursions with a counter and without the busy loop, which changes no count. They run
 * outside the timed window and show what the recursion does, not how long it takes.
 */

/** @typedef {{ calls: number }} Counter */

/** @type {(n: number, counter: Counter) => number} */
function plain(n, counter) {
  counter.calls += 1;
  if (n <= 0) return 0;
  if (n === 1) return 1;
  return plain(n - 1, counter) + plain(n - 2, counter);
}

/** @type {(n: number, counter: Counter) => Promise<number>} */
async function asynchronous(n, counter) {
  counter.calls += 1;
  if (n <= 0) return 0;
  if (n === 1) return 1;
  const [first, second] = await Promise.all([
    asynchronous(n - 1, counter),
    asynchronous(n - 2, counter),
  ]);
  return first + second;
}

/** @type {(n: number, counter: Counter, memo?: Record<number, number>) => number} */
function memoized(n, counter, memo = {}) {
  counter.calls += 1;
  if (n <= 0) return 0;
  if (n === 1) return 1;
  if (memo[n]) return memo[n];
  const first = memoized(n - 1, counter, memo);
  const second = memoized(n - 2, counter, memo);
  memo[n] = first + second;
  return memo[n];
}

/** @type {(n: number, counter: Counter, memo?: Record<number, number>) => Promise<number>} */
async function asynchronousMemoized(n, counter, memo = {}) {
  counter.calls += 1;
  if (n <= 0) return 0;
  if (n === 1) return 1;
  if (memo[n]) return memo[n];
  const [first, second] = await Promise.all([
    asynchronousMemoized(n - 1, counter, memo),
    asynchronousMemoized(n - 2, counter, memo),
  ]);
  memo[n] = first + second;
  return memo[n];
}

/** @type {(n: number, counter: Counter, memo?: Record<number, Promise<number>>) => Promise<number>} */
function promiseMemoized(n, counter, memo = {}) {
  counter.calls += 1;
  return (memo[n] ??= promiseMemoizedStep(n, counter, memo));
}

/** @type {(n: number, counter: Counter, memo: Record<number, Promise<number>>) => Promise<number>} */
async function promiseMemoizedStep(n, counter, memo) {
  if (n <= 0) return 0;
  if (n === 1) return 1;
  const [first, second] = await Promise.all([
    promiseMemoized(n - 1, counter, memo),
    promiseMemoized(n - 2, counter, memo),
  ]);
  return first + second;
}

/** @type {Readonly<Record<string, (n: number, counter: Counter) => number | Promise<number>>>} */
const twins = {
  syncFib: plain,
  asyncFib: asynchronous,
  syncBusyFib: plain,
  asyncBusyFib: asynchronous,
  syncMemoFib: memoized,
  asyncMemoFib: asynchronousMemoized,
  asyncPromiseMemoFib: promiseMemoized,
};

/**
 * How many calls one evaluation makes, counted.
 * @param {string} name of one of the functions
 * @param {number} n
 * @returns {Promise<{ calls: number, value: number }>}
 */
export async function countCalls(name, n) {
  const twin = twins[name];
  if (!twin) throw new Error(`There is no function "${name}".`);
  const counter = { calls: 0 };
  const value = await twin(n, counter);
  return { calls: counter.calls, value };
}
