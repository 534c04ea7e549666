/* eslint-disable @typescript-eslint/no-unused-expressions -- the busy loop is the source's, letter by letter. */

/**
 * The six functions as they were published: nothing about them may be improved, because what is
 * measured is these. Two of them look wrong and are meant to be kept: the busy loop does nothing,
 * and `asyncMemoFib` fills its memo only after both calls below it were made, so that it never
 * finds anything in it.
 */

/** @typedef {Record<number, number>} Memo */

/** @type {(n: number) => number} */
export function syncFib(n) {
  if (n <= 0) return 0;
  if (n === 1) return 1;

  return syncFib(n - 1) + syncFib(n - 2);
}

/** @type {(n: number) => Promise<number>} */
export async function asyncFib(n) {
  if (n <= 0) return 0;
  if (n === 1) return 1;

  const prevValues = await Promise.all([asyncFib(n - 1), asyncFib(n - 2)]);

  return prevValues[0] + prevValues[1];
}

/** @type {(n: number) => number} */
export function syncBusyFib(n) {
  if (n <= 0) return 0;
  if (n === 1) return 1;

  const superBig = n ** 9;
  for (let i = 0; i < superBig; i++) {
    i;
  }

  return syncBusyFib(n - 1) + syncBusyFib(n - 2);
}

/** @type {(n: number) => Promise<number>} */
export async function asyncBusyFib(n) {
  if (n <= 0) return 0;
  if (n === 1) return 1;

  const superBig = n ** 9;
  for (let i = 0; i < superBig; i++) {
    i;
  }

  const prevValues = await Promise.all([asyncBusyFib(n - 1), asyncBusyFib(n - 2)]);

  return prevValues[0] + prevValues[1];
}

/** @type {(n: number, memo?: Memo) => number} */
export function syncMemoFib(n, memo = {}) {
  if (n <= 0) return 0;
  if (n === 1) return 1;
  if (memo[n]) return memo[n];

  const first = syncMemoFib(n - 1, memo);
  const second = syncMemoFib(n - 2, memo);
  memo[n] = first + second;

  return memo[n];
}

/** @type {(n: number, memo?: Memo) => Promise<number>} */
export async function asyncMemoFib(n, memo = {}) {
  if (n <= 0) return 0;
  if (n === 1) return 1;
  if (memo[n]) return memo[n];

  const prevValues = await Promise.all([asyncMemoFib(n - 1, memo), asyncMemoFib(n - 2, memo)]);

  memo[n] = prevValues[0] + prevValues[1];
  return memo[n];
}

/**
 * Ours, not the source's: the memo keeps the promise, which is there before anything is awaited, so
 * the second call of each pair finds it.
 * @type {(n: number, memo?: Record<number, Promise<number>>) => Promise<number>}
 */
export function asyncPromiseMemoFib(n, memo = {}) {
  return (memo[n] ??= promiseMemoStep(n, memo));
}

/** @type {(n: number, memo: Record<number, Promise<number>>) => Promise<number>} */
async function promiseMemoStep(n, memo) {
  if (n <= 0) return 0;
  if (n === 1) return 1;

  const prevValues = await Promise.all([
    asyncPromiseMemoFib(n - 1, memo),
    asyncPromiseMemoFib(n - 2, memo),
  ]);

  return prevValues[0] + prevValues[1];
}
