import { expect, test } from '@playwright/test';
import { aSuspect } from '../../testing/nights.ts';
import type { Decision } from '../../core/analysis/stats/verdict.ts';
import {
  confirmSuspects,
  type ConfirmMeans,
  type Remeasurement,
  type RemeasureLimits,
  type SuspectedChange,
} from './confirm-suspects.ts';
import type { CarriedEvidence } from './same-test.ts';

const slower: Decision = {
  verdict: 'slower',
  ratio: 1.05,
  low: 1.03,
  high: 1.07,
  confidence: 0.95,
  margin: 0.02,
  blocks: 14,
  significant: true,
  relevant: true,
  logEValue: 5,
  mean: null,
  because: null,
  moreBlocks: null,
};

interface Lent {
  readonly decision?: Decision | null;
  readonly stopped?: string;
  /** Milliseconds that each measurement takes. */
  readonly takes?: number;
  readonly cannot?: string;
  /** Of the suspects whose case has this name, an earlier night has evidence. */
  readonly carried?: Readonly<Record<string, CarriedEvidence>>;
}

/** Means that measure nothing, and note what they were asked. */
function lend({ decision = slower, stopped, takes = 0, cannot, carried = {} }: Lent = {}) {
  const asked: (RemeasureLimits & { readonly of: string })[] = [];
  const saved: string[] = [];
  let clock = 0;
  const remeasured: Remeasurement = {
    decision,
    stopped: stopped ?? null,
    save: (sentence) => {
      saved.push(sentence);
      return Promise.resolve(`N${String(saved.length)}`);
    },
  };
  const means: ConfirmMeans = {
    now: () => clock,
    prepare: ({ series }) =>
      Promise.resolve(
        cannot === undefined
          ? {
              kind: 'ready',
              ...(carried[series.caseName] && { carried: carried[series.caseName] }),
              remeasure: (limits) => {
                asked.push({ ...limits, of: series.caseName });
                clock += takes;
                return Promise.resolve(remeasured);
              },
            }
          : { kind: 'cannot', because: cannot },
      ),
  };
  return { means, asked, saved };
}

const minute = 60_000;

const confirm = (
  suspects: readonly SuspectedChange[],
  means: ConfirmMeans,
  { signal = new AbortController().signal, budgetMs = 60 * minute } = {},
) => confirmSuspects(suspects, { means, budgetMs, signal });

test('a suspect that the sequential test confirms is kept as an anomaly, with the builds in its sentence', async () => {
  const { means, saved } = lend();
  const suspected = aSuspect({ ratio: 1.06, versions: ['156.0', '157.0'] });
  expect(await confirm([suspected], means)).toEqual([{ kind: 'anomaly', suspected, id: 'N1' }]);
  expect(saved).toEqual([
    expect.stringMatching(
      /^fib function=asyncFib n=12 .*slower on chromium.* 156\.0 → 157\.0.* 1\.05×/,
    ),
  ]);
});

test('an unconfirmed suspect saves no anomaly, and reports the measurement', async () => {
  const equivalent = { ...slower, verdict: 'equivalent', ratio: 1.001, low: 0.99, high: 1.01 };
  const { means, saved } = lend({ decision: equivalent as Decision });
  expect(await confirm([aSuspect()], means)).toMatchObject([
    {
      kind: 'unconfirmed',
      reason: expect.stringMatching(/equivalent.* 1× .*0\.99 … 1\.01.*14 blocks/),
    },
  ]);
  expect(saved).toEqual([]);
});

test('a difference the other way round confirms nothing', async () => {
  const { means } = lend();
  const [one] = await confirm([aSuspect({ ratio: 0.95 })], means);
  expect(one).toMatchObject({
    kind: 'unconfirmed',
    reason: expect.stringMatching(/the other way round/),
  });
});

test('the report says why a measurement stopped, with or without a decision', async () => {
  const undecided = { ...slower, verdict: 'undecided' } as Decision;
  const lame = lend({ decision: undecided, stopped: 'chromium@before gave no result' });
  const [one] = await confirm([aSuspect()], lame.means);
  expect(one).toMatchObject({
    reason: expect.stringMatching(/undecided: .*; chromium@before gave no result/),
  });
  const dead = lend({ decision: null, stopped: 'it died' });
  const [other] = await confirm([aSuspect()], dead.means);
  expect(other).toMatchObject({ reason: expect.stringMatching(/no block in common: it died/) });
});

test('measures nothing if no known change exists, or only one that cannot run again', async () => {
  const { means, asked } = lend();
  const [unknown, kernel] = [
    aSuspect({ versions: ['156.0', '156.0'] }),
    aSuspect({ versions: ['156.0', '156.0'], kernels: ['6.1', '6.2'] }),
  ];
  const reasons = (await confirm([unknown, kernel], means)).map((one) =>
    one.kind === 'unconfirmed' ? one.reason : '',
  );
  expect(reasons).toEqual([
    expect.stringMatching(/nothing.* known.* changed.* run 20 and run 21/),
    expect.stringMatching(/^kernel 6\.1 → 6\.2 changed.* run 20 and run 21.* cannot be run/),
  ]);
  expect(asked).toEqual([]);
});

test('a build that is gone is the reason why it stays unconfirmed', async () => {
  const { means } = lend({ cannot: 'the old build is no longer there' });
  expect(await confirm([aSuspect()], means)).toMatchObject([
    { kind: 'unconfirmed', reason: 'the old build is no longer there' },
  ]);
});

test('the error rate and the time are shared out, the clearest suspect first', async () => {
  const { means, asked } = lend({ takes: 10 * minute });
  await confirm(
    [
      aSuspect({ caseName: 'vague', p: 0.09 }),
      aSuspect({ caseName: 'small', p: 0.001, ratio: 1.04 }),
      aSuspect({ caseName: 'large', p: 0.001, ratio: 0.9 }),
    ],
    means,
  );
  expect(asked).toEqual([
    { of: 'large', alpha: 0.05 / 3, budgetMs: 20 * minute },
    { of: 'small', alpha: 0.05 / 3, budgetMs: 25 * minute },
    { of: 'vague', alpha: 0.05 / 3, budgetMs: 40 * minute },
  ]);
});

test('a test that an earlier night began keeps its level, and takes none of tonight’s', async () => {
  const begun = { run: 43, startedAt: '2026-01-22T02:30:00.000Z', blocks: 12, alpha: 0.05 / 7 };
  const { means, asked } = lend({ carried: { old: begun } });
  const suspects = ['old', 'one', 'another'].map((caseName, index) =>
    aSuspect({ caseName, p: 0.01 * (index + 1) }),
  );
  await confirm(suspects, means);
  expect(asked.map(({ of, alpha }) => [of, alpha])).toEqual([
    ['old', 0.05 / 7],
    ['one', 0.05 / 2],
    ['another', 0.05 / 2],
  ]);
  const alone = lend({ carried: { old: begun } });
  await confirm(suspects.slice(0, 1), alone.means);
  expect(alone.asked).toMatchObject([{ alpha: 0.05 / 7 }]);
});

test('counted blocks of an earlier night are named with their result', async () => {
  const begun = { run: 43, startedAt: '2026-01-22T02:30:00.000Z', blocks: 12, alpha: 0.05 };
  const undecided = { ...slower, verdict: 'undecided' } as Decision;
  const { means } = lend({ decision: undecided, carried: { old: begun } });
  const [one, another] = await confirm(
    [aSuspect({ caseName: 'old' }), aSuspect({ caseName: 'new', p: 0.02 })],
    means,
  );
  expect(one).toMatchObject({
    reason: expect.stringMatching(
      /undecided: 1\.05× \(1\.03 … 1\.07, 14 blocks\); .* 12 blocks .* run 43, .* 2026-01-22$/,
    ),
  });
  expect(another).toMatchObject({ reason: expect.stringMatching(/14 blocks\)$/) });
});

test('gives the clearest enough time if a fair share of it would settle none', async () => {
  const { means, asked } = lend({ takes: 4 * minute });
  const many = Array.from({ length: 10 }, (_, index) => aSuspect({ p: 0.01 * (index + 1) }));
  const found = await confirm(many, means, { budgetMs: 10 * minute });
  expect(asked.map(({ budgetMs }) => budgetMs)).toEqual([4 * minute, 4 * minute, 2 * minute]);
  const waiting = found.filter(({ kind }) => kind === 'unconfirmed');
  expect(waiting).toHaveLength(7);
  expect(waiting[0]).toMatchObject({ reason: expect.stringMatching(/time .* was over/) });
});

test('suspects without time left stay unconfirmed, and so do those left at an interruption', async () => {
  const slow = lend({ takes: 61 * minute });
  const [, late] = await confirm([aSuspect({ p: 0.01 }), aSuspect({ p: 0.02 })], slow.means);
  expect(late).toMatchObject({
    kind: 'unconfirmed',
    reason: expect.stringMatching(/time .* was over/),
  });
  const [stopped] = await confirm([aSuspect()], lend().means, {
    signal: AbortSignal.abort(),
  });
  expect(stopped).toMatchObject({
    kind: 'unconfirmed',
    reason: expect.stringMatching(/interrupted/),
  });
});
