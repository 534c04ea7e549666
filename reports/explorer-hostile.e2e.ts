/** The explorer on unusual databases: hostile, empty, half finished. */
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import type { Benchmark, Case } from '../harness/core/model/case.ts';
import { openStore, type Store } from '../harness/core/store/store.ts';
import {
  aBenchmark,
  aCompletion,
  aFoundDevice,
  aJob,
  aMachine,
  aRecord,
  aResult,
  aTrial,
} from '../harness/testing/builders.ts';
import { aFolder } from '../harness/testing/folder.ts';
import { hostile, storeNight } from '../harness/testing/stored-history.ts';
import { payload } from './golden/hostile.ts';
import { useExplorer } from './golden/opened-explorer.ts';
import { problemsOfAxe } from './golden/opened-page.ts';
import { expectToFit } from './golden/page-tests.ts';

const anEmptyDatabase = async (): Promise<string> => {
  const path = join(await aFolder(), 'farm.db');
  await (await openStore(path)).close();
  return path;
};

/** One run, in which the payload stands behind every text. */
const aHostileDatabase = async (): Promise<string> => {
  const path = await anEmptyDatabase();
  const store = await openStore(path);
  await storeHostileRun(store, payload);
  await store.close();
  return path;
};

const { complaints, newPage, origin, rows, serveOwn, visit } = useExplorer({
  database: aHostileDatabase,
});

/** A benchmark in which every text is a script, and a case of it for each n. */
function hostileCases(script: string): readonly Case[] {
  const parameter = `mode${script}`;
  const unit = `ms${script}`;
  const benchmark: Benchmark = {
    ...aBenchmark,
    title: `Fibonacci${script}`,
    description: script,
    parameters: [
      { kind: 'choice', name: parameter, values: [`a${script}`, 'b'], default: 'b' },
      { kind: 'integer', name: 'n', minimum: 1, maximum: 40, default: 12 },
    ],
    metrics: [{ id: 'duration', title: `Duration${script}`, unit, direction: 'lower' }],
    growth: { over: 'n', by: parameter },
  };
  return [10, 11].map((n) => ({ benchmark, parameters: { [parameter]: `a${script}`, n } }));
}

/** Two devices whose names and versions are scripts, too. */
function hostilePresences(script: string) {
  const found = aFoundDevice('chromium', { name: `Chromium${script}` });
  const browser = { name: 'chromium', version: `1.2.3${script}` };
  return ['chromium', 'firefox'].map((id) => {
    const device = { ...found.device, id };
    return { ...found, device, target: { ...found.target, device, browser } };
  });
}

/** Stores a run in which all text from outside is a script; its first trial failed. */
async function storeHostileRun(store: Store, script: string): Promise<void> {
  const presences = hostilePresences(script);
  const jobs = hostileCases(script)
    .flatMap((one) => presences.map(({ device }) => ({ case: one, deviceId: device.id })))
    .map((job, ordinal) => aJob({ ...job, ordinal }));
  const { run } = aRecord(presences, []);
  const suite = `quick${script}`;
  const id = await store.createRun({ ...run, machine: aMachine, suite, presences, jobs });
  const result = aResult([], {
    host: { userAgent: script, hardwareConcurrency: 2 },
    samples: [{ metric: 'duration', unit: `ms${script}`, warmUp: [], timed: [1, 2, 3] }],
  });
  const failure = { code: 'page-error', message: script } as const;
  for (const job of jobs) {
    const outcome =
      job.ordinal === 0 ? ({ kind: 'failed', failure } as const) : aCompletion({ result });
    await store.writeTrial(id, aTrial(job, outcome));
  }
  await store.finishRun(id, 'finished', '2026-11-22T02:00:00.000Z');
}

/** No name was run, and none has what cannot be seen. */
async function expectText(page: Page): Promise<void> {
  expect(await page.evaluate(() => Reflect.get(globalThis, 'owned') as unknown)).toBeUndefined();
  await expect(page.locator('body img, body script, a[href^="javascript"]')).toHaveCount(0);
  const text = await page.locator('body').innerText();
  expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202a-\u202e\u2066-\u2069]/);
  expect(text).not.toContain('[31m');
}

test('hostile names everywhere are text, at 320 and 1280 px', async () => {
  const page = await newPage();
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`${origin()}/explore`);
    await expect(rows(page)).toHaveCount(4);
    await expect(page.locator('.fold').first()).toBeVisible();
    for (const summary of await page.locator('summary:visible').all()) await summary.click();
    await expect(page.locator('h1')).toContainText('Fibonacci<script>window.owned=1</script>');
    for (const place of ['#table', '#folds', '#filters', '.legend']) {
      await expect(page.locator(place)).toContainText('<script>window.owned=1</script>');
    }
    await expectText(page);
    await expectToFit(page, [width]);
  }
  expect(complaints()).toEqual([]);
});

test('shows a case with a hostile name and searches its nights', async () => {
  const own = await serveOwn(anEmptyDatabase);
  await storeHostileRun(own.store, hostile);
  await storeHostileRun(own.store, hostile);
  const page = await own.open();
  await rows(page).first().getByRole('link').click();
  await expect(page.locator('#status')).toHaveText('In 2 runs: 4 series.');
  await expect(page.locator('#place')).toContainText('<script>window.owned=1</script>');
  await expect(page.locator('#changes')).toContainText('medians of 2 runs');
  await expectText(page);
  expect(await page.evaluate(() => Reflect.get(globalThis, 'owned') as unknown)).toBeUndefined();
  expect(complaints()).toEqual([]);
});

test('an empty database is reported', async () => {
  const own = await serveOwn(anEmptyDatabase);
  const page = await own.open();
  await expect(page.locator('#status')).toHaveText(/no run yet.*npx crossfarm run\b/);
  expect(await problemsOfAxe(page)).toEqual([]);
  expect(complaints()).toEqual([]);
});

test('a run that has just begun shows its cells without values, as waiting', async () => {
  const own = await serveOwn(anEmptyDatabase);
  const { run, presences } = aRecord([aFoundDevice('chromium'), aFoundDevice('firefox')], []);
  const jobs = presences.map(({ device }, ordinal) => aJob({ ordinal, deviceId: device.id }));
  await own.store.createRun({ ...run, machine: aMachine, presences, jobs });
  const page = await own.open();
  await expect(rows(page)).toHaveCount(2);
  await expect(page.locator('.cautions')).toContainText('2 series have no value yet');
  await expect(page.locator('#live')).toContainText('Run 1 is going on: 0 of 2 trials');
  await expect(page.locator('#folds')).toContainText('What to know of this run');
  expect(complaints()).toEqual([]);
});

test('a half-finished run is shown as far as it got, marked as interrupted', async () => {
  const own = await serveOwn(anEmptyDatabase);
  const night = { startedAt: '2026-11-20T00:00:00.000Z', blocks: 2, finished: false };
  const run = await storeNight(own.store, night);
  await own.store.finishRun(run, 'interrupted', '2026-11-20T01:00:00.000Z');
  const page = await own.open();
  await expect(rows(page)).toHaveCount(12);
  await page.locator('.fold summary', { hasText: 'What to know of this run' }).click();
  await expect(page.locator('#folds')).toContainText('The run is interrupted');
  await expect(page.locator('#run')).toContainText('(interrupted)');
  expect(complaints()).toEqual([]);
});

test('an empty database shows a welcome with the command to run', async () => {
  const own = await serveOwn(anEmptyDatabase);
  const page = await own.visit('/');
  await expect(page.locator('#welcome')).toContainText('npx crossfarm run');
  await expect(page.locator('#runs')).toBeHidden();
  expect(await problemsOfAxe(page)).toEqual([]);
  expect(complaints()).toEqual([]);
  await storeHostileRun(own.store, payload);
  await page.reload();
  await expect(page.locator('#welcome')).toBeHidden();
  await expect(page.locator('#runs tbody tr')).toHaveCount(1);
});

test('hostile names stay text on all pages', async () => {
  for (const path of ['/', '/runs/1', '/trials/1', '/trials/2', '/report?run=1']) {
    const page = await visit(path, { viewport: { width: 390, height: 800 } });
    await expect(page.locator('main')).toContainText('<script>window.owned=1</script>');
    await expect(page.locator('main script, main img')).toHaveCount(0);
    expect(await page.evaluate(() => Reflect.get(globalThis, 'owned') as unknown)).toBeUndefined();
    expect(await page.locator('body').innerText()).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    await expectToFit(page, [390]);
    await page.close();
  }
  expect(complaints().filter((one) => !one.startsWith('blob:'))).toEqual([]);
});
