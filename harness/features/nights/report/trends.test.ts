import { expect, test } from '@playwright/test';
import { renderWhole } from '../../../../reports/golden/whole-report.ts';
import type { AnomalyFacts, Trend, Trends } from '../../../core/results/index.ts';
import { anExample } from '../../../../reports/golden/example.ts';
import { visibleWords } from '../../../../reports/golden/markup.ts';

const aTrend = (overrides: Partial<Trend> = {}): Trend => ({
  targetId: 'chromium',
  caseName: 'fib <n>=20',
  metric: 'duration',
  unit: 'ms',
  nights: Array.from({ length: 30 }, (_, night) => ({
    run: night + 1,
    startedAt: `2026-01-${String(night + 1).padStart(2, '0')}T02:30:00.000Z`,
    median: night < 20 ? 10 : 11,
  })),
  levels: [
    { from: 0, to: 19, median: 10 },
    { from: 20, to: 29, median: 11 },
  ],
  changes: [
    {
      run: 21,
      startedAt: '2026-01-21T02:30:00.000Z',
      ratio: 1.1,
      cause: 'browser 156.0 → <157.0>',
      state: 'settled',
      builds: { before: '156.0', after: '157.0' },
    },
  ],
  ...overrides,
});

const render = (trends: Partial<Trends> = {}): Promise<string> =>
  renderWhole({
    ...anExample(),
    trends: { suite: 'nightly', nights: 30, needed: 12, series: 12, trends: [aTrend()], ...trends },
  });

test('draws a change over nights with its size, night and cause', async () => {
  const page = await render();
  expect(page).toContain('<h2 id="trends">Trends</h2>');
  expect(page).toContain('1.1×');
  expect(page).toContain('2026-01-21, run 21');
  expect(page).toContain('browser 156.0 → &lt;157.0&gt;');
  expect(page).toContain('aria-label="duration of fib &lt;n&gt;=20 on');
  expect(page).not.toContain('<157.0>');
});

test('reports the absence of changes and omits the section without history', async () => {
  expect(await render({ trends: [] })).toMatch(/30 nights:\s+no level changed/);
  expect(await renderWhole(anExample())).not.toContain('id="trends"');
});

test("a night's report with too few nights says how many remain", async () => {
  const trends = { suite: 'nightly', nights: 3, needed: 12, series: 0, trends: [] };
  const nothing = { changes: [], numbers: null, ledger: null, devices: [], anomalies: [] };
  const night = { ...nothing, headline: 'Nothing changed', lane: null, history: null };
  const page = await renderWhole({ ...anExample(), trends, night });
  expect(visibleWords(page)).toMatch(/12 nights.{0,20} 3 of nightly/);
  expect(await renderWhole({ ...anExample(), trends })).not.toContain('id="trends"');
});

test('says since when a device draws in another way', async () => {
  const differences = ['drawn by software (SwiftShader) → GPU (<b>M1</b>)'];
  const one = { targetId: 'chromium', run: 13, startedAt: '2026-01-13T02:30:00.000Z' };
  const page = await render({ breaks: [{ ...one, differences, series: 4 }] });
  expect(visibleWords(page)).toMatch(
    /Chromium.* since run 13 \(2026-01-13\):\s+drawn by software \(SwiftShader\) → GPU \(.*4 series/,
  );
  expect(page).not.toContain('<b>M1</b>');
});

test('draws the first twelve of many series and lists all', async () => {
  const page = await render({
    trends: Array.from({ length: 20 }, (_, index) => aTrend({ caseName: `case ${String(index)}` })),
  });
  expect(page).toContain('12 of 20 series');
  for (const name of ['case 0', 'case 19']) expect(page).toContain(`<bdi>${name}</bdi>`);
});

test('draws an axis for a series that moved in one night only', async () => {
  const flat = aTrend().nights.map((night) => ({ ...night, median: 10 }));
  expect(await render({ trends: [aTrend({ nights: flat })] })).toContain('<svg');
});

type OfAnomaly = Partial<NonNullable<AnomalyFacts['series']>> & { readonly state?: string };

/** A night whose newest nights changed, and a saved anomaly of the same change but for what is given. */
async function wordsWithAnomaly({ state = 'untriaged', ...others }: OfAnomaly): Promise<string> {
  const [change] = aTrend().changes;
  const trend = aTrend({ changes: [{ ...change!, state: 'suspect' }] });
  const { targetId, caseName, metric } = trend;
  const trends = { suite: 'nightly', nights: 30, needed: 12, series: 1, trends: [trend] };
  const anomaly = {
    id: 'N1',
    state,
    sentence: 'fib is slower',
    reason: null,
    since: '2026-01-22T02:30:00.000Z',
    command: 'npx crossfarm findings reproduce N1',
    blame: 'it is in <b> (fib.js:12), +8.1 ms',
    series: { targetId, caseName, metric, builds: change!.builds, ...others },
  };
  const nothing = { changes: [], numbers: null, ledger: null, devices: [], lane: null };
  const history = { series: 1, anomalies: ['N1: fib'], gone: [], unconfirmed: [] };
  const night = { ...nothing, headline: 'N1 is new', anomalies: [anomaly], history };
  return visibleWords(await renderWhole({ ...anExample(), trends, night }));
}

const suspected = 'Suspected, and not confirmed yet';

test('a change that was confirmed has a card with its function, and is no suspect', async () => {
  const confirmed = await wordsWithAnomaly({});
  expect(confirmed).toMatch(
    /Confirmed by measuring again N1: fib .*10 % slower.* N1: it is in <b&gt; \(fib\.js:12\), \+8\.1 ms/,
  );
  expect(confirmed).not.toContain(suspected);
});

test('an anomaly of another metric, or between other builds, confirms no change', async () => {
  // The older of two changes in a series may be confirmed after the newer one came.
  for (const other of [{ metric: 'another' }, { builds: { before: '155.0', after: '156.0' } }]) {
    const words = await wordsWithAnomaly(other);
    expect(words).toContain(suspected);
    expect(words).not.toContain('N1: it is in');
  }
});

test('a change whose anomaly was ignored or closed waits for nothing', async () => {
  for (const state of ['ignored', 'closed']) {
    const words = await wordsWithAnomaly({ state });
    expect(words).not.toContain(suspected);
    expect(words).not.toContain('N1: it is in');
  }
});
