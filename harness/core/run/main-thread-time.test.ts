import { expect, test } from '@playwright/test';
import { sum } from 'simple-statistics';
import type { MetricSamples } from '../../../pages/protocol.d.ts';
import { type DeclaredReading, mainThreadWait, type Reading } from '../model/reading.ts';
import type { TrialResult } from '../model/trial.ts';
import { aResult } from '../../testing/builders.ts';
import { withoutOthers } from './main-thread-time.ts';

/** Some instant since 1970. */
const began = 1_800_000_000_000;

const stepMs = 10;
const steps = Array.from({ length: 101 }, (_, index) => index);

/** One second of two cores, of which each millisecond gives so much. */
interface Course {
  /** Time that the page's main thread waited, and was on a core. */
  readonly waits: (atMs: number) => number;
  readonly runs: number;
  /** Of other threads of the browser, and of other programs. */
  readonly browser: number;
  readonly others: number;
}

const besideOthers: Course = {
  waits: (atMs) => (atMs >= 300 && atMs < 700 ? 0.5 : 0),
  runs: 0.5,
  browser: 0,
  others: 1,
};

function makeReadings({ waits, runs, browser, others }: Course): readonly Reading[] {
  const counter = (values: readonly number[]): DeclaredReading['values'][string] => ({
    title: 'x',
    unit: 'ms',
    value: values,
  });
  const cumulative = (rate: (atMs: number) => number): readonly number[] =>
    steps.map((step) => 77 + sum(steps.slice(0, step).map((one) => rate(one * stepMs) * stepMs)));
  const at = steps.map((step) => began + step * stepMs);
  const shared = steps.filter((step) => step % 10 === 0).map((step) => step * stepMs);
  const reading: DeclaredReading = {
    probe: mainThreadWait,
    values: {
      at: counter(at),
      waited: counter(cumulative(waits)),
      ran: counter(cumulative(() => runs)),
      sharedAt: counter(shared.map((atMs) => began + atMs)),
      busy: counter(shared.map((atMs) => 99 + (runs + browser + others) * atMs)),
      browser: counter(shared.map((atMs) => 55 + (runs + browser) * atMs)),
    },
    costMs: 3,
  };
  return [reading];
}

/** Durations that ended at these times of the second. */
function makeResult(durations: readonly (readonly [number, number])[]): TrialResult {
  return {
    ...aResult(durations.map(([duration]) => duration)),
    endedAt: { duration: durations.map(([, endMs]) => began + endMs) },
  };
}

function timedIn({ samples }: TrialResult): MetricSamples['timed'] {
  return samples[0]!.timed;
}

test("excludes the main thread's wait for busy cores from each duration", () => {
  const given = makeResult([
    [200, 250],
    [200, 400],
    [400, 700],
    [100, 900],
  ]);
  const { result, readings } = withoutOthers(given, makeReadings(besideOthers));
  const expected = [200, 150, 200, 100];
  timedIn(result).forEach((value, index) => {
    expect(value).toBeCloseTo(expected[index]!, 3);
  });
  expect(result).not.toHaveProperty('endedAt');
  const [{ values, costMs }] = readings as readonly [DeclaredReading];
  expect(costMs).toBe(3);
  expect(Object.keys(values)).toEqual(['takenOff', 'share']);
  expect(values['share']!.value).toBeCloseTo(250 / 900, 4);
});

test("counts the wait for the browser's own threads as the page's", () => {
  const given = makeResult([[400, 700]]);
  const own = { ...besideOthers, browser: 1.5, others: 0 };
  expect(timedIn(withoutOthers(given, makeReadings(own)).result)).toEqual([400]);
  const both = { ...besideOthers, browser: 0.75, others: 0.75 };
  expect(timedIn(withoutOthers(given, makeReadings(both)).result)[0]).toBeCloseTo(300, 3);
});

test('a duration never ends up as nothing, wherever a page says that it ended', () => {
  const given = makeResult([
    [20, 400],
    [400, -5_000],
    [400, 1e9],
    [1e6, 1000],
  ]);
  const always = { ...besideOthers, waits: () => 1, runs: 0 };
  const [within, before, after, longer] = timedIn(
    withoutOthers(given, makeReadings(always)).result,
  );
  expect(within).toBeCloseTo(1, 3);
  expect([before, after]).toEqual([400, 400]);
  expect(longer).toBeCloseTo(1e6 - 1000, 3);
});

test('durations are left alone where the counters were not read', () => {
  const given = makeResult([[400, 700]]);
  const whole = makeReadings(besideOthers);
  const unread: Reading = { probe: mainThreadWait, notSupported: 'this is no Linux' };
  const empty = { title: 'x', unit: 'ms', value: [] };
  const nobody = whole.map((one) => ({ ...(one as DeclaredReading), values: { at: empty } }));
  const missing = [[], [unread], nobody];
  for (const readings of missing) {
    const freed = withoutOthers(given, readings);
    expect(timedIn(freed.result)).toEqual([400]);
    expect(freed.result).not.toHaveProperty('endedAt');
    expect(freed.readings).toEqual(readings);
  }
  // Another metric, such as a score, has no end.
  const score = { ...given, endedAt: {} };
  expect(timedIn(withoutOthers(score, whole).result)).toEqual([400]);
});
