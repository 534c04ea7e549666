import { expect, test } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { renderComparison } from '../../../reports/comparison.ts';
import { describeRun } from '../analysis/findings.ts';
import type { RunRecord } from '../model/run.ts';
import type { Reading } from '../model/reading.ts';
import { OwnClock } from '../run/own-clock.ts';
import { ProbeWatch } from '../run/probe-watch.ts';
import { listEndpoints } from '../server/api/app.ts';
import { openStore } from '../store/store.ts';
import { aTestApi } from '../../testing/api.ts';
import {
  aCompletion,
  aFoundDevice,
  aJob,
  aRecord,
  aResult,
  aTrial,
} from '../../testing/builders.ts';
import { parts, record as bundled, trials, writePages } from '../../testing/bundle-example.ts';
import { aFolder } from '../../testing/folder.ts';
import { unpackArchive } from '../../features/bundles/bundle/archive.ts';
import { bundleLimits } from '../../features/bundles/bundle/format.ts';
import { readBundle } from '../../features/bundles/bundle/read.ts';
import { writeBundle } from '../../features/bundles/bundle/write.ts';
import { packRun } from '../../features/bundles/exchange/pack.ts';
import { parseRunDocument } from '../../features/bundles/exchange/read.ts';
import { declareProbe } from './declare-probe.ts';
import { chooseProbes, optInProbes, probes } from './index.ts';

/** All parts of a new probe. */
const fan = declareProbe({
  name: 'fan-speed',
  values: {
    rpm: { title: 'Speed of the fan', unit: '1/min', schema: z.number().min(0) },
    celsius: { title: 'Heat', unit: '°C', schema: z.array(z.number()).max(100) },
    sensor: { title: 'Sensor', unit: null, schema: z.string().nullable() },
  },
  supports: () => ({ supported: true }),
  attach: () => ({
    start: () => undefined,
    stop: () => undefined,
    collect: () => ({
      values: { rpm: 1234.5, celsius: [41.5, 63.25, 50], sensor: '<b>k10temp</b>' },
      costMs: 0.25,
    }),
    detach: () => undefined,
  }),
});

const absent = declareProbe({
  name: 'power',
  values: { watts: { title: 'Power', unit: 'W', schema: z.number() } },
  supports: () => ({ supported: false, because: 'this machine has no power meter' }),
  attach: () => {
    throw new Error('it is not supported');
  },
});

/** Reads both as the farm reads any probe. */
async function watch(): Promise<readonly Reading[]> {
  const session = { processTree: () => [] } as unknown as ConstructorParameters<
    typeof ProbeWatch
  >[2]['session'];
  const all = [fan, absent].flatMap(({ create }) => (create === undefined ? [] : [create()]));
  const one = new ProbeWatch(all, 'chromium', { session, clock: new OwnClock() });
  one.attach();
  one.onStart();
  one.onEnd();
  const readings = await one.collect();
  expect(one.detach()).toEqual([]);
  return readings;
}

async function aWatchedRun(): Promise<RunRecord> {
  const completion = aCompletion({ result: aResult([1, 2]), readings: await watch() });
  return aRecord([aFoundDevice('one')], [aTrial(aJob({ deviceId: 'one' }), completion)]);
}

function readingsOf({ trials: [trial] }: Pick<RunRecord, 'trials'>): readonly Reading[] {
  if (trial?.outcome.kind !== 'completed') throw new Error('the trial did not complete');
  return trial.outcome.readings;
}

const expected = [
  { probe: 'power', notSupported: 'this machine has no power meter' },
  {
    probe: 'fan-speed',
    values: {
      rpm: { title: 'Speed of the fan', unit: '1/min', value: 1234.5 },
      celsius: { title: 'Heat', unit: '°C', value: [41.5, 63.25, 50] },
      sensor: { title: 'Sensor', unit: null, value: '<b>k10temp</b>' },
    },
    costMs: 0.25,
  },
];

test('stores a declared probe, reads it back, answers it by the API', async () => {
  const api = await aTestApi();
  const { run, presences, jobs, trials: all } = await aWatchedRun();
  const id = await api.store.createRun({ ...run, presences, jobs });
  for (const trial of all) await api.store.writeTrial(id, trial);
  await api.store.finishRun(id, 'finished', '2026-11-24T00:00:00.000Z');
  expect(readingsOf((await api.store.readRun(id))!)).toEqual(expected);

  const listed = await api.get(`/api/v1/trials?run=${String(id)}`);
  const { trial } = listed.json<{ trials: { trial: number }[] }>().trials[0]!;
  const response = await api.get(`/api/v1/trials/${String(trial)}/readings`);
  expect(response.json()).toEqual({ trial, readings: expected });
  const { answer } = listEndpoints(api.sources).find(({ url }) => url.endsWith(':id/readings'))!;
  expect(answer.safeParse(response.json()).error?.issues).toBeUndefined();
  await api.close();
});

test('an exported run holds its reading, and another farm stores the run', async () => {
  const document = packRun(await aWatchedRun(), 'an identity');
  expect(document.format).toBe(2);
  const foreign = parseRunDocument(JSON.stringify(document));
  expect(readingsOf(foreign.record)).toEqual(expected);
  const store = await openStore(test.info().outputPath('other.db'));
  const [stored] = await store.importRuns(Readable.from([foreign]));
  expect(readingsOf((await store.readRun(stored!.run))!)).toEqual(expected);
  await store.close();
});

test("exports a run of built-in probes in the older farms' format", () => {
  const trial = aTrial(aJob({ deviceId: 'one' }), [1]);
  expect(packRun(aRecord([aFoundDevice('one')], [trial]), 'an identity').format).toBe(1);
});

test('a bundle holds its reading, and says so by its format', async () => {
  const folder = await aFolder();
  const path = join(folder, 'out.zip');
  const [first, ...others] = trials;
  const watched = { ...first!, outcome: aCompletion({ readings: await watch() }) };
  const record = { ...bundled, trials: [watched, ...others] };
  await writeBundle(path, { ...parts(await writePages(folder)), record });
  const manifest = unpackArchive(await readFile(path), bundleLimits).get('bundle.json')!;
  expect(JSON.parse(Buffer.from(manifest).toString())).toMatchObject({ format: 3 });
  expect(readingsOf(await readBundle(path))).toEqual(expected);
});

test('a report shows its values with their titles and units', async () => {
  const record = await aWatchedRun();
  const writing = { writtenAt: '2026-11-24T00:00:00.000Z', farmVersion: '0.0.0' };
  const page = await renderComparison(describeRun(record, writing));
  const text = page
    .replace(/<script.*?<\/script>|<[^>]*>/gs, ' ')
    .replace(/[\s\u00a0\u202f]+/g, ' ');
  expect(text).toContain('Speed of the fan 1,235 1/min');
  expect(text).toContain('Heat 41.5 °C to 63.3 °C');
  expect(text).toContain('Sensor &lt;b&gt;k10temp&lt;/b&gt;');
  expect(text).toMatch(/power : — not supported.{0,3}this machine has no power meter/);
});

test('a value that its schema refuses fails the reading', () => {
  const wrong = declareProbe({
    name: 'wrong',
    values: { rpm: { title: 'Speed', unit: '1/min', schema: z.number().min(0) } },
    supports: () => ({ supported: true }),
    attach: () => ({
      start: () => undefined,
      stop: () => undefined,
      collect: () => ({ values: { rpm: Number.NaN }, costMs: 0 }),
      detach: () => undefined,
    }),
  });
  const attached = wrong.create!().attach({ browser: 'chromium', processTree: () => [] });
  expect(() => attached.collect()).toThrow(/rpm/);
});

for (const name of ['sched', 'Fan', 'a b', '']) {
  test(`a declared probe cannot be named "${name}"`, () => {
    const attach = (): never => {
      throw new Error('it never watches');
    };
    const supports = () => ({ supported: true }) as const;
    expect(() => declareProbe({ name, values: {}, supports, attach })).toThrow('a probe’s name');
  });
}

test('the registry names each probe once, and knows which are on request', () => {
  const names = probes.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect([...optInProbes().keys()]).toEqual([
    ...['memory', 'main-thread-wait', 'sched', 'trace', 'profile'],
  ]);
  const chosen = chooseProbes({ defaults: false, named: ['sched', 'trace'] });
  expect(chosen.map(({ name }) => name)).toEqual(['sched']);
});
