import { expect, test } from '@playwright/test';
import { DriverError } from '../../../drivers/driver.ts';
import type { Trial } from '../model/trial.ts';
import { aBenchmark, aCase, aFoundDevice, aMissingDevice, aPlan } from '../../testing/builders.ts';
import {
  aJobInEachBlock as jobs,
  aScene,
  collect,
  type PageScript,
} from '../../testing/runner-scene.ts';
import type { RunListener } from './listener.ts';

/** A job in each block, each of another benchmark. */
const ofBenchmarks = (ids: readonly string[], deviceId: string): ReturnType<typeof jobs> =>
  jobs(ids.length, deviceId).map((job) => ({
    ...job,
    case: aCase(12, 'asyncFib', { ...aBenchmark, id: ids[job.ordinal] ?? '' }),
  }));

/** Outcomes on a device whose pages of some benchmarks hang, and those of others complete. */
async function withHostile(ids: readonly string[]): Promise<readonly Trial[]> {
  const scripts = ids.map((id): PageScript => (id === 'hostile' ? 'refuses to open' : 'completes'));
  // Each bad trial is tried twice, and each try opens a page.
  const tried = scripts.flatMap((one) => (one === 'completes' ? [one] : [one, one]));
  const { equipment } = aScene(tried);
  return collect(aPlan(ofBenchmarks(ids, 'one'), [aFoundDevice('one')]), equipment);
}

test('failing pages of one benchmark leave out that benchmark only', async () => {
  const trials = await withHostile([...Array(3).fill('hostile'), 'sound', 'sound', 'hostile']);
  expect(trials.map(({ outcome }) => outcome.kind)).toEqual([
    ...['failed', 'failed', 'failed', 'completed', 'completed', 'skipped'],
  ]);
  expect(trials.at(-1)?.outcome).toMatchObject({
    reason: expect.stringMatching(/3 trials of hostile in a row ended badly on one.*no route/),
  });
});

test('stops measuring a device after bad trials of three benchmarks', async () => {
  const quarantined: string[] = [];
  const listener: RunListener = { onQuarantined: ({ deviceId }) => quarantined.push(deviceId) };
  const { equipment } = aScene(['refuses to open'], { listener });
  const plan = aPlan(
    [...ofBenchmarks(['a', 'b', 'c', 'd', 'a'], 'bad'), ...jobs(1, 'gone')],
    [aFoundDevice('bad'), aMissingDevice('gone')],
  );
  const trials = await collect(plan, equipment);
  expect(trials.map((trial) => trial.outcome.kind)).toEqual([
    'failed',
    'failed',
    'failed',
    'skipped',
    'skipped',
    'skipped',
  ]);
  expect(trials[3]?.outcome).toMatchObject({
    reason: expect.stringContaining('quarantined after trials of 3 benchmarks'),
  });
  expect(trials[3]?.outcome).toMatchObject({
    reason: expect.stringContaining("nor does it open a page of the farm's own: no route"),
  });
  expect(quarantined).toEqual(['bad']);
});

test('keeps measuring a device that opens farm pages when pages fail @attack', async () => {
  const quarantined: string[] = [];
  const listener: RunListener = { onQuarantined: ({ deviceId }) => quarantined.push(deviceId) };
  // Three hostile pages, each tried twice; the control page; a sound page; a hostile one again.
  const hostile = Array<PageScript>(6).fill('dies');
  const { log, equipment } = aScene([...hostile, 'completes', 'completes', 'dies'], { listener });
  const plan = aPlan(ofBenchmarks(['a', 'b', 'c', 'sound', 'a'], 'one'), [aFoundDevice('one')]);
  const trials = await collect(plan, equipment);
  expect(trials.map(({ outcome }) => outcome.kind)).toEqual([
    ...['failed', 'failed', 'failed', 'completed', 'failed'],
  ]);
  expect(quarantined).toEqual([]);
  expect(log.filter((line) => line.startsWith('issue control-page'))).toHaveLength(1);
});

test('leaves out a browser that failed to start three times', async () => {
  const { equipment } = aScene(['completes'], {
    startSession: () => Promise.reject(new DriverError('launch-failed', 'no such file')),
  });
  const trials = await collect(aPlan(jobs(5), [aFoundDevice('one')]), equipment);
  expect(trials.map(({ outcome }) => outcome.kind)).toEqual([
    ...['failed', 'failed', 'failed', 'skipped', 'skipped'],
  ]);
});
