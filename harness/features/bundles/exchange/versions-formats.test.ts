/** Comparisons of versions of a page, as other programs get them. */
import { expect, test } from '@playwright/test';
import { DOMParser } from 'linkedom';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Benchmark } from '../../../core/model/case.ts';
import type { RunRecord } from '../../../core/model/run.ts';
import {
  aBenchmark,
  aCompletion,
  aFoundDevice,
  aJob,
  aQuarantinedTrial,
  aRecord,
  aResult,
  aTrial,
} from '../../../testing/builders.ts';
import { aFakeFarm } from '../../../testing/fake-farm.ts';
import { pagesWith } from '../../../testing/fake-pages.ts';
import { renderJunit } from './junit.ts';
import { perfherderData } from './perfherder.ts';
import { actionBenchmarks, bencherMetrics, prometheusText } from './trackers.ts';

interface Asked {
  readonly names?: readonly [string, string];
  /** How many times the first version's time the second takes. */
  readonly ratio?: number;
  readonly failOn?: string;
  readonly status?: 'finished' | 'interrupted';
  readonly blocks?: number;
  /** Of the second version. */
  readonly errors?: readonly string[];
  readonly quarantined?: boolean;
}

/** A run of two versions of a page that one browser loaded. */
function aComparison({
  names = ['1f3c9ab', '77e01d2'],
  ratio = 1.09,
  failOn = ' --fail-on slower=0.05',
  status = 'finished',
  blocks = 12,
  errors = [],
  quarantined = false,
}: Asked = {}): RunRecord {
  const benchmark: Benchmark = {
    ...aBenchmark,
    id: 'page',
    parameters: [{ kind: 'choice', name: 'version', values: names, default: names[0] }],
  };
  const trials = Array.from({ length: 2 * blocks }, (_, index) => {
    const [block, side] = [Math.floor(index / 2), index % 2];
    const one = { benchmark, parameters: { version: names[side] ?? '' } };
    const job = aJob({ ordinal: index, block, case: one, deviceId: 'chromium' });
    const time = (100 + (block % 3)) * (side === 1 ? ratio : 1);
    if (quarantined) return aQuarantinedTrial(job, [time]);
    const said = side === 1 && errors.length > 0 ? { errors } : {};
    return aTrial(job, aCompletion({ result: aResult([time], said) }));
  });
  const record = aRecord([aFoundDevice('chromium')], trials);
  const command = `npx crossfarm compare --margin 0.05${failOn} --max-blocks 12`;
  return { ...record, run: { ...record.run, suite: 'versions', command, status } };
}

/** How each test of the XML ended. */
function endingsIn(xml: string): Readonly<Record<string, string>> {
  const document = new DOMParser().parseFromString(xml, 'text/xml');
  return Object.fromEntries(
    [...document.querySelectorAll('testcase')].map((one) => [
      one.getAttribute('name') ?? '',
      one.querySelector('failure, error, skipped')?.tagName.toLowerCase() ?? 'fine',
    ]),
  );
}

const measured = 'page version=head duration';

for (const [what, asked, ending] of [
  ['slower by more than its limit fails', {}, 'failure'],
  ['slower within its limit passes', { failOn: ' --fail-on slower=0.2' }, 'fine'],
  ['slower without a limit fails', { failOn: '' }, 'failure'],
  ['faster passes', { ratio: 0.8 }, 'fine'],
  ['undecided is skipped', { ratio: 1.05 }, 'skipped'],
  [
    'undecided is an error where the run did not end',
    { blocks: 2, status: 'interrupted' },
    'error',
  ],
  ['slower on a busy machine fails, as it counts', { quarantined: true }, 'failure'],
] as const) {
  test(`JUnit of versions: ${what}`, () => {
    expect(endingsIn(renderJunit(aComparison(asked)))[measured]).toBe(ending);
  });
}

test('JUnit fails for an error that one version alone has, as --fail-on does', () => {
  const xml = renderJunit(aComparison({ ratio: 1, errors: ['<b>no "x"\u0007'] }));
  expect(endingsIn(xml)).toEqual({
    [measured]: 'fine',
    'page version=base errors of its own': 'fine',
    'page version=head errors of its own': 'failure',
  });
  expect(xml).toContain('message="&lt;b&gt;no &quot;x&quot;\uFFFD (12 of 12 trials)"');
  expect(xml).toContain('<testsuites name="crossfarm run 1: versions" tests="3" failures="1"');
});

test('names stay the same at the next commit, with versions in a separate field', () => {
  const one = aComparison();
  const next = aComparison({ names: ['77e01d2', 'abc0123'] });
  const nameOf = (record: RunRecord): unknown => [
    Object.keys(endingsIn(renderJunit(record))),
    perfherderData(record).suites.map(({ name, subtests }) => [name, subtests.map((s) => s.name)]),
    Object.keys(bencherMetrics(record)),
    actionBenchmarks(record, 'lower').map(({ name }) => name),
    prometheusText(record).match(/^crossfarm_(value|trials|failed)\{.*\}/gm),
  ];
  expect(nameOf(next)).toEqual(nameOf(one));
  expect(renderJunit(one)).toContain('<property name="head" value="77e01d2"/>');
  expect(perfherderData(one).suites[0]?.subtests[1]?.version).toBe('77e01d2');
  expect(prometheusText(one)).toContain('version_base="1f3c9ab",version_head="77e01d2"} 1');
});

test('two pages of one project have names of their own', () => {
  const named = (page: string): readonly string[] => {
    const one = aComparison();
    const command = one.run.command.replace('compare', `compare --page ${page}`);
    const record = { ...one, run: { ...one.run, command } };
    return [
      Object.keys(endingsIn(renderJunit(record)))[0] ?? '',
      perfherderData(record).suites[0]?.name ?? '',
      Object.keys(bencherMetrics(record))[1] ?? '',
    ];
  };
  expect(named('bench/sort.html')).toEqual([
    'bench/sort.html version=head duration',
    'bench/sort.html chromium',
    'bench/sort.html version=head chromium',
  ]);
  expect(named("'my list.html'")[1]).toBe('my list.html chromium');
});

test('every tracker gets the numbers of the report, also of a busy machine', () => {
  const record = aComparison({ quarantined: true });
  const [suite] = perfherderData(record).suites;
  expect(suite?.subtests).toMatchObject([
    { name: 'page version=base duration', value: 101, lowerIsBetter: true },
    { name: 'page version=head duration', value: expect.closeTo(110.09, 6) as unknown },
  ]);
  const bmf = bencherMetrics(record);
  expect(bmf['page version=head chromium']?.['duration (ms)']).toEqual({
    value: expect.closeTo(110.09, 6) as unknown,
    lower_value: expect.closeTo(109, 6) as unknown,
    upper_value: expect.closeTo(111.18, 6) as unknown,
  });
  expect(actionBenchmarks(record, 'higher')).toEqual([]);
  expect(actionBenchmarks(record, 'lower')[1]).toMatchObject({
    name: 'page version=head duration chromium',
    unit: 'ms',
    range: expect.stringMatching(/^± 1\.09/),
    extra: '12 trials\nversion 77e01d2\ncompared with base: worse',
  });
  expect(prometheusText(record)).toContain(
    'crossfarm_failed{device="chromium",case="page version=head",metric="duration",unit="ms",better="lower"} 1\n',
  );
});

test('a hostile name of a version stays inside its quotes @attack', () => {
  const names = ['__proto__', 'x"} 1\nevil 2\\\u001b[2J\u202e'] as const;
  const text = prometheusText(aComparison({ names }));
  expect(text).toContain(String.raw`version_head="x\"} 1\nevil 2\\?[2J?"} 1`);
  expect(text).not.toMatch(/^evil/m);
  expect(text.endsWith('\n')).toBe(true);
  const long = aComparison();
  const metrics = [0, 1].map((n) => ({
    ...aBenchmark.metrics[0]!,
    id: `${'m'.repeat(200)}${String(n)}`,
  }));
  for (const { case: one } of long.jobs) Object.assign(one.benchmark, { metrics });
  for (const { outcome } of long.trials) {
    if (outcome.kind !== 'completed') continue;
    const samples = metrics.map(({ id }) => ({ metric: id, unit: 'ms', warmUp: [], timed: [1] }));
    Object.assign(outcome.result, { samples });
  }
  const measures = Object.keys(bencherMetrics(long)['page version=base chromium'] ?? {});
  expect(measures).toHaveLength(2);
  for (const one of measures) expect(one.length).toBeLessThanOrEqual(64);
});

test('what --fail-on fails is what the stored run fails in JUnit', async () => {
  const trial = pagesWith((version) => ({ score: version === 'old.html' ? 100 : 109 }));
  const { folder, farm } = await aFakeFarm({ devices: ['chromium'], trial });
  for (const name of ['old.html', 'new.html']) {
    await writeFile(join(folder, name), `<!doctype html><title>${name}`);
  }
  const asked = ['--measure', 'score', '--max-blocks', '9', '--fail-on', 'slower=5%'];
  expect((await farm('compare', 'old.html', 'new.html', '--seed', '1', ...asked)).code).toBe(1);
  const { stdout } = await farm('export', '--format', 'junit');
  expect(endingsIn(stdout)).toMatchObject({ 'page version=head score': 'failure' });
  for (const format of ['bencher', 'customSmallerIsBetter', 'prometheus']) {
    expect((await farm('export', '--format', format)).stdout).toContain('page version=head');
  }
});
