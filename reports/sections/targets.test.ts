import { expect, test } from '@playwright/test';
import type { DriverVerdict, TargetFacts } from '../../harness/core/results/index.ts';
import { chromium, firefox, webkit } from '../golden/example-targets.ts';
import { renderMarkup } from '../html/escape.ts';
import { makeLegend } from '../wording/legend.ts';
import { targetsTable } from './targets.ts';

const open: TargetFacts = { ...chromium, id: 'open', name: 'By <nobody>', driver: 'open' };

const one: DriverVerdict = {
  caseName: 'fib n=20',
  verdict: 'equivalent',
  ratio: 1.003,
  low: 0.991,
  high: 1.014,
  blocks: 24,
};

/** The text of the section, as a reader sees it. */
function shown(targets: readonly TargetFacts[]): string {
  const section = renderMarkup(targetsTable(targets, makeLegend(targets)));
  return section.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}

test('omits the column without a control', () => {
  expect(shown([chromium, firefox])).not.toContain('Against no automation');
});

test("a driver shows verdict, ratio, interval, blocks and the control's name", () => {
  const text = shown([open, { ...chromium, againstOpen: { controlId: 'open', cases: [one] } }]);
  expect(text).toContain('Against no automation');
  expect(text).toMatch(/= equivalent 1\.003× \(0\.991–1\.014×\), 24 blocks than By &#?\w+;nobody/);
});

test('over several cases the verdicts are counted, and none is left out', () => {
  const cases = [
    one,
    { ...one, caseName: 'b' },
    { ...one, caseName: 'c', verdict: 'slower' as const },
  ];
  const text = shown([open, { ...chromium, againstOpen: { controlId: 'open', cases } }]);
  expect(text).toContain('▼ slower in 1, = equivalent in 2 of 3 cases');
});

test('a verdict without an interval yet shows none', () => {
  const early = { ...one, verdict: 'undecided' as const, low: null, high: null, blocks: 3 };
  const text = shown([open, { ...chromium, againstOpen: { controlId: 'open', cases: [early] } }]);
  expect(text).toMatch(/\? undecided 1\.0\d*× ?, 3 blocks/);
});

const cells = { planned: 14, completed: 12, failed: 0, timedOut: 0, skipped: 0 };

test('each target counts how its trials ended, and leaves out counts of zero', () => {
  const text = shown([
    { ...chromium, cells: { ...cells, failed: 1, skipped: 1 } },
    { ...firefox, cells: { ...cells, completed: 0, timedOut: 2 } },
    webkit,
  ]);
  expect(text).toContain('Trials');
  expect(text).toContain('12 completed, 1 failed, 1 skipped');
  expect(text).toContain('0 completed, 2 timed out, 12 without outcome');
  expect(text).toContain('—');
});

test('omits the column without a known plan', () => {
  expect(shown([chromium])).not.toContain('Trials');
});
