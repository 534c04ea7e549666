import { expect, test } from '@playwright/test';
import type { Findings } from '../../harness/core/results/index.ts';
import type { PairVerdict } from '../../harness/core/results/verdicts.ts';
import { anExample } from '../golden/example.ts';
import { aPairExample } from '../golden/pair-example.ts';
import { isMeasured } from './difference.ts';
import { headline } from './headline.ts';
import { makeLegend } from './legend.ts';

const told = (findings: Findings): string | null =>
  headline(findings, makeLegend(findings.targets));

function withPairs(findings: Findings, change: Partial<PairVerdict>): Findings {
  const { verdicts } = findings;
  return {
    ...findings,
    verdicts: { ...verdicts, pairs: verdicts.pairs.map((pair) => ({ ...pair, ...change })) },
  };
}

test('titles a report by its surest large difference and their number', () => {
  expect(told(anExample())).toMatch(/^Firefox ESR is 3\.1× slower in asyncFib\(26\); 24 of 25 /);
  expect(told(aPairExample())).toMatch(/^Chromium \(a\) is [\d.]+ % slower in control$/);
});

test('without a difference it says whether that was shown, or is open', () => {
  const same = { verdict: 'equivalent', discovery: false } as const;
  expect(told(withPairs(anExample(), same))).toBe(
    'No difference is shown; 25 of 25 comparisons are the same',
  );
  expect(told(withPairs(aPairExample(), same))).toBe('No difference');
  const open = { verdict: 'undecided', discovery: false } as const;
  expect(told(withPairs(anExample(), open))).toMatch(
    /^Nothing is decided yet; .+ so far: ≈ [\d.]+(×| %) (slower|faster) in .+$/,
  );
  const { verdicts } = anExample();
  expect(told({ ...anExample(), verdicts: { ...verdicts, pairs: [] } })).toBeNull();
});

test('a measure of versions is found though the first one is the same', () => {
  const { rows, verdicts, ...findings } = aPairExample();
  const [pair] = verdicts.pairs;
  const versions: Findings = {
    ...findings,
    rows: rows.flatMap((row) => [{ ...row, metric: 'load' }, row]),
    verdicts: {
      ...verdicts,
      baselineVersion: 'old.html',
      pairs: [{ ...pair!, metric: 'load', verdict: 'equivalent', discovery: false }, pair!],
    },
  };
  expect(told(versions)).toMatch(
    /^duration of control is [\d.]+ % slower in Chromium \(a\); 1 of 2 comparisons differ$/,
  );
});

test('where no trial counts, that is what happened', () => {
  const { rows, ...findings } = anExample();
  const spoilt = rows.map((row) => ({
    ...row,
    cells: row.cells.map((cell) =>
      isMeasured(cell) ? { ...cell, fromQuarantined: true as const } : cell,
    ),
  }));
  expect(told({ ...findings, rows: spoilt })).toBe('The machine was too busy: nothing counts');
  const [run] = findings.runs;
  const cells = { planned: 2, completed: 0, failed: 0, timedOut: 2, skipped: 0 };
  expect(told({ ...findings, rows: [], runs: [{ ...run!, cells }] })).toBe(
    'Nothing was measured: 2 trials timed out',
  );
  const none = { planned: 2, completed: 0, failed: 0, timedOut: 0, skipped: 0 };
  const broken = { ...run!, cells: none, status: 'interrupted' as const };
  expect(told({ ...findings, rows: [], runs: [broken] })).toBe(
    'Nothing was measured: the run was interrupted',
  );
});

test('a run that answers a question is called by the answer', () => {
  const asked = {
    title: 'Claim A3',
    sentence: 'asyncFib is faster there.',
    verdict: 'refuted',
    headline: 'direction refuted',
    unsettled: null,
  } as const;
  expect(told({ ...anExample(), asked })).toBe('Claim A3: refuted');
  expect(told({ ...anExample(), asked: { ...asked, verdict: 'inconclusive' } })).toBe(
    'Claim A3: inconclusive',
  );
});
