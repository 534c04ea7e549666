import { expect, test } from '@playwright/test';
import type { DriverVerdict, TargetFacts } from './findings.ts';
import { chromium, firefox } from './golden/example-targets.ts';
import { markupOf } from './html/escape.ts';
import { legendOf } from './sections/legend.ts';
import { targetsSection } from './sections/targets.ts';

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
  const section = markupOf(targetsSection(targets, legendOf(targets)));
  return section.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}

test('without a control there is no such column', () => {
  expect(shown([chromium, firefox])).not.toContain('Against no automation');
});

test('a driver has its verdict, its ratio with interval and blocks, and the control’s name', () => {
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

test('a verdict without an interval yet says so by showing none', () => {
  const early = { ...one, verdict: 'undecided' as const, low: null, high: null, blocks: 3 };
  const text = shown([open, { ...chromium, againstOpen: { controlId: 'open', cases: [early] } }]);
  expect(text).toMatch(/\? undecided 1\.0\d*× ?, 3 blocks/);
});
