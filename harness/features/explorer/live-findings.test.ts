import { expect, test } from '@playwright/test';
import { parsePage, visibleWords } from '../../../reports/golden/markup.ts';
import { renderSoFar } from '../../../reports/comparison.ts';
import { standstillReason } from '../../core/model/environment-limits.ts';
import { otherDisplayReason } from '../../core/model/display.ts';
import type { RunLook, SeriesTrial, StoredSeries } from '../../core/model/history.ts';
import { aDisplay } from '../../testing/builders.ts';
import { liveFindings } from './live-findings.ts';

interface SeriesFacts {
  readonly device?: string;
  readonly parameters: StoredSeries['parameters'];
  readonly values: readonly number[];
  /** Values of trials that a busy machine disturbed, in blocks of their own. */
  readonly excluded?: readonly number[];
  readonly others?: readonly SeriesTrial[];
}

const hostile = '<img src=x onerror=owned=1>\u202e';

function aSeries({
  device = 'one',
  parameters,
  values,
  excluded = [],
  others = [],
}: SeriesFacts): StoredSeries {
  const trials = [...values, ...excluded].map((value, block) =>
    aSeriesTrial({ block, value, quarantine: block < values.length ? [] : ['it was busy'] }),
  );
  return {
    run: 7,
    runStartedAt: '2026-11-22T00:00:00.000Z',
    device,
    deviceName: `${device} ${hostile}`,
    browser: 'chromium',
    family: null,
    version: '156',
    driver: 'playwright',
    os: 'linux',
    system: null,
    cores: 2,
    emulated: false,
    benchmark: 'page',
    benchmarkVersion: 1,
    case: `page ${Object.entries(parameters).join(' ')}`,
    parameters,
    metric: 'load',
    metricTitle: 'load',
    unit: 'ms',
    direction: 'lower',
    planned: values.length,
    trials: [...trials, ...others],
  };
}

function aSeriesTrial(facts: Partial<SeriesTrial>): SeriesTrial {
  return { outcome: 'completed', block: 0, isRepeat: false, quarantine: [], value: 1, ...facts };
}

const [old, fresh] = ['old.html', `new${hostile}.html`].map((version, i) =>
  aSeries({ parameters: { version }, values: [100, 102, 101].map((ms) => ms * (1 + i / 2)) }),
) as [StoredSeries, StoredSeries];

const look: RunLook = {
  margin: 0.05,
  pairs: [
    {
      a: { targetId: 'one', caseName: fresh.case },
      b: { targetId: 'one', caseName: old.case },
      metric: 'load',
      unit: 'ms',
      direction: 'lower',
      verdict: 'slower',
      ratio: 1.5,
      low: 1.3,
      high: 1.7,
      blocks: 3,
      significant: true,
      relevant: true,
      discovery: true,
      blockRatios: [1.49, 1.5, 1.51],
      because: null,
      moreBlocks: null,
    },
  ],
};

const ofVersions = { name: 'old.html vs new.html', suite: 'versions' };

test('a comparison of versions has each trial, each block and the verdict of its newest look', () => {
  const { heading, markup } = renderSoFar(liveFindings(ofVersions, [old, fresh], look));
  expect(heading).toContain('is 50 % slower in one');
  const words = visibleWords(markup);
  expect(words).toContain('▼ 50 % slower');
  expect(words).toContain('stripe: ± 5 %');
  const page = parsePage(`<body>${markup}</body>`);
  expect(page.querySelectorAll('.duel-strip .dot')).toHaveLength(3 + 3 + 3);
  expect(page.querySelectorAll('.duel-strip .same')).toHaveLength(1);
  expect(page.querySelectorAll('.duel-strip .band')).toHaveLength(2 + 1);
  expect(markup).not.toContain('<img');
  expect(markup).not.toContain('\u202e');
});

test('the error rate that was asked for is that of the verdicts', () => {
  const ofLook = (own: RunLook): number =>
    liveFindings(ofVersions, [old, fresh], own).verdicts.alpha;
  expect(ofLook({ ...look, alpha: 0.01 })).toBe(0.01);
  expect(ofLook(look)).toBe(0.05);
});

test('the interval of a comparison is seen to close, look by look', () => {
  const looks = [
    [
      { blocks: 2, low: 1.1, high: 1.9 },
      { blocks: 3, low: 1.3, high: 1.7 },
    ],
  ];
  const { markup } = renderSoFar(liveFindings(ofVersions, [old, fresh], { ...look, looks }));
  const band = /<rect class="band" x="[\d.]+%" width="([\d.]+)%" y="(\d+)" height="(\d+)"/g;
  const ends = [...markup.matchAll(band)].slice(2).map((found) => found.slice(1).map(Number));
  const [[first = 0] = [], [last = 0] = []] = ends;
  expect(ends).toEqual([
    [first, 0, 20],
    [last, 20, 10],
  ]);
  expect(last).toBeLessThan(first);
  expect(visibleWords(markup)).toContain('the interval after each block');
});

test('before the first look versions have their values, and no verdict', () => {
  const { heading, markup } = renderSoFar(liveFindings(ofVersions, [fresh, old], null));
  expect(heading).toBeNull();
  expect(visibleWords(markup)).toMatch(/old\.html .*baseline .*new.*not compared yet/);
});

test('trials that were disturbed count for versions, and are set apart in other runs', () => {
  const parameters = { version: 'old.html' };
  const disturbed = aSeries({ parameters, values: [10, 11], excluded: [40] });
  const cellOf = (suite: string): unknown =>
    liveFindings({ name: '', suite }, [disturbed], null).rows[0]?.cells[0];
  expect(cellOf('versions')).toMatchObject({ values: [10, 11, 40], trials: 3 });
  expect(cellOf('quick')).toMatchObject({ values: [10, 11], quarantined: [40], trials: 2 });
});

test('versions leave out what their report does: drawn otherwise, repeated, or at a standstill', () => {
  const drawnByGpu = aDisplay({ drawnBy: 'GPU', rasteriser: 'Apple M1' });
  const otherDisplay = otherDisplayReason(aDisplay(), drawnByGpu) ?? '';
  const busy = ['it was busy'];
  const others = [
    aSeriesTrial({ block: 1, value: 40, quarantine: [otherDisplay] }),
    // A clean repeat stands in the place of the first.
    aSeriesTrial({ block: 2, value: 50, quarantine: busy }),
    aSeriesTrial({ block: 2, value: 12, isRepeat: true }),
    // Of two disturbed ones the first counts.
    aSeriesTrial({ block: 3, value: 13, quarantine: busy }),
    aSeriesTrial({ block: 3, value: 60, quarantine: busy, isRepeat: true }),
    aSeriesTrial({
      block: 4,
      value: 70,
      quarantine: [standstillReason('it', 9_000, 'hung') ?? ''],
    }),
  ];
  const series = aSeries({ parameters: { version: 'old.html' }, values: [10], others });
  const [row] = liveFindings(ofVersions, [series], null).rows;
  expect(row?.cells[0]).toMatchObject({
    values: [10, 12, 13],
    quarantined: [40, 50, 60, 70],
    trials: 3,
  });
});

test('a suite shows the ratios of its browsers so far, none of them decided', () => {
  const of = (device: string, ms: number): StoredSeries =>
    aSeries({ device, parameters: { n: 12 }, values: [ms, ms] });
  const run = { name: 'quick', suite: 'quick' };
  const findings = liveFindings(run, [of('one', 10), of('two', 70)], null);
  const { heading, markup } = renderSoFar(findings);
  expect(heading).toMatch(/^Nothing is decided yet; two .* so far: ≈ 7\.0× slower/);
  expect(visibleWords(markup)).toContain('not decided, ≈ 7.0× slower so far');
  // The second of two devices is the one that the first is compared with.
  const sides = liveFindings({ ...run, suite: 'compare' }, [of('one', 10), of('two', 70)], null);
  expect(sides.verdicts).toMatchObject({ baselineTargetId: 'two', pairs: [{ ratio: 1 / 7 }] });
  // Many cases are a map.
  const many = Array.from({ length: 8 }, (_, n) =>
    ['one', 'two'].map((device) => aSeries({ device, parameters: { n }, values: [1 + n] })),
  ).flat();
  const map = parsePage(`<body>${renderSoFar(liveFindings(run, many, null)).markup}</body>`);
  expect(map.querySelectorAll('.heat tbody tr')).toHaveLength(8);
});
