import { expect, test } from '@playwright/test';
import { renderComparison } from './comparison.ts';
import type { CaseRow, CpuFacts, Findings } from '../harness/core/results/index.ts';
import type { PairVerdict } from '../harness/core/results/verdicts.ts';
import { drawOnce } from './golden/draw-once.ts';
import { someSchedule } from './golden/example-cpu.ts';
import { makeVerdicts } from './golden/example-verdicts.ts';
import { anExample, aRun, generator } from './golden/example.ts';
import { aLargeExample } from './golden/large-example.ts';
import { parseData, expectGolden, parsePage, visibleWords } from './golden/markup.ts';
import { aPairExample } from './golden/pair-example.ts';
import type { MeasuredCell } from './wording/difference.ts';

const render = drawOnce(renderComparison);
/** As most tests look at it. */
const example = anExample();
const pair = aPairExample();

const nothing: Findings = {
  ...example,
  runs: [],
  targets: [],
  benchmarks: [],
  rows: [],
  verdicts: { ...example.verdicts, baselineTargetId: null, pairs: [] },
  growth: [],
  crossover: [],
  truth: [],
  cpu: [],
  troubles: [],
  quarantined: [],
  cautions: [],
};

test('the representative report is the golden one', async () => {
  expectGolden(await render(example), 'comparison.html');
});

test('the same findings give the same report', async () => {
  expect(await renderComparison(anExample())).toBe(await renderComparison(anExample()));
});

test("the first screen shows measurement, outcome and each difference's certainty", async () => {
  const words = visibleWords(await render(example));
  expect(words).toMatch(/13 cases .*2 benchmarks .*3 browsers/);
  expect(words).toContain('1 more browser could not be found');
  expect(words).toMatch(
    /Firefox ESR is 3\.\d× slower in asyncFib\(26\); 24 of 25 comparisons differ/,
  );
  expect(words).toMatch(/▼ Firefox ESR is 3\.\d× slower \(3\.\d … 3\.\d×\) in asyncFib/);
  expect(words).toMatch(/1\.43 s against 457 ms, 9 blocks/);
  expect(words).toMatch(/24 comparisons .*12 ▼ slower , 12 ▲ faster/);
  expect(words).toMatch(/± 2 %; α = 5 %/);
  expect(words).toContain('Chromium ran without its sandbox');
});

test("a phone's heading keeps a number and its percent sign together", async () => {
  const page = parsePage(await render(pair));
  expect(page.querySelector('h1')?.textContent).toMatch(/ is 9\.6\u00a0% slower/);
});

test('shows more than eight targets as rows of a map', async () => {
  const large = aLargeExample({ targets: 9, cases: 3, trials: 8 });
  const page = parsePage(await renderComparison(large));
  const texts = (selector: string): readonly string[] =>
    [...page.querySelectorAll(selector)].map(({ textContent }) => textContent.trim());
  expect(texts('.heat thead th')).toHaveLength(4);
  expect(texts('.heat thead th')[0]).toBe('Browser');
  expect(texts('.heat tbody th')).toHaveLength(9);
  expect(texts('.heat tbody th')[8]).toMatch(/^Browser number 9 \d+\./);
  for (const row of [1, 2, 3]) {
    expect(
      texts(
        `.heat tbody tr:last-child td:nth-child(${String(row + 1)}) a[href="#row-${String(row)}"]`,
      ),
    ).toHaveLength(1);
  }
  expect(texts('main')[0]).toMatch(/in\s+9 browsers\./);
});

test('an undecided cell of the map says what was seen, in the colour of its size', async () => {
  const pairs = example.verdicts.pairs.map((pair) => ({ ...pair, ...tooFew }));
  const page = parsePage(
    await renderComparison({ ...example, verdicts: { ...example.verdicts, pairs } }),
  );
  const [first] = page.querySelectorAll(
    '.heat td.undecided:is(.slower-1, .slower-2, .slower-3, .slower-4)',
  );
  expect(first?.textContent).toMatch(/^\s*\?\s≈ [\d.]+(×| %) slower \(not decided\)\s*$/);
  expect(page.querySelector('.heat caption')?.textContent).toContain('not decided');
});

test('several times of a case are one finding, which says which time it is', async () => {
  const twice = <Of extends { readonly metric: string }>(all: readonly Of[]): readonly Of[] =>
    all.flatMap((one) => [{ ...one, metric: 'first-message' }, one]);
  const { verdicts } = example;
  const page = await renderComparison({
    ...example,
    rows: twice(example.rows),
    verdicts: { ...verdicts, pairs: twice(verdicts.pairs) },
  });
  const [, findings = ''] =
    /Largest differences(.*?)Of \d+ comparisons/s.exec(visibleWords(page)) ?? [];
  const told = [...findings.matchAll(/[▼▲] (\S+).*? is \S+.*?\) in (\S+ \S*)/g)];
  const names = told.map(([, who, where]) => `${String(who)} ${String(where)}`);
  expect(names.length).toBeGreaterThan(1);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !name.endsWith('(first-message)'))).toEqual([]);
});

test('sections are in the documented order', async () => {
  const page = await render(example);
  const ids = [...page.matchAll(/<h2 id="([^"]+)"/g)].map((match) => match[1]);
  expect(ids).toEqual([
    'in-short',
    'targets',
    'comparison',
    'steady',
    'growth',
    'crossover',
    'truth',
    'cpu',
    'troubles',
    'environment',
    'method',
    'repeat',
    'data',
  ]);
});

test('says once what all cases of a benchmark share', async () => {
  const words = visibleWords(await render(example));
  expect(words.match(/lower is better/g)).toHaveLength(example.benchmarks.length);
  expect(words).toContain('All cases: place parallel, duration, lower is better');
});

test("a case unfolds to its segments and every trial's value", async () => {
  const page = await render(example);
  const [, details = ''] =
    /<tbody id="row-1">.*?<td class="more"(.*?)<tbody id="row-2"/s.exec(page) ?? [];
  const words = visibleWords(details);
  expect(words).toMatch(
    /First call 39\.\d ms\. Segments: 17\.\d ms until 40\.0 ms; 9\.78 ms until/,
  );
  expect(words).toMatch(/Every trial Chromium (?:[\d.]+ ms, ){8}[\d.]+ ms Firefox/);
  expect(words).toContain('cores busy');
});

test('a cell without trials says why, and an interval below 95 % says so', async () => {
  const words = visibleWords(await render(example));
  expect(words).toContain('— every trial timed out after 60 s');
  expect(words).toContain('only 87 % sure');
  expect(words).toContain('no steady state in 4 of 9 trials');
});

/** The first row alone, with its cells and its pairs changed. */
function oneRow(
  change: Partial<CaseRow>,
  changePair: Partial<PairVerdict>,
  values?: (cell: MeasuredCell) => readonly number[],
): Findings {
  const { verdicts, rows, ...findings } = example;
  const row = { ...rows[0]!, ...change };
  const cells = row.cells.map((cell) =>
    cell.kind === 'measured' && values !== undefined
      ? { ...cell, values: values(cell), trials: values(cell).length }
      : cell,
  );
  const pairs = verdicts.pairs
    .filter((pair) => pair.a.caseName === row.caseName)
    .map((pair) => ({ ...pair, metric: row.metric, unit: row.unit, ...changePair }));
  return { ...findings, rows: [{ ...row, cells }], verdicts: { ...verdicts, pairs } };
}

const tooFew = { verdict: 'undecided', because: 'too-few-blocks', low: null, high: null } as const;

test('with few blocks a difference is called seen, not decided', async () => {
  const findings = oneRow({}, { ...tooFew, blocks: 3 }, ({ values }) => values.slice(0, 3));
  const page = await renderComparison(findings);
  const words = visibleWords(page);
  expect(words).toMatch(/\? undecided .{0,9}3 of the 8 blocks/);
  expect(words).toMatch(/seen: Firefox ESR .{0,9}3\.\d+×/);
  expect(words).toMatch(/3 trials each, .{0,9}no trial/);
  // 6! / (3! 3!) = 20 orders, in two of which they are apart.
  expect(words).toContain('1 in 10');
  // Once as the verdict, and once in what is advised.
  expect(words.match(/undecided/g)).toHaveLength(2);
  const [figure = ''] = /<figure class="forest">.*?<\/figure>/s.exec(page) ?? [];
  expect(figure).toContain('Hollow');
  // Two of them, each drawn on both of the axes that the reader may choose.
  expect(figure.match(/<circle class="m open"/g)).toHaveLength(4);
  expect(figure).not.toContain('<line class="i"');
});

test('shows no confidence for one trial each', async () => {
  const findings = oneRow({}, { ...tooFew, blocks: 1 }, ({ values }) => values.slice(0, 1));
  const words = visibleWords(await renderComparison(findings));
  expect(words).toContain('One trial each');
  expect(words).not.toContain('0 % confidence');
});

test('overlapping trials are no difference, however far apart the medians are', async () => {
  const findings = oneRow({}, { ...tooFew, blocks: 3 }, () => [1, 10, 100]);
  const words = visibleWords(await renderComparison(findings));
  expect(words).not.toContain('Difference seen');
  expect(words).toContain('No difference was seen');
});

test('a difference that is not significant among the others is undecided, with the reason', async () => {
  const words = visibleWords(await renderComparison(oneRow({}, { discovery: false })));
  expect(words).not.toContain('Largest differences');
  expect(words).toMatch(/2 comparisons .*2 \? undecided/);
  expect(words).toContain('slower alone');
});

test('equivalent has its interval and margin, undecided the blocks that it takes', async () => {
  const changed = { ratio: 1.01, low: 1.004, high: 1.015 };
  const same = oneRow({}, { ...changed, verdict: 'equivalent', significant: true });
  const equivalent = visibleWords(await renderComparison(same));
  expect(equivalent).toMatch(/= equivalent 1\.010?× 1\.004–1\.015×.{0,20}below the margin/);
  const open = oneRow({}, { ...changed, verdict: 'undecided', because: 'too-wide', moreBlocks: 7 });
  expect(visibleWords(await renderComparison(open))).toContain('about 7 more blocks');
});

test('the baseline is named, and has no ratio to itself', async () => {
  const { verdicts, ...findings } = example;
  const words = visibleWords(
    await renderComparison({ ...findings, verdicts: makeVerdicts(findings.rows, 'firefox') }),
  );
  expect(verdicts.baselineTargetId).toBe('chromium');
  expect(words).toContain('Firefox ESR (the stated baseline)');
  expect(words).toMatch(/Firefox ESR [\d.]+\sms baseline/);
});

test('a metric other than a time is compared by its name', async () => {
  const findings = oneRow({ direction: 'higher', unit: 'ops/s', metric: 'rate' }, {});
  const words = visibleWords(await renderComparison(findings));
  expect(words).toMatch(/Firefox ESR is 3\.\d+× higher .{0,20} in asyncFib\(18\) \(rate\)/);
});

test("a single pair's comparison begins with verdict, sides and chart", async () => {
  const page = await render(pair);
  const words = visibleWords(page);
  expect(words).toMatch(
    /▼ slower Chromium \(a\) .{0,9}1\.\d+× .{0,15}Chromium \(b\) .{0,12}1\.\d+–1\.\d+× at every look, 24 blocks, .{0,9}± 2 %, α = 5 %/,
  );
  expect(words).toMatch(/Chromium \(a\) is [\d.]+ % slower in control Written/);
  expect(page).toMatch(/<figure class="course">/);
  expect(page).toMatch(/aria-label="a \/ b in 24 blocks: [^"]*Interval [^"]*\d×/);
});

test('a pair with too few blocks has dots and no interval', async () => {
  const words = visibleWords(await renderComparison(aPairExample(5)));
  expect(words).toContain('before block 8');
  expect(words).toContain('Undecided: 5 of 8 blocks');
});

test('the caption of the running chart names the block at which its band begins', async () => {
  const { course } = pair.verdicts;
  expect(visibleWords(await render(pair))).toContain('band, from block 8 on');
  const looks = [{ blocks: 5, low: 1.05, high: 1.2 }, ...course!.looks];
  const verdicts = { ...pair.verdicts, course: { ...course!, looks } };
  const words = visibleWords(await renderComparison({ ...pair, verdicts }));
  expect(words).toContain('band, from block 5 on');
});

test('a comparison of one pair shows carry-over effects', async () => {
  const words = visibleWords(await render(pair));
  expect(words).toMatch(
    /Carry-over .* a right after b .{0,9}1\.002× .*0\.994–1\.011×.{0,20}compatible with none/,
  );
  expect(words).not.toContain('b right after a');
});

test('growth per step is shown with φ', async () => {
  const words = visibleWords(await render(example));
  expect(words).toMatch(/asyncFib φ 1\.618× 1\.615× 1\.604–1\.624×, 5 points ✓ holds φ/);
  expect(words).toMatch(/ fib — 1\.615× 1\.604–1\.624×, 5 points 1\.619×/);
});

test('marks a fitted growth only where it excludes a theory', async () => {
  const findings = anExample();
  const withTheory = (theory: Findings['growth'][number]['theory']): Findings => ({
    ...findings,
    growth: findings.growth.map((chart) => ({ ...chart, theory })),
  });
  const other = withTheory([{ by: 'fib', perStep: 2, label: 'two' }]);
  expect(visibleWords(await renderComparison(other))).toContain('✗ excludes two');
  const wide = withTheory([{ by: 'fib', perStep: 1.618, label: 'φ' }]);
  const growth = wide.growth.map((chart) => ({
    ...chart,
    fits: chart.fits.map((fit) => ({ ...fit, low: 0.2, high: 30 })),
  }));
  expect(visibleWords(await renderComparison({ ...wide, growth }))).toContain('? too wide for φ');
  const none = visibleWords(await renderComparison(withTheory([])));
  expect(none).not.toContain('In theory');
  expect(none).not.toContain('φ');
});

test('a crossover has its interval, or its place when not reached', async () => {
  const words = visibleWords(await render(example));
  expect(words).toContain('less than threads = 0');
  expect(words).toContain('38,413 36,120–41,003, 6 blocks, 96 %');
  expect(words).toContain('612,000 401,000 … not up to 1,000,000, 6 blocks, 96 %');
  expect(words).toMatch(/not up to 1,000,000 6 blocks, 96 %/);
  const [chart] = example.crossover;
  const once = { ...chart!.crossings[0]!, at: 5, low: 5, high: 5, confidence: 0, blocks: 1 };
  const from = { ...once, by: '4', at: 'always', low: 'always', high: 'always' } as const;
  const crossover = [{ ...chart!, crossings: [once, from] }];
  const few = visibleWords(await renderComparison({ ...example, crossover }));
  expect(few).toMatch(/ 5(\.00)? 1 block /);
  expect(few).toContain('below 1,000 1 block ');
});

test('recorded and true values are shown side by side', async () => {
  const words = visibleWords(await render(example));
  expect(words).toMatch(/1 µs 1\.005× 1\.01 µs, 2 trials/);
  expect(words).toMatch(/ 1 s 1\.\d+× 1\.\d+ s, 2 trials/);
});

/** The CPU facts of the first case on its first target alone, changed. */
function oneCard(change: Partial<CpuFacts>): Findings {
  const findings = anExample();
  return { ...findings, cpu: [{ ...findings.cpu[1]!, ...change }] };
}

test("stacks roles over time, draws cores as a heat map with others' share", async () => {
  const page = await renderComparison(oneCard({ foreignShare: 0.123 }));
  expect(page).toContain('js-main, gc, jit, io, other');
  expect(page).toMatch(/aria-label="Busy share of 2 cores over [^"]*"/);
  expect(visibleWords(page)).toContain('foreign 12 %');
  expect(visibleWords(await renderComparison(oneCard({ foreignShare: null })))).toContain(
    'foreign —',
  );
});

test('a window too short to sample has no timeline, and keeps its numbers', async () => {
  const { threads } = example.cpu[1]!;
  const short = { ...threads, timeline: null };
  const page = await renderComparison(oneCard({ threads: short }));
  expect(page).not.toContain('from below');
  expect(visibleWords(page)).toContain('cores busy');
});

test('a thread that no table knows stays visible by its name', async () => {
  const { threads } = example.cpu[1]!;
  if (!('threads' in threads)) throw new TypeError('threads');
  const stranger = { process: 'renderer', name: 'Quux', role: 'other', cpuMs: 0.1 };
  const page = await renderComparison(
    oneCard({ threads: { ...threads, threads: [...threads.threads, stranger] } }),
  );
  expect(visibleWords(page)).toContain('Other: Quux .');
});

test('draws the exact schedule by core with the sampled number', async () => {
  const schedule = someSchedule({ wallMs: 20_000, collectors: 3, random: generator(2) });
  const [without, page] = await Promise.all([
    renderComparison(oneCard({})),
    renderComparison(oneCard({ schedule: { ...schedule, lostEvents: 7 } })),
  ]);
  expect(schedule.cores.flat().length).toBeGreaterThan(20_000);
  expect(page.length - without.length).toBeLessThan(60_000);
  const words = visibleWords(page);
  expect(words).toMatch(/Cores busy .{0,9}kernel.{0,20} \d\.\d\d .{0,9}threads.{0,12} \d\.\d\d/);
  expect(words).toContain('7 events or slices');
  expect(words).toMatch(/core 1, \d+ % in use/);
  expect(page).toMatch(/close-up: .{0,50} 9\.97\ss .{0,9}50\.0\sms/);
});

test("names a trace's place and program, or why it is missing", async () => {
  const trace = { file: 'traces/run-7/a.json.gz', format: 'firefox-profile' } as const;
  const words = visibleWords(await renderComparison(oneCard({ trace })));
  expect(words).toMatch(
    /Trace: traces\/run-7\/a\.json\.gz .{0,40}database.{0,20}profiler\.firefox\.com/,
  );
  const not = { notSupported: 'it has no profiler.' };
  const without = visibleWords(await renderComparison(oneCard({ trace: not, schedule: not })));
  expect(without.match(/not supported: it has no profiler\./g)).toHaveLength(2);
  expect(visibleWords(await renderComparison(oneCard({})))).not.toContain('Trace:');
});

test('targets of one name are distinguished by their ids', async () => {
  const findings = anExample();
  const targets = findings.targets.map((target) => ({ ...target, name: 'Firefox' }));
  expect(visibleWords(await renderComparison({ ...findings, targets }))).toContain(
    'Firefox (webkitgtk)',
  );
});

test('renders a page without any data', async () => {
  const words = visibleWords(await renderComparison(nothing));
  expect(words).toContain('No browser took part');
  expect(words).toContain('There is no result to compare.');
  expect(words).toContain('No CPU reading');
  expect(words).toContain('None: no trial failed');
});

test('a run in which every target is missing says how to get them', async () => {
  const findings = anExample();
  const targets = findings.targets.map((target) => ({
    ...target,
    status: 'missing' as const,
    browser: null,
    reason: 'It is not installed.',
    remedy: `apt-get install ${target.id}`,
  }));
  const rows = findings.rows.map((row) => ({
    ...row,
    cells: targets.map(({ id }) => ({
      kind: 'missing' as const,
      targetId: id,
      why: 'not installed',
    })),
  }));
  const words = visibleWords(
    await renderComparison({ ...findings, targets, rows, growth: [], cpu: [] }),
  );
  expect(words).toContain('none of 4 browsers');
  expect(words).toContain('apt-get install webkitgtk');
  expect(words).toContain('— not installed');
});

for (const [status, says] of [
  ['running', '44 of 100 trials so far: 40 count, 1 failed, 3 skipped, 56 without an outcome.'],
  [
    'interrupted',
    'Stopped after 44 of 100 trials: 40 count, 1 failed, 3 skipped, 56 without an outcome.',
  ],
] as const) {
  test(`a ${status} run says how many trials have no outcome`, async () => {
    const cells = { planned: 100, completed: 40, failed: 1, timedOut: 0, skipped: 3 };
    const run = { ...aRun, status, finishedAt: null, cells };
    const findings = { ...example, runs: [run] };
    const words = visibleWords(await renderComparison({ ...findings, quarantined: [] }));
    expect(words).toContain(`unfinished ${says}`);
  });
}

test('points that a logarithmic axis cannot hold are left out and counted', async () => {
  const findings = anExample();
  const growth = findings.growth.map((chart) => ({
    ...chart,
    points: chart.points.map((point, i) => (i === 0 ? { ...point, y: 0, low: 0 } : point)),
  }));
  const words = visibleWords(await renderComparison({ ...findings, growth }));
  expect(words).toContain('1 of 30 points are not positive');
});

test('the embedded data hold every trial', async () => {
  const data = parseData(await render(example)) as Findings;
  const values = (of: Findings): number[] =>
    of.rows.flatMap((row) =>
      row.cells.flatMap((cell) => (cell.kind === 'measured' ? cell.values : [])),
    );
  const expected = values(example);
  expect(values(data)).toHaveLength(expected.length);
  values(data).forEach((value, i) => {
    expect(value).toBeCloseTo(expected[i]!, 4);
  });
  expect(data.cpu).toHaveLength(example.cpu.length);
});

test('a report of 3 targets and 20 cases is far below 1 MB', async () => {
  const page = await renderComparison(aLargeExample({ targets: 3, cases: 20, trials: 10 }));
  expect(Buffer.byteLength(page)).toBeLessThan(690_000);
});

test('where there is room, every case has its figures, however many they are', async () => {
  const page = await renderComparison(aLargeExample({ targets: 4, cases: 60, trials: 5 }));
  expect(Buffer.byteLength(page)).toBeLessThanOrEqual(2_000_000);
  expect(page.match(/<details class="case"/g)).toHaveLength(60);
  expect(visibleWords(page)).not.toContain('Figures are drawn for the');
});

test('a report of 200 cases stays within 2 MB and names omissions', async () => {
  const page = await renderComparison(aLargeExample({ targets: 10, cases: 200, trials: 30 }));
  expect(Buffer.byteLength(page)).toBeLessThanOrEqual(2_000_000);
  expect(visibleWords(page)).toMatch(
    /Figures are drawn for the \d+ cases .{0,30}; .{0,9}other \d+ .{0,9}numbers/,
  );
  // There is room for some.
  expect(Buffer.byteLength(page)).toBeGreaterThan(1_700_000);
  expect(parseData(page)).toMatchObject({ encoding: 'gzip+base64' });
});
