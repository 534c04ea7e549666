import { expect, test } from '@playwright/test';
import type { NightValue } from '../../../core/model/night.ts';
import { aBenchmark, aDisplay } from '../../../testing/builders.ts';
import { aNightValue, type NightFacts } from '../../../testing/nights.ts';
import { seededGenerator } from '../../../core/analysis/stats/random.ts';
import {
  describeTrends,
  listBreaks,
  makeNightSeries,
  searchHistory,
  seriesTitle,
} from './history.ts';

const search = (values: readonly NightValue[], run = values.length) =>
  searchHistory(makeNightSeries(values), { run, generator: seededGenerator(51) });

/** Nights around 10 ms that scatter by 1 %, of which those from `from` on are longer. */
function nights(
  count: number,
  { from = Infinity, ratio = 1, facts, seed = 52 }: Step = {},
): readonly NightValue[] {
  const generator = seededGenerator(seed);
  return Array.from({ length: count }, (_, night) =>
    aNightValue(
      night + 1,
      10 * (night >= from ? ratio : 1) * Math.exp(0.01 * generator.normal()),
      facts?.(night) ?? {},
    ),
  );
}

interface Step {
  readonly from?: number;
  readonly ratio?: number;
  readonly facts?: (night: number) => NightFacts;
  readonly seed?: number;
}

const since = (from: number, before: NightFacts, after: NightFacts) => (night: number) =>
  night < from ? before : after;

test('makes one series for each case, target and metric, with nights in order', () => {
  const values = [1, 2].flatMap((run) => [
    aNightValue(run, 10),
    aNightValue(run, 20, { caseName: 'other' }),
    aNightValue(run, 30, { deviceId: 'firefox' }),
    aNightValue(run, 40, {
      metric: { id: 'calls', title: 'Calls', unit: 'count', direction: 'higher' },
    }),
  ]);
  const series = makeNightSeries(values);
  expect(series.map(({ nights: all }) => all.map(({ median }) => median))).toEqual([
    [10, 10],
    [20, 20],
    [30, 30],
    [40, 40],
  ]);
  expect(series.map(({ begunBy }) => begunBy)).toEqual([[], [], [], []]);
});

const splitting: Readonly<Record<string, NightFacts>> = {
  'machine bench (A CPU) → other (A CPU)': { machine: { hostname: 'other' } },
  'cores 2 → 4': { machine: { logicalCores: 4 } },
  'virtualization none → kvm': { machine: { virtualization: 'kvm' } },
  'browser chromium → chrome': { device: { browser: 'chrome' } },
  'driver fake → webdriver': { device: { driver: 'webdriver' } },
  'window headless → shown': { device: { headless: false } },
  'pinning all cores → 1 cores': { device: { cores: 1 } },
  'launch settings [[],[],[]] → [["--no-opt"],[],[]]': { device: { flags: ['--no-opt'] } },
  'emulation none → Pixel 7': { device: { emulation: { descriptor: 'Pixel 7' } } },
  'page version 1 → 2': { benchmarkVersion: 2 },
  'isolation session → page': { run: { isolation: 'page' } },
  'cross-origin isolation yes → no': { isolated: false },
  'phone null → {"platform":"android","profile":"erase"}': {
    device: { phone: { platform: 'android', profile: 'erase' } },
  },
};

for (const [why, facts] of Object.entries(splitting)) {
  test(`does not pool nights: ${why}`, () => {
    const values = [aNightValue(1, 10), aNightValue(2, 10, facts)];
    const series = makeNightSeries(values);
    expect(series.map(({ nights: all }) => all.length)).toEqual([1, 1]);
    expect(series[1]?.begunBy).toEqual([why]);
  });
}

const drawn = aDisplay();

const displays: Readonly<Record<string, readonly [NightFacts, NightFacts]>> = {
  'drawn by unknown → software (SwiftShader)': [{}, { drawing: drawn }],
  'drawn by software (SwiftShader) → GPU (Apple M1)': [
    { drawing: drawn },
    { drawing: { ...drawn, drawnBy: 'GPU', rasteriser: 'Apple M1' } },
  ],
  'window headless → headless shell': [
    { drawing: drawn },
    { drawing: { ...drawn, window: 'headless shell' } },
  ],
  'display scale 1 → 2': [{ drawing: drawn }, { drawing: { ...drawn, scale: 2 } }],
};

for (const [why, [before, after]] of Object.entries(displays)) {
  test(`does not pool nights: ${why}`, () => {
    const facts = [before, before, after, after];
    const series = makeNightSeries(facts.map((one, night) => aNightValue(night + 1, 10, one)));
    expect(series.map(({ nights: all }) => all.length)).toEqual([2, 2]);
    expect(series[1]?.begunBy).toEqual([why]);
    expect(listBreaks(series)).toEqual([
      {
        targetId: 'chromium',
        run: 3,
        startedAt: '2026-01-03T00:00:00.000Z',
        differences: [why],
        series: 1,
      },
    ]);
  });
}

test('a phone that may take longer to start is the same phone', () => {
  const phone = { platform: 'ios' } as const;
  const slow = { ...phone, limits: { launchMs: 300_000 } };
  const values = [phone, slow].map((one, night) =>
    aNightValue(night + 1, 10, { device: { phone: one } }),
  );
  expect(makeNightSeries(values).map(({ nights: all }) => all.length)).toEqual([2]);
});

test('continues a series after nights with other settings', () => {
  const flagged = { device: { flags: ['--no-opt'] } };
  const values = [aNightValue(1, 10), aNightValue(2, 10, flagged), aNightValue(3, 10)];
  expect(makeNightSeries(values).map(({ nights: all }) => all.length)).toEqual([2, 1]);
});

const causes: readonly (readonly [string, string, NightFacts, NightFacts])[] = [
  ['browser', 'browser 156.0 → 157.0', { version: '156.0' }, { version: '157.0' }],
  ['machine', 'kernel 6.1 → 6.2', { machine: { release: '6.1' } }, { machine: { release: '6.2' } }],
  ['farm', 'crossfarm 0.1.0 → 0.2.0', {}, { run: { farmVersion: '0.2.0' } }],
  [
    'several',
    'browser 156.0 → 157.0, crossfarm 0.1.0 → 0.2.0',
    {},
    { version: '157.0', run: { farmVersion: '0.2.0' } },
  ],
  ['nothing-known', 'nothing known', {}, {}],
];

for (const [kind, text, before, after] of causes) {
  test(`suspects a change of the newest nights, and attributes it: ${text}`, () => {
    const [found] = search(nights(43, { from: 40, ratio: 1.2, facts: since(40, before, after) }));
    expect(found?.suspect).toMatchObject({ index: 40, run: 41, attribution: { kind, text } });
    expect(found?.suspect?.ratio).toBeGreaterThan(1.15);
    expect(found?.suspect?.ratio).toBeLessThan(1.25);
    expect(found?.suspect?.before).toBeGreaterThan(9.8);
    expect(found?.suspect?.before).toBeLessThan(10.2);
  });
}

test('reports an old change as a change and not as a suspect', () => {
  const facts = since(30, { version: '156.0' }, { version: '157.0' });
  const [found] = search(nights(60, { from: 30, ratio: 0.8, facts }));
  expect(found?.suspect).toBeNull();
  expect(found?.changes).toMatchObject([
    { index: 30, run: 31, attribution: { text: 'browser 156.0 → 157.0' } },
  ]);
  expect(found?.changes[0]?.ratio).toBeCloseTo(0.8, 1);
});

test('finds a change of the newest nights after an old one', () => {
  const generator = seededGenerator(53);
  const values = Array.from({ length: 50 }, (_, night) => {
    const level = night < 30 ? 10 : night < 47 ? 12 : 14;
    const version = night < 47 ? '156.0' : '157.0';
    return aNightValue(night + 1, level * Math.exp(0.01 * generator.normal()), { version });
  });
  const [found] = search(values);
  expect(found?.changes.map(({ index }) => index)).toEqual([30]);
  expect(found?.suspect?.index).toBe(47);
  expect(found?.suspect?.ratio).toBeCloseTo(14 / 12, 1);
});

test('rarely suspects a single spike, and in less than half of the cases after an update', () => {
  for (const version of ['156.0', '157.0']) {
    const values = Array.from({ length: 40 }, (_, index) =>
      nights(43, { facts: since(41, {}, { version }), seed: 100 + index }).map((one, night) => ({
        ...one,
        caseName: `case ${String(index)}`,
        median: night === 41 ? 50 : one.median,
      })),
    ).flat();
    const suspected = search(values, 43).filter(({ suspect }) => suspect !== null);
    // The night after an update may agree with a spike by chance, on its side of the level: then it is measured.
    expect(suspected.length).toBeLessThan(version === '156.0' ? 2 : 20);
  }
});

test('suspects nothing in a series without a value of this run', () => {
  const facts = since(40, { version: '156.0' }, { version: '157.0' });
  expect(search(nights(43, { from: 40, ratio: 1.2, facts }), 44)[0]?.suspect).toBeNull();
});

test('does not search a series with a value of 0, and says why', () => {
  const values = nights(30).map((one, night) => (night === 7 ? { ...one, median: 0 } : one));
  expect(search(values)[0]).toMatchObject({
    changes: [],
    suspect: null,
    notSearched: expect.stringMatching(/no ratio.* 0 ms .*run 8/),
  });
});

test('finds nothing in a young series, without an error', () => {
  for (const count of [1, 2, 11]) {
    expect(search(nights(count))[0]).toMatchObject({
      changes: [],
      suspect: null,
      notSearched: null,
    });
  }
});

test('titles a series', () => {
  const [series] = makeNightSeries([aNightValue(1, 10, { benchmark: aBenchmark.id })]);
  expect(series === undefined ? null : seriesTitle(series)).toMatch(
    /duration .*fib function=asyncFib n=12 .*chromium/,
  );
});

/** Three cases over fifty nights: one as it was, one that changed long ago, one that did last night but two. */
function trends() {
  const generator = seededGenerator(81);
  const values = Array.from({ length: 50 }, (_, night) =>
    [Infinity, 20, 47].map((from, index) =>
      aNightValue(night + 1, (night < from ? 10 : 15) * Math.exp(0.01 * generator.normal()), {
        caseName: ['same', 'old', 'new'][index],
        version: night < 47 ? '156.0' : '157.0',
      }),
    ),
  ).flat();
  const order = { run: 50, generator: seededGenerator(1) };
  return describeTrends(searchHistory(makeNightSeries(values), order), 'nightly');
}

test('lists changed series, the newest change first, with the number of searched ones', () => {
  const told = trends();
  expect(told).toMatchObject({ suite: 'nightly', nights: 50, series: 3 });
  expect(told.trends.map(({ caseName }) => caseName)).toEqual(['new', 'old']);
});

test('describes a change by its night, size, cause and state', () => {
  const [fresh, old] = trends().trends;
  expect(fresh?.changes).toMatchObject([
    {
      run: 48,
      cause: 'browser 156.0 → 157.0',
      state: 'suspect',
      builds: { before: '156.0', after: '157.0' },
    },
  ]);
  expect(old?.changes).toMatchObject([{ run: 21, cause: 'nothing known', state: 'settled' }]);
  expect(old?.changes[0]?.ratio).toBeCloseTo(1.5, 1);
});

test('levels lie between the changes, and cover every night once', () => {
  const [fresh, old] = trends().trends;
  expect(fresh?.levels.map(({ from, to }) => [from, to])).toEqual([
    [0, 46],
    [47, 49],
  ]);
  expect(old?.levels.map(({ from, to }) => [from, to])).toEqual([
    [0, 19],
    [20, 49],
  ]);
  expect(old?.levels[1]?.median).toBeCloseTo(15, 0);
});
