import { test, expect } from '@playwright/test';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aBenchmark } from '../../../testing/builders.ts';
import { aFolder } from '../../../testing/folder.ts';
import { loadCatalog, loadSuite } from './catalog.ts';
import { selectCases } from './selection.ts';
import { defaultMeasurement } from './measurement.ts';

const local = {
  id: 'theirs',
  version: 3,
  title: 'Theirs',
  folder: '../../copy',
  page: 'index.html?auto=1',
  result: { by: 'global', name: 'client.metrics.Score.values' },
  metric: { id: 'score', title: 'Score', unit: 'points', direction: 'higher' },
};

const { id, version, title, result, metric } = local;
const placeless = { id, version, title, result, metric };

async function aSuite(...guests: readonly object[]): Promise<string> {
  const pages = join(await aFolder(), 'pages');
  await mkdir(join(pages, 'suites'), { recursive: true });
  const suite = {
    title: 'pages that are not ours',
    isolation: 'session',
    trials: 3,
    measurement: defaultMeasurement,
    guests,
    cases: [{ benchmark: 'theirs' }],
  };
  await writeFile(join(pages, 'suites', 'other.json'), JSON.stringify(suite));
  return pages;
}

test('a suite brings a foreign page as a benchmark like any other', async () => {
  const pages = await aSuite(local);
  const catalog = await loadCatalog(pages);
  const suite = await loadSuite(catalog, 'other');
  expect(suite.cases).toEqual([{ benchmark: catalog.benchmarks[0], parameters: {} }]);
  expect(catalog.benchmarks[0]).toMatchObject({
    id: 'theirs',
    version: 3,
    parameters: [],
    metrics: [local.metric],
    guest: {
      places: [
        { place: { kind: 'folder', folder: join(pages, '../copy'), page: 'index.html?auto=1' } },
      ],
      readers: { score: local.result },
    },
  });
  const alone = await selectCases(catalog, { suite: null, benchmarks: ['theirs'], choices: {} });
  expect(alone.cases).toEqual(suite.cases);
});

test('a page at a URL names how it starts', async () => {
  const begun = { ...placeless, url: 'https://example.org/x?y#z', begin: 'go()' };
  const [guest] = (await loadCatalog(await aSuite(begun))).benchmarks;
  expect(guest).toMatchObject({
    description: expect.stringContaining('https://example.org/x?y#z') as unknown,
    guest: {
      places: [{ place: { kind: 'url', url: 'https://example.org/x?y#z' } }],
      begin: 'go()',
    },
  });
});

const refusals: readonly [string, object, RegExp][] = [
  ['nowhere', placeless, /\$\.guests\[0\]\.folder is missing: a page is in a folder, or at a URL/],
  ['in two places', { ...local, url: 'https://example.org/' }, /give one of both/],
  ['at a URL that is none', { ...placeless, url: 'file:///etc/passwd' }, /\$\.guests\[0\]\.url/],
  ['above its folder', { ...local, page: '../secret.html' }, /must be a file of the folder/],
  [
    'at a URL and calls the adapter',
    { ...placeless, url: 'https://example.org/', result: { by: 'bench' } },
    /\$\.guests\[0\]\.result\.by is "bench": nothing can be put into a page at a URL/,
  ],
  [
    'timed in points',
    { ...local, result: { by: 'measure', name: 'all' } },
    /\$\.guests\[0\]\.metric\.unit is "points": must be ms/,
  ],
  [
    'read by a global that is more than a name',
    { ...local, result: { by: 'global', name: 'steal()' } },
    /must be a name such as "results\.score"/,
  ],
  [
    'read in an unknown way',
    { ...local, result: { by: 'eyes' } },
    /\$\.guests\[0\]\.result\.by is "eyes"/,
  ],
];

for (const [how, guest, expected] of refusals) {
  test(`a page that is ${how} is refused`, async () => {
    await expect(loadCatalog(await aSuite(guest))).rejects.toMatchObject({
      code: 'bad-suite',
      message: expect.stringMatching(expected),
    });
  });
}

test('an id that a benchmark or another guest has is refused', async () => {
  await expect(loadCatalog(await aSuite(local, local))).rejects.toMatchObject({
    message: expect.stringMatching(/its guest "theirs" is one of .*other\.json, too/),
  });
  const pages = await aSuite(local);
  await mkdir(join(pages, 'theirs'));
  const ours = JSON.stringify({ ...aBenchmark, id: 'theirs' });
  await writeFile(join(pages, 'theirs', 'benchmark.json'), ours);
  await expect(loadCatalog(pages)).rejects.toMatchObject({
    message: expect.stringMatching(/"theirs" is a benchmark/),
  });
});
