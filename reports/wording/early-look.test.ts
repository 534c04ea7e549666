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

test('says how many are undecided, how long these take, and the one command', () => {
  const few = afterBlocks(3);
  expect(earlyLook(few)).toEqual({
    sentence: '25 of 25 comparisons are undecided. To decide them (≈ 4 min):',
    command: 'npx crossfarm continue 12',
  });
  // Decided comparisons are not measured again, so their time does not count.
  const { verdicts } = few;
  expect(earlyLook({ ...few, verdicts: { ...verdicts, openBlockMs: 15_000 } })?.sentence).toContain(
    '(≈ 1 min)',
  );
});

test('continues a comparison by the same command', () => {
  const { verdicts, ...findings } = afterBlocks(20, { id: 13, suite: 'compare' });
  const [pair] = verdicts.pairs;
  const pairs = [{ ...pair!, because: 'too-wide' as const, moreBlocks: 24 }];
  expect(earlyLook({ ...findings, verdicts: { ...verdicts, pairs } })).toEqual({
    sentence: 'The comparison is not decided yet. To decide it (≈ 18 min):',
    command: 'npx crossfarm continue 13',
  });
});

for (const [title, change] of [
  ['runs of pages', { command: 'npx crossfarm run mine.html --trials 3 --seed 7' }],
  [
    'comparisons on a page',
    {
      suite: 'compare',
      command: 'npx crossfarm compare one two --page mine.html --max-blocks 100 --seed 7',
    },
  ],
] as const) {
  test(`continues ${title} of one’s own, which are stored with their run`, () => {
    expect(earlyLook(afterBlocks(3, change))?.command).toBe('npx crossfarm continue 12');
  });
}

test('is silent of a suite of others, whose place is not stored', () => {
  expect(
    earlyLook(
      afterBlocks(3, {
        command: 'npx crossfarm run --suite speedometer --from speedometer --seed 7',
      }),
    ),
  ).toBeNull();
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
  expect(earlyLook(afterBlocks(3, { isClosed: true }))).toBeNull();
});
