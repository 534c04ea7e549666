import { expect, test } from '@playwright/test';
import type { Presence } from '../../../core/model/device.ts';
import type { Trial } from '../../../core/model/trial.ts';
import {
  aCase,
  aFoundDevice,
  aJob,
  aQuarantinedTrial,
  aRecord,
  aTrial,
} from '../../../testing/builders.ts';
import { rebuildTables, type Study } from './rebuild.ts';

const asyncFib = { function: 'asyncFib', n: 20 };
const syncFib = { function: 'syncFib', n: 20 };

const study: Study = {
  section: 'T',
  title: 'A study for tests',
  source: 'nobody',
  benchmark: 'fib',
  columns: ['n = 20', 'n = 21'],
  groups: [
    {
      label: 'asynchronous',
      unit: 'µs',
      published: ['12', null],
      products: ['node', 'deno', 'safari'],
      cells: [{ quantity: 'duration', parameters: asyncFib, factor: 1000 }, null],
    },
    {
      label: 'asynchronous / synchronous',
      unit: '×',
      published: [null, null],
      products: ['node'],
      cells: [{ quantity: 'duration', parameters: asyncFib, over: syncFib }, null],
    },
  ],
  note: '',
};

const devices: readonly Presence[] = [
  aFoundDevice('node', { browser: 'node' }),
  aFoundDevice('node22', { browser: 'node' }),
  aFoundDevice('deno', { browser: 'deno' }),
];

function trialsOf(deviceId: string, fn: string, values: readonly number[]): readonly Trial[] {
  return values.map((value, block) =>
    aTrial(aJob({ deviceId, case: aCase(20, fn), block, ordinal: block }), [value]),
  );
}

test('makes a row for each device of a product, in the unit of the source', () => {
  const trials = [
    ...trialsOf('node', 'asyncFib', [1, 2, 3]),
    ...trialsOf('node22', 'asyncFib', [5, 5, 5]),
  ];
  const [table] = rebuildTables(aRecord(devices, trials), [study]);
  const [levels] = table?.groups ?? [];
  expect(levels?.published).toEqual(['12', null]);
  expect(levels?.rows.map(({ targetId }) => targetId)).toEqual(['node', 'node22']);
  expect(levels?.rows[0]?.cells).toEqual([{ value: 2000, low: null, high: null, trials: 3 }, null]);
});

test('takes a ratio within blocks, and leaves out a block with one side', () => {
  const trials = [
    ...trialsOf('node', 'asyncFib', [10, 20, 30]),
    ...trialsOf('node', 'syncFib', [1, 2]),
  ];
  const [table] = rebuildTables(aRecord(devices, trials), [study]);
  const cell = table?.groups[1]?.rows[0]?.cells[0];
  expect(cell).toMatchObject({ value: expect.closeTo(10, 9) as unknown, trials: 2 });
});

test('takes a ratio against another browser within blocks, and none without that browser', () => {
  const cell = { quantity: 'duration', parameters: asyncFib, against: 'deno' } as const;
  const group = { ...study.groups[1]!, label: 'Node.js / Deno', cells: [cell, null] };
  const apart = { ...study, groups: [group] };
  const [node, deno] = [
    trialsOf('node', 'asyncFib', [10, 20, 30]),
    trialsOf('deno', 'asyncFib', [5, 10]),
  ];
  const [table] = rebuildTables(aRecord(devices, [...node, ...deno]), [apart]);
  expect(table?.groups[0]?.rows).toHaveLength(1);
  const ratio = { value: expect.closeTo(2, 9) as unknown, trials: 2 };
  expect(table?.groups[0]?.rows[0]?.cells[0]).toMatchObject(ratio);
  expect(rebuildTables(aRecord(devices, node), [apart])).toEqual([]);
});

test('makes no table from a run that has some of its cases for other reasons', () => {
  const about = { ...study, onlyWith: syncFib };
  const trials = trialsOf('node', 'asyncFib', [1, 2, 3]);
  expect(rebuildTables(aRecord(devices, trials), [about])).toEqual([]);
  const whole = [...trials, ...trialsOf('node', 'syncFib', [1])];
  expect(rebuildTables(aRecord(devices, whole), [about])).toHaveLength(1);
  const settled = { ...study, notWith: syncFib };
  expect(rebuildTables(aRecord(devices, whole), [settled])).toEqual([]);
  expect(rebuildTables(aRecord(devices, trials), [settled])).toHaveLength(1);
});

function ofBenchmark(id: string, trial: Trial): Trial {
  const { job } = trial;
  const benchmark = { ...job.case.benchmark, id };
  return { ...trial, job: { ...job, case: { ...job.case, benchmark } } };
}

test('says of a cell whose trials all failed why, and of one with a number nothing', () => {
  const failing = (message: string): readonly Trial[] => [
    aTrial(aJob({ deviceId: 'node', case: aCase(20, 'asyncFib') }), {
      kind: 'failed',
      failure: { code: 'page-error', message },
    }),
  ];
  const cellOf = (message: string, others: readonly Trial[]): unknown => {
    const trials = [...failing(message), ...trialsOf('deno', 'asyncFib', [1]), ...others];
    const [table] = rebuildTables(aRecord(devices, trials), [study]);
    return table?.groups[0]?.rows.find(({ targetId }) => targetId === 'node')?.cells[0];
  };
  const memory = 'Only 410 of 1000 threads started: out of memory: 5 MiB were left';
  expect(cellOf(memory, [])).toEqual({ failed: 'out of memory', trials: 1 });
  expect(cellOf('It threw', [])).toEqual({ failed: 'failed', trials: 1 });
  const other = trialsOf('node', 'asyncFib', [1]).map((trial) => ofBenchmark('other', trial));
  expect(cellOf('It threw', other)).toEqual({ failed: 'failed', trials: 1 });
  expect(cellOf(memory, trialsOf('node', 'asyncFib', [1]))).toMatchObject({
    trials: 1,
    value: 1000,
  });
});

test('ignores other cases, quarantined trials and other benchmarks', () => {
  const job = aJob({ deviceId: 'node', case: aCase(20, 'asyncFib') });
  const quarantined = [aQuarantinedTrial(job, [4])];
  const smaller = [aTrial(aJob({ deviceId: 'node', case: aCase(12, 'asyncFib') }), [1])];
  expect(rebuildTables(aRecord(devices, [...quarantined, ...smaller]), [study])).toEqual([]);
  const other = { ...study, benchmark: 'promise' };
  expect(rebuildTables(aRecord(devices, trialsOf('node', 'asyncFib', [1])), [other])).toEqual([]);
});
