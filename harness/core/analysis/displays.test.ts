import { expect, test } from '@playwright/test';
import { makeDisplayReading, otherDisplayReason } from '../model/display.ts';
import type { Metric } from '../model/case.ts';
import { isDrawn } from '../model/measures.ts';
import type { Trial } from '../model/trial.ts';
import {
  aBenchmark,
  aCase,
  aCompletion,
  aDisplay,
  aFoundDevice,
  aJob,
  aRecord,
  aResult,
  aTrial,
} from '../../testing/builders.ts';
import { describeRun } from './findings.ts';
import { describeRuns } from './runs/across-runs.ts';
import { disturbedAmong } from './series.ts';

const timed: Metric = { id: 'duration', title: 'Duration', unit: 'ms', direction: 'lower' };
const painted: Metric = { ...timed, id: 'fcp', title: 'first contentful paint' };
const benchmark = { ...aBenchmark, metrics: [timed, painted] };

/** A trial of a page that paints. */
function aPaint(block: number, display = aDisplay(), quarantine: readonly string[] = []): Trial {
  const samples = [timed, painted].map(({ id, unit }) => {
    return { metric: id, unit, warmUp: [], timed: [10 + block] };
  });
  const readings = [makeDisplayReading(display)];
  const result = aResult([], { samples });
  const job = aJob({ ordinal: block, block, case: aCase(12, 'asyncFib', benchmark) });
  return aTrial(job, aCompletion({ result, readings, quarantine }));
}

const writing = { writtenAt: '2026-01-01T00:00:00.000Z', farmVersion: '1.0.0' };
const gpu = aDisplay({ drawnBy: 'GPU', rasteriser: 'Apple M1' });

function describe(trials: readonly Trial[]) {
  return describeRun(aRecord([aFoundDevice('one')], trials), writing);
}

test('a paint that no GPU drew carries a caution, and a duration none', () => {
  const { rows, cautions, targets } = describe([0, 1].map((block) => aPaint(block)));
  expect(rows.map(({ metric, cells }) => [metric, cells[0]])).toEqual([
    ['duration', expect.not.objectContaining({ drawnBy: 'software' })],
    ['fcp', expect.objectContaining({ drawnBy: 'software' })],
  ]);
  expect(cautions).toContain(
    'first contentful paint in one (SwiftShader): drawn by software, so a GPU may give other times and other differences.',
  );
  expect(targets[0]?.notes).toContainEqual({
    label: 'display',
    text: 'drawn by software (SwiftShader), headless, 1280 × 720 at scale 1',
  });
});

test('a paint of a GPU carries no caution, nor does one of an older run', () => {
  const unknown = aPaint(0);
  const older = { ...unknown, outcome: { ...unknown.outcome, readings: [] } } as Trial;
  for (const trial of [aPaint(0, gpu), older]) {
    const { rows, cautions } = describe([trial]);
    expect(rows.flatMap(({ cells }) => cells)).not.toContainEqual(
      expect.objectContaining({ drawnBy: 'software' }),
    );
    expect(cautions.join()).not.toContain('drawn by');
  }
});

test('a report of two runs says that they drew in different ways', () => {
  const records = [aDisplay(), gpu].map((display, index) => {
    const record = aRecord([aFoundDevice('one')], [aPaint(0, display)]);
    return { ...record, run: { ...record.run, id: index + 3 } };
  });
  const { between } = describeRuns(records, writing);
  expect(between).toContainEqual(
    expect.objectContaining({
      label: 'Display of one',
      texts: [
        'drawn by software (SwiftShader), headless, 1280 × 720 at scale 1',
        'drawn by GPU (Apple M1), headless, 1280 × 720 at scale 1',
      ],
    }),
  );
});

test('versions of a page count trials of a busy machine, and none that was drawn otherwise', () => {
  const other = otherDisplayReason(aDisplay(), gpu) ?? '';
  const busy = aPaint(1, aDisplay(), ['other programs used 90 % of the CPU']);
  const counts = disturbedAmong([aPaint(0), busy, aPaint(2, gpu, [other])]);
  expect(counts).toEqual({ trials: 3, counted: 1, leftOut: 1 });
});

const drawn: readonly (readonly [boolean, string, string])[] = [
  ...['fp', 'fcp', 'lcp', 'inp'].map((id) => [true, id, 'ms'] as const),
  ...['load', 'cls', 'duration', 'iframe-load'].map((id) => [false, id, 'ms'] as const),
  [true, 'longest-frame-gap', 'ms'],
  [true, 'Score', 'points at full fps'],
  [false, 'Score', 'points'],
];

for (const [is, id, unit] of drawn) {
  test(`${id} in ${unit} is ${is ? '' : 'not '}about frames`, () => {
    expect(isDrawn({ id, unit })).toBe(is);
  });
}
