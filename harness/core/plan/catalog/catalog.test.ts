import { test, expect } from '@playwright/test';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listHosts } from '../../model/case.ts';
import { pagesFolder } from '../../project.ts';
import { aBenchmark } from '../../../testing/builders.ts';
import { loadCatalog, loadSuite } from './catalog.ts';
import { expandCases } from './expansion.ts';
import { fastMeasurement } from './measurement.ts';
import { describeUnrestricted, selectCases } from './selection.ts';
import { aFolder } from '../../../testing/folder.ts';

test('every suite that comes with the farm loads, and its cases are distinct', async () => {
  const catalog = await loadCatalog(pagesFolder());
  expect(catalog.benchmarks.map((one) => one.id)).toEqual(
    expect.arrayContaining(['control', 'fib']),
  );
  for (const id of catalog.suites) {
    const suite = await loadSuite(catalog, id);
    const names = suite.cases.flatMap((one) =>
      listHosts(one).map((host) => JSON.stringify([host, one.benchmark.id, one.parameters])),
    );
    expect(new Set(names).size).toBe(names.length);
  }
});

test('the quick suite measures all six functions of the first study', async () => {
  const suite = await loadSuite(await loadCatalog(pagesFolder()), 'quick');
  const functions = new Set(suite.cases.map((one) => one.parameters['function']));
  for (const name of [
    'syncFib',
    'asyncFib',
    'syncBusyFib',
    'asyncBusyFib',
    'syncMemoFib',
    'asyncMemoFib',
  ]) {
    expect(functions).toContain(name);
  }
});

test('ranges, lists and defaults span the product of all parameters', () => {
  const cases = expandCases(aBenchmark, { n: '20..22', function: ['syncFib', 'asyncFib'] });
  expect(cases).toHaveLength(6);
  expect(cases[0]?.parameters).toEqual({ function: 'syncFib', n: 20 });
  expect(expandCases(aBenchmark, {})[0]?.parameters).toEqual({ function: 'asyncFib', n: 12 });
});

test('a value that is named twice is measured once', () => {
  expect(expandCases(aBenchmark, { n: ['20', '20..21'] })).toHaveLength(2);
});

for (const [value, expected] of [
  ['x', /n of fib cannot be "x"/],
  ['0..3', /n of fib cannot be "0..3"/],
  ['9..3', /cannot be "9..3"/],
  ['1..41', /cannot be/],
] as const) {
  test(`n=${value} is refused with what it may be`, () => {
    expect(() => expandCases(aBenchmark, { n: value })).toThrow(expected);
  });
}

test('an unknown parameter offers the nearest name', () => {
  expect(() => expandCases(aBenchmark, { functoin: 'syncFib' })).toThrow(
    expect.objectContaining({ next: expect.stringContaining('Did you mean "function"?') }),
  );
});

test('unknown suites and benchmarks offer the nearest name', async () => {
  const catalog = await loadCatalog(pagesFolder());
  await expect(
    selectCases(catalog, { suite: 'quik', benchmarks: [], choices: {} }),
  ).rejects.toMatchObject({
    code: 'unknown-suite',
    next: expect.stringContaining('Did you mean "quick"?'),
  });
  await expect(
    selectCases(catalog, { suite: null, benchmarks: ['fibb'], choices: {} }),
  ).rejects.toMatchObject({
    code: 'unknown-benchmark',
    next: expect.stringContaining('Did you mean "fib"?'),
  });
});

test('benchmarks and parameters narrow a suite down, and an empty rest is refused', async () => {
  const catalog = await loadCatalog(pagesFolder());
  const narrowed = await selectCases(catalog, {
    suite: 'quick',
    benchmarks: ['fib'],
    choices: { function: 'syncFib', n: '20..23' },
  });
  expect(new Set(narrowed.cases.map((one) => one.parameters['function']))).toEqual(
    new Set(['syncFib']),
  );
  await expect(
    selectCases(catalog, { suite: 'quick', benchmarks: [], choices: { n: '39' } }),
  ).rejects.toMatchObject({
    code: 'bad-argument',
    message: expect.stringContaining('Nothing of the suite quick'),
  });
});

test('a parameter restricts the benchmarks that have it, and no other', async () => {
  const catalog = await loadCatalog(pagesFolder());
  const choices = { function: 'asyncFib' };
  const ofSuite = await selectCases(catalog, { suite: 'quick', benchmarks: [], choices });
  const ids = ofSuite.cases.map(({ benchmark, parameters }) =>
    [benchmark.id, parameters['function']].join(' ').trim(),
  );
  expect(ids).toEqual(['control', 'fib asyncFib', 'promise']);
  expect(describeUnrestricted(ofSuite, choices)).toEqual([
    '--param function does not restrict control, promise: no such parameter there',
  ]);
  const both = { suite: null, benchmarks: ['fib', 'control'] };
  const alone = await selectCases(catalog, { ...both, choices: { n: '3..5' } });
  expect(alone.cases.map(({ benchmark }) => benchmark.id)).toEqual([
    'fib',
    'fib',
    'fib',
    'control',
  ]);
  await expect(selectCases(catalog, { ...both, choices: { m: '3' } })).rejects.toMatchObject({
    code: 'unknown-parameter',
    message: 'There is no parameter of fib, control "m".',
  });
});

test('accepts a value that only some benchmarks of a suite take', async () => {
  const catalog = await loadCatalog(pagesFolder());
  const asked = { suite: 'studies-full', benchmarks: ['fib', 'password-page'] };
  const { cases } = await selectCases(catalog, { ...asked, choices: { function: 'asyncFib' } });
  expect(new Set(cases.map(({ benchmark }) => benchmark.id))).toEqual(new Set(['fib']));
  const unknown = selectCases(catalog, { ...asked, choices: { function: 'nobody' } });
  await expect(unknown).rejects.toThrow(/Parameter function of fib cannot be "nobody"/);
});

test('a suite names the preset fast in place of rules', async () => {
  const pages = await aFolder();
  await mkdir(join(pages, 'suites'));
  await cp(join(pagesFolder(), 'control'), join(pages, 'control'), { recursive: true });
  const suite = { title: 'Smoke', isolation: 'session', trials: 2, measurement: 'fast' };
  const file = join(pages, 'suites', 'smoke.json');
  await writeFile(file, JSON.stringify({ ...suite, cases: [{ benchmark: 'control' }] }));
  const { measurement } = await loadSuite(await loadCatalog(pages), 'smoke');
  expect(measurement).toEqual(fastMeasurement);
  const unknown = { ...suite, measurement: 'quick', cases: [{ benchmark: 'control' }] };
  await writeFile(file, JSON.stringify(unknown));
  await expect(loadSuite(await loadCatalog(pages), 'smoke')).rejects.toMatchObject({
    code: 'bad-suite',
    message: expect.stringContaining('measurement'),
  });
});

test('a benchmark.json that is wrong names file and place', async () => {
  const pages = await aFolder();
  await mkdir(join(pages, 'mine'));
  await writeFile(
    join(pages, 'mine', 'benchmark.json'),
    JSON.stringify({ ...aBenchmark, id: 'mine', version: 0 }),
  );
  await expect(loadCatalog(pages)).rejects.toMatchObject({
    code: 'bad-benchmark',
    message: expect.stringMatching(/mine\/benchmark\.json .*\$\.version is 0/),
  });
  await writeFile(
    join(pages, 'mine', 'benchmark.json'),
    JSON.stringify({ ...aBenchmark, id: 'other' }),
  );
  await expect(loadCatalog(pages)).rejects.toMatchObject({
    message: expect.stringContaining('in the folder "mine"'),
  });
});

test('measures unnamed runtimes only where a suite asks or no browser could', async () => {
  const catalog = await loadCatalog(pagesFolder());
  const hostsFor = async (suite: string | null, ...benchmarks: string[]): Promise<unknown> =>
    (await selectCases(catalog, { suite, benchmarks, choices: {} })).hosts;
  expect(await hostsFor('runtimes')).toEqual(['runtime']);
  expect(await hostsFor('quick')).toBeUndefined();
  expect(await hostsFor(null, 'fib')).toEqual(['browser']);
  const immediate = { operation: 'setImmediate' };
  const narrow = { suite: null, benchmarks: ['promise'], choices: immediate };
  expect((await selectCases(catalog, narrow)).hosts).toEqual(['runtime']);
});
