import { expect, test } from '@playwright/test';
import { DriverError } from '../../drivers/driver.ts';
import type { Trial } from '../model/trial.ts';
import {
  aBenchmark,
  aCase,
  aCompletion,
  aFoundDevice,
  aJob,
  aMissingDevice,
  aPlan,
  aResult,
  aTrial,
} from '../testing/builders.ts';
import {
  aJobInEachBlock as jobs,
  aScene,
  collect,
  type PageScript,
} from '../testing/runner-scene.ts';
import type { RunListener } from './listener.ts';
import { judgedLate, MachineSpeeds } from './quarantine.ts';

const repeating = { repeatQuarantined: true };

/** A trial whose reference work took so long a round; all of its window may have been slow. */
function aTrialAt(
  roundNs: number,
  changes: Partial<Trial['job']> = {},
  { disturbed = 0, iterations = 20, calmNs = 0 } = {},
): Trial {
  const timed = Array.from({ length: iterations }, () => 1);
  const steadyState = {
    firstMs: 1,
    steadyAfterMs: 1,
    noisy: false,
    disturbed: timed.slice(0, disturbed).map((_, i) => i),
    // While the window was slow, a round took twice as long.
    reference: { windowMs: 2e-3 * roundNs, rounds: 1000, roundNs, ...(calmNs > 0 && { calmNs }) },
    windowAtMs: 1,
    warmUpEndMs: [],
    segments: [],
  };
  return aTrial(aJob(changes), aCompletion({ result: aResult(timed, { steadyState }) }));
}

const quarantined = (speeds: MachineSpeeds, ...trials: readonly Trial[]): readonly boolean[] =>
  trials
    .map((trial) => speeds.judge(trial).outcome)
    .map((outcome) => outcome.kind === 'completed' && outcome.quarantine.length > 0);

test('quarantines a trial in which the machine was slower than in an earlier one', () => {
  const trials = [1, 1.05, 1.5, 0.9, 1].map((roundNs) => aTrialAt(roundNs));
  expect(quarantined(new MachineSpeeds(repeating), ...trials)).toEqual([
    false,
    false,
    true,
    false,
    true,
  ]);
  const speeds = new MachineSpeeds(repeating);
  speeds.judge(aTrialAt(1));
  expect(speeds.judge(aTrialAt(1.5)).outcome).toMatchObject({
    quarantine: [expect.stringMatching(/1\.50 times/)],
  });
});

test('without repeats a trial on a slow machine counts, and the machine’s own speed is known', () => {
  const speeds = new MachineSpeeds({ repeatQuarantined: false });
  expect(quarantined(speeds, aTrialAt(1), aTrialAt(1.5))).toEqual([false, false]);
  expect(speeds.ownRoundNs(aJob())).toBe(1);
});

test('a window that was slow almost throughout is judged by the speed that it had', () => {
  expect(
    quarantined(new MachineSpeeds(repeating), aTrialAt(1), aTrialAt(1, {}, { disturbed: 19 })),
  ).toEqual([false, true]);
  expect(
    quarantined(new MachineSpeeds(repeating), aTrialAt(1), aTrialAt(1, {}, { disturbed: 10 })),
  ).toEqual([false, false]);
});

/** Blocks whose trials are set aside once the first blocks are over, of trials with these readings. */
const lateBlocks = (readings: readonly number[], repeatQuarantined = true): readonly number[] => {
  const trials = readings.map((roundNs, block) => aTrialAt(roundNs, { block, ordinal: block }));
  const plan = { ...aPlan(jobs(readings.length), [aFoundDevice('one')]), repeatQuarantined };
  return judgedLate(plan, trials).map(({ job }) => job.block);
};

test('the first trials of a case are judged when the first blocks are over', () => {
  expect(lateBlocks([1.5, 1, 1.02, 1.2, 1])).toEqual([0, 3]);
  // A single one may be faster than the machine can be.
  expect(lateBlocks([0.5, 1, 1, 1.02, 1])).toEqual([]);
  // Later ones are judged by those before them.
  expect(lateBlocks([1, 1, 1, 1, 1, 1.5])).toEqual([]);
  expect(lateBlocks([1.5, 1, 1], false)).toEqual([]);
  const slow = aTrialAt(1.5, { ordinal: 0 });
  const others = [1, 2].map((ordinal) => aTrialAt(1, { ordinal, block: ordinal }));
  const plan = aPlan(jobs(3), [aFoundDevice('one')]);
  const [late] = judgedLate(plan, [slow, ...others]);
  expect(late!.outcome).toMatchObject({
    quarantine: [expect.stringMatching(/1\.50 times as slow as in other trials/)],
  });
  expect(judgedLate(plan, [late!, ...others])).toEqual([]);
});

test('a trial is judged by the speed beside the iterations that count', () => {
  const trials = [aTrialAt(1), aTrialAt(1, {}, { disturbed: 8, calmNs: 1.1 })];
  expect(quarantined(new MachineSpeeds(repeating), ...trials)).toEqual([false, true]);
});

test('a machine that stays slow is the machine that there is', () => {
  const trials = [1, 2, 2, 2, 2, 2, 2, 2.1, 1, 2].map((roundNs) => aTrialAt(roundNs));
  expect(quarantined(new MachineSpeeds(repeating), ...trials)).toEqual([
    ...[false, true, true, true, true, true, false, false, false, true],
  ]);
});

test('the machine’s own speed is that of the fastest tenth of a case on a device', () => {
  const speeds = new MachineSpeeds(repeating);
  expect(speeds.ownRoundNs(aJob())).toBeNull();
  const others = [aTrialAt(1), aTrialAt(3, { case: aCase(2) }), aTrialAt(3, { deviceId: 'two' })];
  expect(quarantined(speeds, ...others)).toEqual([false, false, false]);
  expect(speeds.ownRoundNs(aJob())).toBe(1);
  expect(speeds.ownRoundNs(aJob({ deviceId: 'two' }))).toBe(3);
  // One that is faster than the machine can be counts until there are ten.
  for (const roundNs of [1, 1, 1, 1, 1, 1, 1, 0.5]) speeds.judge(aTrialAt(roundNs));
  expect(speeds.ownRoundNs(aJob())).toBe(0.5);
  speeds.judge(aTrialAt(1));
  expect(speeds.ownRoundNs(aJob())).toBe(1);
});

test('calls of seconds, beside which it was read twice, are not judged by it', () => {
  const trials = [1, 2].map((roundNs) => aTrialAt(roundNs, {}, { iterations: 2 }));
  expect(quarantined(new MachineSpeeds(repeating), ...trials)).toEqual([false, false]);
});

test('trials without the reference work are not judged', () => {
  const speeds = new MachineSpeeds(repeating);
  const without = aTrial(aJob(), aCompletion());
  expect(speeds.judge(without)).toBe(without);
});

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

test('pages of one benchmark that end badly leave out that benchmark, and no sound one beside it', async () => {
  const trials = await withHostile([...Array(3).fill('hostile'), 'sound', 'sound', 'hostile']);
  expect(trials.map(({ outcome }) => outcome.kind)).toEqual([
    ...['failed', 'failed', 'failed', 'completed', 'completed', 'skipped'],
  ]);
  expect(trials.at(-1)?.outcome).toMatchObject({
    reason: expect.stringMatching(/3 trials of hostile in a row ended badly on one.*no route/),
  });
});

test('a target is set aside after bad trials of three benchmarks, and the others go on', async () => {
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
  expect(quarantined).toEqual(['bad']);
});

test('a target whose browser does not start is set aside after three trials of whatever', async () => {
  const { equipment } = aScene(['completes'], {
    startSession: () => Promise.reject(new DriverError('launch-failed', 'no such file')),
  });
  const trials = await collect(aPlan(jobs(5), [aFoundDevice('one')]), equipment);
  expect(trials.map(({ outcome }) => outcome.kind)).toEqual([
    ...['failed', 'failed', 'failed', 'skipped', 'skipped'],
  ]);
});
