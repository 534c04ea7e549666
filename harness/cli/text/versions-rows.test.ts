import { expect, test } from '@playwright/test';
import type { Verdict } from '../../analysis/stats/verdict.ts';
import type { VersionsComparison } from '../../app/versions/compare-versions.ts';
import type { Benchmark } from '../../model/case.ts';
import { aBenchmark, aCompletion, aJob, aResult, aTrial } from '../../testing/builders.ts';
import { rowsOf } from './versions-rows.ts';

const benchmark: Benchmark = {
  ...aBenchmark,
  parameters: [
    { kind: 'choice', name: 'version', values: ['old.html', 'new.html'], default: 'old.html' },
  ],
};

/** Three trials of each version: 10 ms in the median, and 12 ms. */
function comparisonOf(verdict: Verdict): VersionsComparison {
  const sideOf = (version: string) => ({
    deviceId: 'chromium',
    case: { benchmark, parameters: { version } },
  });
  const [a, b] = [sideOf('new.html'), sideOf('old.html')];
  const trials = [9, 10, 11].flatMap((ms, block) =>
    [b, a].map((side, index) => {
      const result = aResult([ms * (index === 0 ? 1 : 1.2)]);
      return aTrial(aJob({ ...side, block, ordinal: 2 * block + index }), aCompletion({ result }));
    }),
  );
  const decision = { verdict, ratio: 1.25, low: 1.1, high: 1.3, blocks: 3, moreBlocks: null };
  return {
    presences: [],
    entries: [
      {
        pair: { a, b, metric: benchmark.metrics[0] },
        discovery: true,
        decision: { kind: 'decided-on', decision },
      },
    ],
    trials,
    margin: 0.02,
  } as unknown as VersionsComparison;
}

test('values of a version that is decided on divide to its ratio; where nothing is, each is a median', () => {
  const valuesOf = (verdict: Verdict) =>
    rowsOf(comparisonOf(verdict)).map(({ version, value }) => [version, value]);
  expect(valuesOf('slower')).toEqual([
    ['old.html', 10],
    ['new.html', 12.5],
  ]);
  expect(valuesOf('undecided')).toEqual([
    ['old.html', 10],
    ['new.html', 12],
  ]);
});
