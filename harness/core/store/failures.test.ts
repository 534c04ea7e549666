import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
  closeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { FarmError } from '../errors.ts';
import { connect } from './connection.ts';
import { completed, makeFacts, makeJobs } from './fixtures/example.ts';
import { migrate } from './migrate.ts';
import { createStore, openStore } from './store.ts';

function newPath(): string {
  return test.info().outputPath('farm.db');
}

async function errorOf(work: Promise<unknown>): Promise<FarmError> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof FarmError)) throw new Error(`no FarmError but ${String(error)}`);
  return error;
}

test("refuses a newer farm's database with both versions, unchanged", async () => {
  const path = newPath();
  const connection = await connect(path);
  await migrate(connection);
  await connection.execute('PRAGMA user_version = 999');
  await connection.close();
  const before = readFileSync(path);
  const error = await errorOf(openStore(path));
  expect(error.code).toBe('newer-database');
  expect(error.message).toMatch(/version 999\b.*\b27\b/);
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('two farms that open a new database at once both can use it', async () => {
  const path = newPath();
  const stores = await Promise.all([openStore(path), openStore(path), openStore(path)]);
  for (const store of stores) await store.createRun(makeFacts(makeJobs(1)));
  expect((await stores[0].listRuns()).length).toBe(3);
  for (const store of stores) await store.close();
});

test.describe('a file that is not a database of the farm is refused and left alone:', () => {
  const makers: Readonly<Record<string, (path: string) => void | Promise<void>>> = {
    text: (path) => {
      writeFileSync(path, 'This is a letter, and no database at all. '.repeat(200));
    },
    'the SQLite file of another program': async (path) => {
      const connection = await connect(path);
      await connection.execute('CREATE TABLE bookmarks (url TEXT)');
      await connection.close();
    },
    'a database whose pages were overwritten': async (path) => {
      const store = await openStore(path);
      await store.close();
      const file = openSync(path, 'r+');
      // The first page stays, so that it still looks like a database.
      writeSync(file, Buffer.alloc(8192, 0xa5), 0, 8192, 100);
      closeSync(file);
    },
    'a database that was cut off': async (path) => {
      const store = await openStore(path);
      await store.close();
      truncateSync(path, 4096 + 100);
    },
  };
  for (const [what, make] of Object.entries(makers)) {
    test(what, async () => {
      const path = newPath();
      await make(path);
      const before = readFileSync(path);
      const error = await errorOf(
        openStore(path).then(async (store) => {
          try {
            await store.listRuns();
          } finally {
            await store.close();
          }
        }),
      );
      expect(error.code).toBe('bad-database');
      expect(error.message).toContain(path);
      expect(error.next).not.toBe('');
      expect(readFileSync(path).equals(before)).toBe(true);
    });
  }
});

test.describe('a path that cannot be written is named:', () => {
  const paths: Readonly<Record<string, () => string>> = {
    'a folder where nobody can write': () => '/proc/farm.db',
    'a folder that cannot be made': () => '/proc/farm/farm.db',
    'a file where a folder is needed': () => {
      const file = test.info().outputPath('file');
      writeFileSync(file, '');
      return join(file, 'farm.db');
    },
    'a folder where a file is needed': () => {
      const folder = newPath();
      mkdirSync(folder, { recursive: true });
      return folder;
    },
  };
  for (const [what, make] of Object.entries(paths)) {
    test(what, async () => {
      test.skip(process.platform !== 'linux', 'uses /proc, where even root cannot make files');
      const path = make();
      const error = await errorOf(openStore(path));
      expect(error.code).toBe('cannot-write');
      expect(error.message).toContain(path);
      expect(error.exitCode).toBe(3);
    });
  }
});

test.describe('a full disk', () => {
  /** More than a page of samples, so that the trial needs room. */
  const many = Array.from({ length: 20_000 }, (_, index) => index + 0.5);

  test('loses only the trial in flight and continues with free room', async () => {
    const connection = await connect(newPath());
    await migrate(connection);
    const store = createStore(connection);
    const jobs = makeJobs(3);
    const run = await store.createRun(makeFacts(jobs));
    await store.writeTrial(run, completed(jobs[0]!));
    const before = await store.readRun(run);
    const [pages] = await connection.all<{ page_count: number }>('PRAGMA page_count');
    await connection.execute(`PRAGMA max_page_count = ${pages!.page_count + 2}`);

    const error = await errorOf(store.writeTrial(run, completed(jobs[1]!, many)));
    expect(error.code).toBe('disk-full');
    expect(await store.readRun(run)).toEqual(before);

    await connection.execute('PRAGMA max_page_count = 1000000');
    await store.writeTrial(run, completed(jobs[1]!, many));
    await store.writeTrial(run, completed(jobs[2]!));
    expect(await store.counts(run)).toMatchObject({ completed: 3 });
    await store.close();
  });

  test('is survived on a real file system of one megabyte', async () => {
    const folder = test.info().outputPath('small');
    mkdirSync(folder, { recursive: true });
    const mounted = mount(folder);
    test.skip(!mounted, 'mounting a small file system needs rights that this user does not have');
    try {
      const store = await openStore(join(folder, 'farm.db'));
      const jobs = makeJobs(200);
      const run = await store.createRun(makeFacts(jobs));
      const filler = join(folder, 'filler');
      writeFileSync(filler, Buffer.alloc(300_000));
      let stored = 0;
      let error: FarmError | null = null;
      while (error === null) {
        const write = store.writeTrial(run, completed(jobs[stored]!, many.slice(0, 2_000)));
        error = await write.then(
          () => null,
          () => errorOf(write),
        );
        if (error === null) stored += 1;
      }
      expect(error.code).toBe('disk-full');
      expect(stored).toBeGreaterThan(0);
      expect(await store.counts(run)).toMatchObject({ completed: stored });
      expect((await store.readRun(run))!.trials).toHaveLength(stored);

      truncateSync(filler, 0);
      await store.writeTrial(run, completed(jobs[stored]!));
      expect(await store.counts(run)).toMatchObject({ completed: stored + 1 });
      expect(statSync(store.path).size).toBeGreaterThan(0);
      await store.close();
    } finally {
      execFileSync('umount', [folder]);
    }
  });

  function mount(folder: string): boolean {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' });
      return true;
    } catch (error) {
      if (error instanceof Error) return false;
      throw error;
    }
  }
});
