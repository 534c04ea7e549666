import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { aCompletion, aJob, anEnvironment } from '../../testing/builders.ts';
import { aFolder } from '../../testing/folder.ts';
import type { AttemptOutcome } from './attempt.ts';
import { traceTrial, type TracingSetting } from './job.ts';
import type { TraceWish } from './session-keeper.ts';

interface Scene {
  readonly setting: TracingSetting;
  readonly log: string[];
  /** Where the browser was asked to write. */
  readonly asked: () => string | undefined;
  attempt(outcome: AttemptOutcome | Error): (trace?: TraceWish) => Promise<AttemptOutcome>;
}

/** A browser that writes its trace when its session ends, as all do. */
async function aScene(changes: Partial<TracingSetting> = {}, writes = true): Promise<Scene> {
  const log: string[] = [];
  let path: string | undefined;
  const setting: TracingSetting = {
    folder: { root: await aFolder(), run: 1 },
    browser: 'chromium',
    capabilities: [{ name: 'trace', supported: true }],
    isolation: 'session',
    servesPage: () => false,
    signal: new AbortController().signal,
    endSession: async () => {
      log.push('end');
      if (path !== undefined && writes) await writeFile(path, '{}');
    },
    ...changes,
  };
  return {
    setting,
    log,
    asked: () => path,
    attempt: (outcome) => (trace) => {
      log.push('attempt');
      path = trace?.path;
      return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
    },
  };
}

const watched = aCompletion({ readings: [anEnvironment()] });

test('the session ends before the trial, with its trace among the readings', async () => {
  const { setting, attempt, log, asked } = await aScene();
  const outcome = await traceTrial(aJob(), attempt(watched), setting);
  expect(log.slice(0, 2)).toEqual(['attempt', 'end']);
  expect(outcome).toMatchObject({
    readings: [{ probe: 'environment' }, { probe: 'trace', format: 'chrome-trace', costMs: 0 }],
  });
  const trace = outcome.kind === 'completed' && outcome.readings[1];
  expect(trace && 'file' in trace && existsSync(join(setting.folder.root, trace.file))).toBe(true);
  expect(existsSync(asked()!)).toBe(false);
});

test('a trace that did not appear is a reading that says so', async () => {
  const { setting, attempt } = await aScene({}, false);
  const outcome = await traceTrial(aJob(), attempt(watched), setting);
  expect(outcome).toMatchObject({
    readings: [
      { probe: 'environment' },
      { probe: 'trace', notSupported: 'the browser wrote no trace' },
    ],
  });
});

test('a browser that cannot trace is not asked to, and its session goes on', async () => {
  const { setting, attempt, log, asked } = await aScene({ isolation: 'page', browser: 'firefox' });
  const outcome = await traceTrial(aJob(), attempt(watched), setting);
  expect(log).toEqual(['attempt']);
  expect(asked()).toBeUndefined();
  expect(outcome).toMatchObject({ readings: [{}, { probe: 'trace' }] });
});

test('a browser that traces pages goes on after one', async () => {
  const { setting, attempt, log, asked } = await aScene({ isolation: 'page' });
  const outcome = await traceTrial(
    aJob(),
    async (trace) => {
      if (trace?.ofPage === true) await writeFile(trace.path, '{}');
      return attempt(watched)(trace);
    },
    setting,
  );
  expect(log).toEqual(['attempt']);
  expect(asked()).toBeDefined();
  expect(outcome).toMatchObject({ readings: [{}, { probe: 'trace', format: 'chrome-trace' }] });
});

test('an attempt that failed or was given up leaves no trace behind', async () => {
  const failed: AttemptOutcome = {
    kind: 'failed',
    failure: { code: 'page-error', message: 'no luck' },
  };
  const one = await aScene();
  expect(await traceTrial(aJob(), one.attempt(failed), one.setting)).toEqual(failed);
  expect(existsSync(one.asked()!)).toBe(false);

  const other = await aScene();
  const given = traceTrial(aJob(), other.attempt(new Error('given up')), other.setting);
  await expect(given).rejects.toThrow('given up');
  expect(other.log).toContain('end');
  expect(existsSync(other.asked()!)).toBe(false);
});
