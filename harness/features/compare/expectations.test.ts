import { expect, test } from '@playwright/test';
import type { PairDecision, TableEntry } from '../../core/analysis/decide.ts';
import type { Verdict } from '../../core/results/verdicts.ts';
import { aCase } from '../../testing/builders.ts';
import type { VersionsComparison } from './compare-versions.ts';
import { shownChange } from '../../core/analysis/fail-on.ts';
import { expectFaster, expectSlower, lostMeasures } from './expectations.ts';

interface Row {
  readonly title?: string;
  readonly direction?: 'lower' | 'higher';
  readonly verdict: Verdict;
  readonly low: number;
  readonly high: number;
}

function entryOf({ title = 'load', direction = 'lower', verdict, low, high }: Row): TableEntry {
  const decision = { verdict, low, high, ratio: (low + high) / 2, blocks: 5 };
  const side = { deviceId: 'chromium', case: { ...aCase(), parameters: { version: 'new.html' } } };
  return {
    pair: { a: side, b: side, metric: { id: 'x', title, unit: 'ms', direction } },
    decision: { kind: 'decided-on', decision } as unknown as PairDecision,
    discovery: true,
  };
}

const comparisonOf = (...rows: readonly Row[]): VersionsComparison =>
  ({
    entries: rows.map(entryOf),
    versions: ['old.html', 'new.html'],
    onlyIn: [],
    interrupted: false,
    ended: 'decided',
    stopped: null,
  }) as unknown as VersionsComparison;

test("a change is shown by the interval's end that is nearer none", () => {
  const shown = (row: Row) => shownChange(entryOf(row));
  expect(shown({ verdict: 'slower', low: 1.06, high: 1.2 })!.worse).toBeCloseTo(0.06);
  expect(shown({ verdict: 'slower', low: 1.06, high: 1.2 })!.atMost).toBeCloseTo(0.2);
  expect(shown({ verdict: 'faster', low: 0.7, high: 0.9 })!.better).toBeCloseTo(0.1);
  const rate = { direction: 'higher', verdict: 'slower', low: 0.5, high: 0.8 } as const;
  expect(shown(rate)!.worse).toBeCloseTo(0.25);
  const undecided = { verdict: 'undecided', low: 1.1, high: 1.2 } as const;
  expect(shown(undecided)).toEqual({ isDecided: false, better: 0, worse: 0, atMost: Infinity });
});

test('zeros on both sides are equal; a measure of one side gets no row', () => {
  const { pair, discovery } = entryOf({ verdict: 'slower', low: 1.06, high: 1.2 });
  const shown = (decision: PairDecision) => shownChange({ pair, discovery, decision });
  expect(shown({ kind: 'not-given', onlyBy: null })).toBeNull();
  expect(shown({ kind: 'not-given', onlyBy: pair.b })).toBeNull();
  const noRatio = { kind: 'no-ratio', because: '' } as const;
  expect(shown({ ...noRatio, zeros: 'same' })).toMatchObject({
    isDecided: true,
    worse: 0,
    atMost: 0,
  });
  expect(shown({ ...noRatio, zeros: 'none' })).toMatchObject({ isDecided: false });
});

test('what the first version measures and another has lost is worse', () => {
  const faster = { verdict: 'faster', low: 0.7, high: 0.9 } as const;
  const kept = comparisonOf(faster);
  const { pair, discovery } = entryOf({ title: 'paint', ...faster });
  const gone: PairDecision = { kind: 'not-given', onlyBy: pair.b };
  const versions = ['old.html', 'new.html'];
  const byBrowser = { ...kept, versions, entries: [{ pair, discovery, decision: gone }] };
  expect(lostMeasures(byBrowser)).toEqual([
    { version: 'new.html', measure: 'paint', browser: 'chromium' },
  ]);
  const withLost = { ...kept, versions, entries: [...kept.entries, ...byBrowser.entries] };
  expect(expectSlower(withLost, { by: '50%' }).pass).toBe(true);
  expect(expectFaster(withLost).message()).toContain('new.html, paint: lost');
  expect(expectFaster(withLost, { measure: 'load', browser: 'chromium' }).pass).toBe(true);
});

test('all rows must show faster; one that shows slower suffices', () => {
  const faster = { verdict: 'faster', low: 0.7, high: 0.9 } as const;
  const slower = { title: 'other', verdict: 'slower', low: 1.06, high: 1.2 } as const;
  const open = { title: 'open', verdict: 'undecided', low: 0.9, high: 1.3 } as const;
  const all = comparisonOf(faster, slower, open);
  expect(expectFaster(comparisonOf(faster), { by: '5%' }).pass).toBe(true);
  expect(expectFaster(comparisonOf(faster), { by: 0.15 }).pass).toBe(false);
  expect(expectFaster(all).pass).toBe(false);
  expect(expectFaster(all, { measure: 'load' }).pass).toBe(true);
  expect(expectSlower(all, { by: '5%' }).pass).toBe(true);
  expect(expectSlower(all, { by: '7%' }).pass).toBe(false);
  expect(expectSlower(comparisonOf(open)).pass).toBe(false);
});

test('an expectation of rows that are not there, or by no share, is refused', () => {
  const all = comparisonOf({ verdict: 'slower', low: 1.06, high: 1.2 });
  expect(() => expectSlower(all, { measure: 'laod' })).toThrow(/nothing was compared by laod/);
  for (const by of ['much', '5 %%', '', '%', -0.1, NaN]) {
    expect(() => expectSlower(all, { by })).toThrow(RangeError);
  }
  for (const end of [{ interrupted: true }, { stopped: 'the browser is gone' }]) {
    expect(() => expectSlower({ ...all, ...end })).toThrow(/did not come to its end/);
  }
});
