import { expect, test } from '@playwright/test';
import { aBenchmark, aCompletion, aJob, aResult, aTrial } from '../../testing/builders.ts';
import type { Case } from '../model/case.ts';
import { type Explanation, toExplanationReading } from '../model/explanation.ts';
import type { Trial } from '../model/trial.ts';
import { explainMeasures } from './explanations.ts';
import type { Pair } from './pairs.ts';

const parameters = [
  { ...aBenchmark.parameters[0]!, name: 'version', values: ['old.html', 'new.html'] },
];
const metric = {
  id: 'lcp',
  title: 'largest contentful paint',
  unit: 'ms',
  direction: 'lower',
} as const;
const [old, fresh] = ['old.html', 'new.html'].map((version): Case => ({
  benchmark: { ...aBenchmark, parameters, metrics: [metric] } as Case['benchmark'],
  parameters: { version },
}));
const pair: Pair = {
  a: { deviceId: 'one', case: fresh! },
  b: { deviceId: 'one', case: old! },
  metric,
};

function aTrialThat(one: Case, block: number, told: readonly Explanation[]): Trial {
  const reading = toExplanationReading(told);
  const samples = [{ metric: 'lcp', unit: 'ms', warmUp: [], timed: [400] }];
  const result = aResult([400], { samples });
  const readings = reading === null ? [] : [reading];
  return aTrial(aJob({ block, case: one }), aCompletion({ result, readings }));
}

const script = { ms: 90, layoutMs: 0, name: 'render', source: 'app.js', line: 3, invoker: '' };

function aPaint(loadDelay: number, frameMs: number | null): readonly Explanation[] {
  return [
    {
      metric: 'lcp',
      parts: { firstByte: 30, loadDelay, loadDuration: 100, renderDelay: 0 },
      element: loadDelay > 100 ? 'img.hero' : 'h1',
      ...(frameMs !== null && {
        frame: { ms: frameMs, blockedMs: frameMs - 50, frames: 1, scripts: [script] },
      }),
    },
  ];
}

const blocks = Array.from({ length: 10 }, (_, block) => block);
const jitter = (block: number): number => ((block * 7) % 5) / 2;

test('the part that differs has its change with an interval, and the others none', () => {
  const trials = blocks.flatMap((block) => [
    aTrialThat(old!, block, aPaint(50 + jitter(block), null)),
    aTrialThat(fresh!, block, aPaint(120 + jitter(block + 2), block < 9 ? 140 : null)),
  ]);
  const [found] = explainMeasures(trials, [pair]);
  // Without the part that is always 0.
  expect(found!.parts.map(({ title }) => title)).toEqual([
    ...['time to first byte', 'resource load delay', 'resource load duration'],
  ]);
  const [firstByte, loadDelay] = found!.parts;
  expect(firstByte!.isSettled).toBe(false);
  expect(loadDelay!.isSettled).toBe(true);
  expect(loadDelay!.low!).toBeGreaterThan(60);
  expect(loadDelay!.high!).toBeLessThan(80);
  expect(loadDelay!.afterMs - loadDelay!.beforeMs).toBeCloseTo(loadDelay!.changeMs);
  expect(found).toMatchObject({ blocks: 10, before: { element: 'h1', frame: null } });
  expect(found!.after).toMatchObject({ element: 'img.hero' });
  expect(found!.after.frame).toMatchObject({ ms: 140, blockedMs: 90, trials: 9, of: 10 });
  expect(found!.after.frame!.scripts).toEqual([
    { name: 'render (app.js:3)', invoker: null, ms: 90, layoutMs: 0, trials: 9 },
  ]);
});

test('one block has typical values, and settles nothing', () => {
  const trials = [aTrialThat(old!, 0, aPaint(50, null)), aTrialThat(fresh!, 0, aPaint(120, null))];
  const [found] = explainMeasures(trials, [pair]);
  expect(found!.parts.every(({ isSettled }) => !isSettled)).toBe(true);
  expect(found!.parts[1]).toMatchObject({ beforeMs: 50, afterMs: 120, low: null, high: null });
});

test('a version that alone is explained has no parts in common, and trials without explanations none', () => {
  const alone = [aTrialThat(old!, 0, []), aTrialThat(fresh!, 0, aPaint(120, 140))];
  const [found] = explainMeasures(alone, [pair]);
  expect(found).toMatchObject({ parts: [], blocks: 0, before: { element: null } });
  expect(explainMeasures([aTrialThat(old!, 0, []), aTrialThat(fresh!, 0, [])], [pair])).toEqual([]);
});

test('a browser that does not tell of frames says so once', () => {
  const told: readonly Explanation[] = [
    { ...aPaint(50, null)[0]!, lacksFrame: 'this browser does not tell of them' },
  ];
  const trials = blocks.flatMap((block) => [
    aTrialThat(old!, block, told),
    aTrialThat(fresh!, block, told),
  ]);
  const [found] = explainMeasures(trials, [pair]);
  expect(found!.lacks).toEqual([
    'long frames are not supported here, because this browser does not tell of them',
  ]);
});
