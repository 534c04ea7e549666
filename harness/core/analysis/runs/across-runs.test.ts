import { expect, test } from '@playwright/test';
import type { Benchmark } from '../../model/case.ts';
import type { Presence } from '../../model/device.ts';
import type { RunRecord } from '../../model/run.ts';
import {
  aBenchmark,
  aCase,
  aFoundDevice,
  aJob,
  aMachine,
  aMissingDevice,
  aQuarantinedTrial,
  aRecord,
  aTrial,
} from '../../../testing/builders.ts';
import { describeRuns, type Baseline } from './across-runs.ts';

const writing = { writtenAt: '2026-01-02T00:00:00.000Z', farmVersion: '0.1.0' };

interface Side {
  readonly id: string;
  readonly version?: string;
  /** Centre of its values, in ms. */
  readonly ms: number;
  readonly flags?: readonly string[];
}

interface SomeRun {
  readonly run: number;
  readonly sides: readonly Side[];
  readonly trials?: number;
  readonly benchmark?: Benchmark;
}

function presenceOf({ id, version = '1.0', flags = [] }: Side): Presence {
  const found = aFoundDevice(id, { flags });
  return { ...found, target: { ...found.target, browser: { name: id, version } } };
}

/** A run of one case on each side, `trials` blocks long, with a little spread. */
function aRun({ run, sides, trials = 6, benchmark = aBenchmark }: SomeRun): RunRecord {
  const presences = sides.map(presenceOf);
  const all = sides.flatMap(({ id, ms, version = '1.0' }, side) =>
    Array.from({ length: trials }, (_, block) => {
      const ordinal = block * sides.length + side;
      const job = aJob({ ordinal, block, deviceId: id, case: aCase(12, 'asyncFib', benchmark) });
      const trial = aTrial(job, [ms * (1 + 0.003 * ((block * 7 + side * 3 + run) % 5))]);
      return { ...trial, browser: { name: id, version } };
    }),
  );
  const record = aRecord(presences, all);
  return { ...record, run: { ...record.run, id: run } };
}

const told = (records: readonly RunRecord[], baseline?: Baseline) =>
  describeRuns(records, { ...writing, ...(baseline && { baseline }) });

const yesterday = aRun({
  run: 3,
  sides: [
    { id: 'chromium', ms: 10 },
    { id: 'firefox', ms: 30, version: '152.0' },
  ],
});

const today = aRun({
  run: 5,
  sides: [
    { id: 'chromium', ms: 10 },
    { id: 'firefox', ms: 36, version: '153.0' },
  ],
});

test('compares every device of every run, also with itself across runs', () => {
  const { title, targets, rows, runs } = told([yesterday, today]);
  expect(title).toBe('Runs 3 and 5: quick');
  expect(runs.map(({ id }) => id)).toEqual([3, 5]);
  expect(targets.map(({ id, name, run }) => [id, name, run])).toEqual([
    ['chromium@3', 'chromium, run 3', 3],
    ['chromium@5', 'chromium, run 5', 5],
    ['firefox@3', 'firefox 152.0, run 3', 3],
    ['firefox@5', 'firefox 153.0, run 5', 5],
  ]);
  expect(rows).toHaveLength(1);
  expect(rows[0]!.cells.map(({ targetId }) => targetId)).toEqual(targets.map(({ id }) => id));
  expect(rows[0]!.cells.every((cell) => cell.kind === 'measured' && cell.trials === 6)).toBe(true);
});

test('reports a slower build by the trials of both runs', () => {
  const { verdicts } = told([yesterday, today]);
  expect(verdicts).toMatchObject({ baselineRun: 3, baselineTargetId: null });
  const [chromium, firefox] = verdicts.pairs;
  expect(firefox).toMatchObject({
    a: { targetId: 'firefox@5' },
    b: { targetId: 'firefox@3' },
    verdict: 'slower',
    discovery: true,
    blocks: 0,
    unpaired: { trials: [6, 6] },
  });
  expect(firefox!.ratio).toBeCloseTo(1.2, 1);
  expect(chromium!.verdict).not.toBe('slower');
  expect(verdicts.pairs).toHaveLength(2);
});

test('takes the run that is named first as the baseline', () => {
  const { verdicts } = told([today, yesterday]);
  expect(verdicts.baselineRun).toBe(5);
  expect(verdicts.pairs[1]).toMatchObject({ a: { targetId: 'firefox@3' }, verdict: 'faster' });
});

test('compares targets of the baseline’s run in blocks, and others by their trials', () => {
  const { verdicts } = told([yesterday, today], { kind: 'target', targetId: 'chromium@3' });
  const byId = new Map(verdicts.pairs.map((pair) => [pair.a.targetId, pair]));
  expect([...byId.keys()].toSorted()).toEqual(['chromium@5', 'firefox@3', 'firefox@5']);
  expect(byId.get('firefox@3')).toMatchObject({ blocks: 6, verdict: 'slower' });
  expect(byId.get('firefox@3')).not.toHaveProperty('unpaired');
  expect(byId.get('firefox@5')).toMatchObject({ unpaired: { trials: [6, 6] }, verdict: 'slower' });
});

test('compares runs without a common device with the first target', () => {
  const other = aRun({ run: 7, sides: [{ id: 'webkit', ms: 20 }] });
  const { verdicts } = told([aRun({ run: 3, sides: [{ id: 'chromium', ms: 10 }] }), other]);
  expect(verdicts).toMatchObject({ baselineTargetId: 'chromium@3' });
  expect(verdicts.pairs[0]).toMatchObject({ a: { targetId: 'webkit@7' }, verdict: 'slower' });
});

test('gives a ratio and no verdict for three trials of each', () => {
  const few = (run: number, ms: number) =>
    aRun({ run, sides: [{ id: 'chromium', ms }], trials: 3 });
  const { verdicts, rows } = told([few(1, 10), few(2, 20)]);
  expect(verdicts.pairs[0]).toMatchObject({
    verdict: 'undecided',
    because: 'too-few-trials',
    low: null,
  });
  expect(rows[0]!.cells.map((cell) => cell.kind)).toEqual(['measured', 'measured']);
});

test('keeps results of two versions of a benchmark apart, with a caution', () => {
  const changed = { ...aBenchmark, version: 2 };
  const newer = aRun({ run: 5, sides: [{ id: 'chromium', ms: 40 }], benchmark: changed });
  const { rows, verdicts, cautions, benchmarks } = told([yesterday, newer]);
  expect(rows.map(({ benchmark, cells }) => [benchmark, cells.map((one) => one.targetId)])).toEqual(
    [
      ['fib (version 1)', ['chromium@3', 'firefox@3']],
      ['fib (version 2)', ['chromium@5']],
    ],
  );
  expect(rows.every(({ command }) => command.includes('--bench fib --param'))).toBe(true);
  expect(rows[0]!.command).toMatch(/ --device chromium,firefox --trials \d+ --isolation session$/);
  expect(benchmarks.map(({ version }) => version)).toEqual([1, 2]);
  expect(verdicts.pairs).toEqual([]);
  expect(cautions.join('\n')).toMatch(/fib.* 1 in run 3.* 2 in run 5.*apart/);
});

test('lists builds, flags and machines that differ, and not those that are equal', () => {
  const elsewhere = {
    ...aRun({
      run: 5,
      sides: [{ id: 'chromium', ms: 10, version: '2.0', flags: ['--single-threaded'] }],
    }),
  };
  const machine = { ...aMachine, hostname: 'lab', logicalCores: 16 };
  const moved = { ...elsewhere, run: { ...elsewhere.run, machine } };
  const { between, cautions } = told([yesterday, moved]);
  const labels = between!.map(({ label }) => label);
  expect(labels).toEqual(
    expect.arrayContaining(['Build of chromium', 'Start of chromium', 'Machine', 'Processor']),
  );
  expect(labels).not.toContain('Memory');
  expect(between!.find(({ label }) => label === 'Build of firefox')!.texts).toEqual([
    'firefox 152.0',
    'not in this run',
  ]);
  const touches = (label: string) => between!.find((one) => one.label === label)!.targetIds;
  expect(touches('Start of chromium')).toEqual(['chromium@3', 'chromium@5']);
  expect(touches('Processor')).toEqual(['chromium@3', 'firefox@3', 'chromium@5']);
  const text = cautions.join('\n');
  expect(text).toMatch(/different machines.*run 3 on bench.*run 5 on lab/);
  expect(text).toMatch(/not started.*same way.*: chromium\./i);
});

test('uses unchanged builds as the control, whether they differ or not', () => {
  const quiet = told([yesterday, today]).cautions.join('\n');
  expect(quiet).toMatch(/ 1 .*build with itself.*no difference/);
  const busy = aRun({
    run: 5,
    sides: [
      { id: 'chromium', ms: 13 },
      { id: 'firefox', ms: 36, version: '153.0' },
    ],
  });
  expect(told([yesterday, busy]).cautions.join('\n')).toMatch(
    /1 of 1 .*build with itself.* difference.*something else than a browser/,
  );
});

test('names the run of a caution, and gives a common one once', () => {
  const interrupted = { ...today, run: { ...today.run, status: 'interrupted' as const } };
  const [kvm] = [yesterday, interrupted].map((record) => ({
    ...record,
    run: { ...record.run, machine: { ...aMachine, virtualization: 'kvm' } },
  }));
  const { cautions } = told([
    kvm!,
    { ...interrupted, run: { ...interrupted.run, machine: kvm!.run.machine } },
  ]);
  expect(cautions.filter((one) => one.includes('The machine is a kvm'))).toEqual([
    expect.stringMatching(/^In all of the runs: /),
  ]);
  expect(cautions.join('\n')).toMatch(/^Run 5: The run is interrupted/m);
});

test('reports an empty run next to a whole one without comparing them', () => {
  const planned = { ...today, trials: [] };
  const { rows, verdicts, cautions, targets } = told([yesterday, planned]);
  expect(rows[0]!.cells[1]).toEqual({
    kind: 'missing',
    targetId: 'chromium@5',
    why: 'not run yet',
  });
  expect(verdicts.pairs).toEqual([]);
  expect(targets).toHaveLength(4);
  expect(cautions.join(' ')).not.toContain('build with itself');
  const nothing = { ...aRecord([], []), run: { ...today.run, id: 9 } };
  expect(told([nothing, { ...nothing, run: { ...nothing.run, id: 10 } }]).rows).toEqual([]);
});

test('decides nothing between runs by quarantined trials', () => {
  const spoilt = { ...today, trials: today.trials.map(({ job }) => aQuarantinedTrial(job, [50])) };
  const { verdicts, rows, cautions } = told([yesterday, spoilt]);
  const [, , , cell] = rows[0]!.cells;
  expect(cell).toMatchObject({ kind: 'measured', centre: 50, fromQuarantined: true });
  expect(verdicts.pairs).toEqual([]);
  expect(cautions.join('\n')).toMatch(/Run 5: 12 of 12 .*excluded/);
});

test('lists a device missing in one run outside the table', () => {
  const gone = { ...today, presences: [...today.presences, aMissingDevice('safari')] };
  const { targets, rows } = told([yesterday, gone]);
  expect(targets.find(({ id }) => id === 'safari@5')).toMatchObject({ status: 'missing', run: 5 });
  expect(rows[0]!.cells.map(({ targetId }) => targetId)).not.toContain('safari@5');
});

test('gives the same findings for the same records', () => {
  expect(told([yesterday, today])).toEqual(told([yesterday, today]));
});
