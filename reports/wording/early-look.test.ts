import { expect, test } from '@playwright/test';
import type { Findings } from '../../harness/core/results/index.ts';
import { anExample, aRun } from '../golden/example.ts';
import { earlyLook } from './early-look.ts';

const command = 'npx crossfarm run --suite quick --trials 3 --isolation session --seed 7';

/** The example after so few blocks that nothing is decided. */
function afterBlocks(blocks: number, change: Partial<typeof aRun> = {}): Findings {
  const { verdicts, ...findings } = anExample();
  const pairs = verdicts.pairs.map((pair) => ({
    ...pair,
    verdict: 'undecided' as const,
    discovery: false,
    because: 'too-few-blocks' as const,
    blocks,
  }));
  const runs = [{ ...aRun, command, blocks, ...change }];
  return { ...findings, runs, verdicts: { ...verdicts, pairs, blockMs: 45_000 } };
}

test('an early look reports trials so far, needed ones, time and command', () => {
  expect(earlyLook(afterBlocks(3))).toEqual({
    sentence: 'Early look: 3 trials of each; 8 of each take about 6 min and may decide it:',
    command: 'npx crossfarm run --suite quick --isolation session --trials 8',
  });
});

test('continues a comparison with the missing blocks and their time', () => {
  const { verdicts, ...findings } = afterBlocks(20, { id: 13, suite: 'compare' });
  const pairs = verdicts.pairs.map((pair) => ({
    ...pair,
    because: 'too-wide' as const,
    moreBlocks: 24,
  }));
  expect(earlyLook({ ...findings, verdicts: { ...verdicts, pairs } })).toEqual({
    sentence: 'Not decided yet; ≈ 18 more minutes may decide it:',
    command: 'npx crossfarm compare --continue 13 --max-blocks 24',
  });
});

test('measures a comparison on a page of one’s own from the start', () => {
  const own = 'npx crossfarm compare one two --page mine.html --max-blocks 100 --seed 7';
  expect(earlyLook(afterBlocks(3, { suite: 'compare', command: own }))).toEqual({
    sentence: 'Not decided yet; ≈ 4 more minutes may decide it, measured from the start:',
    command: 'npx crossfarm compare one two --page mine.html --max-blocks 100',
  });
});

test('is silent where all is decided or more blocks would not help', () => {
  const { verdicts, ...findings } = anExample();
  const decided = verdicts.pairs.filter(({ verdict }) => verdict !== 'undecided');
  expect(earlyLook({ ...findings, verdicts: { ...verdicts, pairs: decided } })).toBeNull();
  const hopeless = afterBlocks(20).verdicts.pairs.map((pair) => ({
    ...pair,
    because: 'too-wide' as const,
    moreBlocks: null,
  }));
  expect(earlyLook({ ...findings, verdicts: { ...verdicts, pairs: hopeless } })).toBeNull();
});
