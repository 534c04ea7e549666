import { expect, test } from '@playwright/test';
import { explain } from '../../store/failures.ts';
import { RetryOnLock } from './execute-plan.ts';

const sqlite = (code: string): unknown =>
  explain(Object.assign(new Error(code), { code }), '/farm/farm.db');

/** A database that refuses several times, and then takes its input. */
function aDatabase(refusals: number, code = 'SQLITE_BUSY') {
  const stored: string[] = [];
  let tries = 0;
  const take = (what: string): Promise<void> => {
    tries += 1;
    if (tries <= refusals) return Promise.reject(sqlite(code) as Error);
    stored.push(what);
    return Promise.resolve();
  };
  return { stored, take, tries: () => tries };
}

function aWriter(lockMs: number, { aborted = false } = {}) {
  const said: string[] = [];
  const writing = new RetryOnLock(
    {
      signal: aborted ? AbortSignal.abort() : new AbortController().signal,
      say: (sentence) => said.push(sentence),
    },
    { lockMs, lastMs: 0, pauseMs: 0 },
  );
  return { writing, said };
}

test('stores a trial once the lock has gone, and reports the lock once', async () => {
  const { writing, said } = aWriter(600_000);
  const database = aDatabase(3);
  await writing.write(() => database.take('first'));
  await writing.write(() => database.take('second'));
  expect(database.stored).toEqual(['first', 'second']);
  expect(database.tries()).toBe(5);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('at most 10 minutes');
});

test('waits for a second lock too, and does not report it again', async () => {
  const { writing, said } = aWriter(600_000);
  for (const database of [aDatabase(2), aDatabase(2)]) {
    await writing.write(() => database.take('one'));
    expect(database.stored).toEqual(['one']);
  }
  expect(said).toHaveLength(1);
});

test('patience ends, and then the refusal is what it was', async () => {
  const { writing } = aWriter(0);
  await expect(writing.write(() => aDatabase(9).take('x'))).rejects.toMatchObject({
    code: 'cannot-write',
  });
});

test('waits less once the run is to end', async () => {
  const database = aDatabase(9);
  const { writing } = aWriter(600_000, { aborted: true });
  await expect(writing.write(() => database.take('x'))).rejects.toThrow('too long');
  expect(database.tries()).toBe(1);
});

test('does not retry after a failure other than a lock', async () => {
  const database = aDatabase(1, 'SQLITE_FULL');
  const { writing } = aWriter(600_000);
  await expect(writing.write(() => database.take('x'))).rejects.toMatchObject({
    code: 'disk-full',
  });
  expect(database.tries()).toBe(1);
});
