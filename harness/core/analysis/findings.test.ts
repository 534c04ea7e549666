import { test, expect } from '@playwright/test';
import type { CoreReading, ThreadReading } from '../model/reading.ts';
import type { Trial } from '../model/trial.ts';
import {
  aBenchmark,
  aCase,
  aCompletion,
  aFoundDevice,
  aJob,
  aMissingDevice,
  aRecord,
  aResult,
  aSteadyState,
  aTrial,
} from '../../testing/builders.ts';
import { coreTimeline, summarizeThreads } from './cpu.ts';
import { describeRun } from './findings.ts';

const writing = { writtenAt: '2026-01-02T00:00:00.000Z', farmVersion: '0.1.0' };
const jobAt = (block: number, deviceId: string, n = 12) =>
  aJob({ ordinal: block, block, deviceId, case: aCase(n) });

test('a cell is the median of trial medians with interval and coverage', () => {
  const trials = [
    [1, 9, 2],
    [4, 4, 4],
    [3, 3, 100],
  ].map((timed, block) => aTrial(jobAt(block, 'one'), timed));
  const { rows } = describeRun(aRecord([aFoundDevice('one')], trials), writing);
  expect(rows).toHaveLength(1);
  expect(rows[0]?.cells[0]).toMatchObject({
    kind: 'measured',
    centre: 3,
    low: 2,
    high: 4,
    confidence: 0.75,
    trials: 3,
    values: [2, 4, 3],
    resolution: 0.005,
  });
});

test('repeats inside an iteration make the resolution finer', () => {
  const outcome = {
    kind: 'completed',
    result: aResult([1], { repeats: 10 }),
    readings: [],
    quarantine: [],
  } as const;
  const { rows } = describeRun(
    aRecord([aFoundDevice('one')], [aTrial(jobAt(0, 'one'), outcome)]),
    writing,
  );
  expect(rows[0]?.cells[0]).toMatchObject({ resolution: 0.0005 });
});

test('iterations that differ make it finer, and a single outlier does not', () => {
  const resolutionOf = (timed: readonly number[]) => {
    const result = aResult(timed, { steadyState: aSteadyState() });
    const trial = aTrial(jobAt(0, 'one'), aCompletion({ result }));
    const { rows } = describeRun(aRecord([aFoundDevice('one')], [trial]), writing);
    const [cell] = rows[0]?.cells ?? [];
    return cell?.kind === 'measured' ? cell.resolution : null;
  };
  const alike = Array.from({ length: 99 }, () => 1);
  expect(resolutionOf([...alike, 1])).toBeCloseTo(0.005, 9);
  expect(resolutionOf([...alike, 90])).toBeCloseTo(0.005, 9);
  const twoSteps = alike.map((one, index) => (index % 3 === 0 ? one + 0.005 : one));
  expect(resolutionOf([...twoSteps, 1])).toBeCloseTo(0.0005, 9);
});

test('gives a reason for an empty cell and lists missing devices once', () => {
  const skipped = aTrial(jobAt(0, 'gone'), {
    kind: 'skipped',
    reason: 'gone is not installed',
    remedy: 'get it',
  });
  const failed = aTrial(jobAt(0, 'one'), {
    kind: 'failed',
    failure: { code: 'page-error', message: 'boom' },
  });
  const record = aRecord([aFoundDevice('one'), aMissingDevice('gone')], [failed, skipped]);
  const { rows, troubles, targets } = describeRun(record, writing);
  expect(rows[0]?.cells).toEqual([{ kind: 'missing', targetId: 'one', why: 'failed: boom' }]);
  expect(troubles.map((one) => [one.kind, one.targetId, one.trials])).toEqual([
    ['failed', 'one', 1],
    ['skipped', 'gone', 1],
  ]);
  expect(targets[1]).toMatchObject({ status: 'missing', remedy: 'apt-get install gone' });
});

test('shows a planned cell as "not run yet" in an incomplete run', () => {
  const done = aTrial(jobAt(0, 'one'), [1]);
  const record = aRecord(
    [aFoundDevice('one'), aFoundDevice('two')],
    [done],
    [done.job, jobAt(0, 'two')],
  );
  const { rows, cautions } = describeRun(
    { ...record, run: { ...record.run, status: 'interrupted' } },
    writing,
  );
  expect(rows[0]?.cells[1]).toEqual({ kind: 'missing', targetId: 'two', why: 'not run yet' });
  expect(cautions.join(' ')).toContain('1 of 2 cells have an outcome');
});

test('draws growth over the declared parameter, a curve per other value', () => {
  const trials = [10, 11].flatMap((n) => [aTrial(jobAt(0, 'one', n), [n])]);
  const { growth } = describeRun(aRecord([aFoundDevice('one')], trials), writing);
  expect(growth).toHaveLength(1);
  expect(growth[0]?.points.map((point) => [point.by, point.x, point.y])).toEqual([
    ['asyncFib', 10, 10],
    ['asyncFib', 11, 11],
  ]);
});

test('one more step of one function makes no curve of another', () => {
  const trials = [10, 11].map((n) => aTrial(jobAt(0, 'one', n), [n]));
  const lone = aTrial({ ...jobAt(0, 'one'), ordinal: 9, case: aCase(400, 'syncFib') }, [3]);
  const growthOf = (all: typeof trials): readonly string[] =>
    describeRun(aRecord([aFoundDevice('one')], all), writing).growth.flatMap(({ points }) =>
      points.map(({ by, x }) => `${by} ${String(x)}`),
    );
  expect(growthOf([...trials, lone])).toEqual(['asyncFib 10', 'asyncFib 11']);
  expect(growthOf([trials[0]!, lone])).toEqual([]);
});

test('makes no row of a metric that no trial of the case gave', () => {
  const metrics = [...aBenchmark.metrics, { ...aBenchmark.metrics[0]!, id: 'waiting' }];
  const benchmark = { ...aBenchmark, metrics };
  const job = { ...jobAt(0, 'one'), case: aCase(10, 'asyncFib', benchmark) };
  const metricsOf = (trials: readonly Trial[]): readonly string[] =>
    describeRun(aRecord([aFoundDevice('one')], trials), writing).rows.map(({ metric }) => metric);
  expect(metricsOf([aTrial(job, [1])])).toHaveLength(1);
  expect(
    metricsOf([aTrial(job, { kind: 'failed', failure: { code: 'page-error', message: '' } })]),
  ).toHaveLength(2);
});

test('shows theory next to the measured curves', () => {
  const theory = {
    asyncFib: { perStep: 1.618, label: 'φ' },
    syncFib: { perStep: 1.618, label: 'φ' },
  };
  const benchmark = { ...aBenchmark, growth: { over: 'n', by: 'function', theory } };
  const trials = [10, 11].map((n) =>
    aTrial({ ...jobAt(0, 'one'), ordinal: n, case: aCase(n, 'asyncFib', benchmark) }, [n]),
  );
  const { growth } = describeRun(aRecord([aFoundDevice('one')], trials), writing);
  expect(growth[0]?.theory).toEqual([{ by: 'asyncFib', perStep: 1.618, label: 'φ' }]);
});

test('warns of few trials and of isolation page', () => {
  const record = aRecord([aFoundDevice('one')], [aTrial(jobAt(0, 'one'), [1])]);
  const { cautions } = describeRun(
    { ...record, run: { ...record.run, isolation: 'page' } },
    writing,
  );
  expect(cautions.join(' ')).toMatch(/Isolation page/);
  expect(cautions.join(' ')).toMatch(/Only one trial of each case/);
});

test('the core timeline adds up to the snapshots', () => {
  const reading: CoreReading = {
    probe: 'cpu-core',
    wallMs: 200,
    intervalMs: 20,
    costMs: 1,
    snapshots: [
      { atMs: 0, busyMs: [0, 0], stealMs: [0, 0] },
      { atMs: 100, busyMs: [100, 0], stealMs: [0, 0] },
      { atMs: 200, busyMs: [100, 50], stealMs: [0, 0] },
    ],
  };
  const { busy, sliceMs, costShare } = coreTimeline(reading);
  expect(sliceMs).toBe(50);
  expect(busy).toEqual([
    [1, 1, 0, 0],
    [0, 0, 0.5, 0.5],
  ]);
  expect(costShare).toBe(0.005);
});

test('sums threads to cores busy, JavaScript parallelism and the collector’s share', () => {
  const thread = { pid: 1, tid: 1, process: 'renderer', name: 'x', lastCore: 0 };
  const reading: ThreadReading = {
    probe: 'cpu-thread',
    wallMs: 100,
    costMs: 0.1,
    threads: [
      { ...thread, role: 'js-main', cpuMs: 60 },
      { ...thread, role: 'js-worker', cpuMs: 40 },
      { ...thread, role: 'gc', cpuMs: 100 },
    ],
    timeline: [],
  };
  expect(summarizeThreads(reading, {})).toMatchObject({
    coresBusy: 2,
    javascriptParallelism: 1,
    gcShare: 0.5,
    roles: [
      { role: 'gc', cpuMs: 100 },
      { role: 'js-main', cpuMs: 60 },
      { role: 'js-worker', cpuMs: 40 },
    ],
    timeline: null,
  });
});

test('the reference work between the iterations is not of the page', () => {
  const thread = { pid: 1, tid: 1, process: 'renderer', name: 'x', lastCore: 0 };
  const reading: ThreadReading = {
    probe: 'cpu-thread',
    wallMs: 110,
    costMs: 0.1,
    threads: [
      { ...thread, role: 'js-worker', cpuMs: 60 },
      { ...thread, role: 'gc', cpuMs: 50 },
    ],
    timeline: [],
  };
  const steadyState = {
    firstMs: 1,
    steadyAfterMs: 1,
    noisy: false,
    windowAtMs: 1,
    warmUpEndMs: [],
    segments: [],
    reference: { windowMs: 10, roundNs: 1 },
  };
  const seen = summarizeThreads(reading, { steadyState });
  expect(seen).toMatchObject({ coresBusy: 1, javascriptParallelism: 0.5, gcShare: 0.5 });
  const longest = summarizeThreads(reading, {
    steadyState: { ...steadyState, reference: { windowMs: 200, roundNs: 1 } },
  });
  expect(longest.javascriptParallelism).toBe(0);
});

test('a target says what it emulates, and which preferred drivers were passed over', () => {
  const emulated = aFoundDevice('one', { emulation: { descriptor: 'Pixel 7' } });
  const passedOver = [{ driver: 'playwright', reason: 'it is not installed' }];
  const { targets } = describeRun(aRecord([{ ...emulated, passedOver }], []), writing);
  expect(targets[0]?.notes).toEqual(
    expect.arrayContaining([
      { label: 'emulated', text: expect.stringMatching(/^Pixel 7: .*no number is one of a real/) },
      { label: 'driver', text: expect.stringMatching(/playwright.*it is not installed/) },
    ]),
  );
});
