import { createHash } from 'node:crypto';
import { test, expect } from '@playwright/test';
import { prepare } from './benchmark.js';
import declared from './benchmark.json' with { type: 'json' };
import { checkDone, digestOfText, hashTimes, loadHash, shareOut, text } from './hashing.js';

const aCase = { calls: 100, threads: 0, implementation: 'javascript', run: 'warm', place: 'main' };

test('the expected hash is the MD5 of the text', () => {
  expect(createHash('md5').update(text).digest('hex')).toBe(digestOfText);
});

for (const implementation of ['javascript', 'native']) {
  for (const threads of [0, 1, 3]) {
    test(`${implementation}, ${String(threads)} threads: all calls are made, again and again`, async () => {
      const operation = await prepare({ ...aCase, threads, implementation });
      expect(operation.asynchronous).toBe(threads > 0);
      for (let times = 0; times < 2; times += 1) {
        operation.check(await operation.once());
        expect(await operation.counters?.()).toEqual({ threads, calls: 100 });
      }
    });
  }
}

test('the work is shared out in whole calls, and none is lost', () => {
  expect(shareOut(10, 4)).toEqual([3, 3, 2, 2]);
  expect(shareOut(1_000_000, 8)).toEqual(Array.from({ length: 8 }, () => 125_000));
  expect(shareOut(3, 3)).toEqual([1, 1, 1]);
});

test('a wrong hash, once or at the end, is noticed', async () => {
  const md5 = await loadHash('javascript');
  const right = hashTimes(md5, 5);
  checkDone(right);
  const wrong = Uint8Array.from(right.digest, (byte, index) => (index === 7 ? byte ^ 1 : byte));
  expect(() => {
    checkDone({ ...right, digest: wrong });
  }).toThrow(`is ${digestOfText}; a thread gave`);
  let calls = 0;
  const seldomWrong = hashTimes((bytes) => {
    const digest = md5(bytes);
    calls += 1;
    return calls === 3 ? digest.map(() => 0) : digest;
  }, 5);
  expect(() => {
    checkDone(seldomWrong);
  }).toThrow('not all were right');
});

test('a thread that did not start, or did less, is noticed', async () => {
  const operation = await prepare({ ...aCase, threads: 2 });
  const [one, other] = (await operation.once()) as [{ calls: number; answers: number }, object];
  expect(() => {
    operation.check([one]);
  }).toThrow(/^1 threads .* 50 calls.* 2 and 100\b/);
  expect(() => {
    operation.check([{ ...one, answers: 2 }, other]);
  }).toThrow(/^1 threads .* 100 calls.* 2 and 100\b/);
});

test('parameters out of range, and more threads than calls, are refused', async () => {
  const refused = (parameters: object, says: string): Promise<void> =>
    expect(async () => prepare({ ...aCase, ...parameters })).rejects.toThrow(says);
  await refused({ calls: 0 }, 'calls cannot be 0: it is 1 to 100000000.');
  await refused({ calls: 1.5 }, 'calls cannot be 1.5');
  await refused({ threads: -1 }, 'threads cannot be -1: it is 0 to 256.');
  await refused({ threads: '2' }, 'threads cannot be 2');
  await refused({ calls: 2, threads: 3 }, '3 threads cannot share 2 calls');
  await refused({ implementation: 'toString' }, 'no implementation "toString"');
});

test('the declared bounds are those that the module holds', async () => {
  for (const parameter of declared.parameters) {
    if (parameter.kind !== 'integer') continue;
    const { name, minimum, maximum } = parameter;
    for (const value of [Number(minimum) - 1, Number(maximum) + 1]) {
      await expect(async () => prepare({ ...aCase, [name]: value })).rejects.toThrow(
        `it is ${String(minimum)} to ${String(maximum)}`,
      );
    }
  }
});

test('run = first is measured as a first run', async () => {
  expect((await prepare({ ...aCase, run: 'first' })).firstRun).toBe(true);
  expect((await prepare(aCase)).firstRun).toBeUndefined();
});

test('threads that wait for work that never ends are ended with the trial', async () => {
  const operation = await prepare({ ...aCase, calls: 50_000_000, threads: 2 });
  const answered = (operation.once() as Promise<unknown>).then(
    () => 'answered',
    (error: unknown) => String(error),
  );
  await operation.end?.();
  expect(await answered).toMatch(/^Error: .*thread ended before/);
});
