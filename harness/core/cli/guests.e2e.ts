import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, expect } from '@playwright/test';
import { projectRoot } from '../project.ts';
import { findOnPath } from '../setup/executable.ts';
import { farm, leftRunning } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';

const installed = [
  ...(findOnPath(['chromium', 'chromium-browser']) === null ? [] : ['chromium']),
  ...(findOnPath(['firefox', 'firefox-esr']) === null ? [] : ['firefox']),
];

const ms = { id: 'time', title: 'Time', unit: 'ms', direction: 'lower' };
const points = { id: 'score', title: 'Score', unit: 'points', direction: 'higher' };

interface Guest {
  readonly page?: string;
  readonly url?: string;
  readonly begin?: string;
  readonly result: object;
  readonly metric?: object;
  /** The script of its page, which knows nothing of the farm. */
  readonly script?: string;
}

/** A user's folder: a copy of external pages, and a suite that points at it. */
async function aSuiteOf(guests: Readonly<Record<string, Guest>>): Promise<string> {
  const folder = await aFolder();
  await mkdir(join(folder, 'pages', 'suites'), { recursive: true });
  await mkdir(join(folder, 'theirs'));
  await symlink(join(projectRoot(), 'pages', 'kit'), join(folder, 'pages', 'kit'));
  const declared = [];
  for (const [id, { script, metric = points, page, ...guest }] of Object.entries(guests)) {
    if (script !== undefined) {
      const html = `<!doctype html><title>${id}</title><script>${script}</script>`;
      await writeFile(join(folder, 'theirs', `${id}.html`), html);
    }
    const place =
      guest.url === undefined ? { folder: '../../theirs', page: `${id}.html${page ?? ''}` } : {};
    declared.push({ id, version: 1, title: id, metric, ...place, ...guest });
  }
  const rules = { iterations: 3, minIterations: 1, maxTimedMs: 100, minGranules: 100 };
  const warmUp = { minIterations: 0, maxIterations: 1, maxMs: 1 };
  const suite = {
    title: 'theirs',
    isolation: 'page',
    trials: 1,
    measurement: { ...rules, warmUp },
    guests: declared,
    cases: Object.keys(guests).map((benchmark) => ({ benchmark })),
  };
  await writeFile(join(folder, 'pages', 'suites', 'theirs.json'), JSON.stringify(suite));
  return folder;
}

interface Row {
  readonly device: string;
  readonly benchmark: string;
  readonly outcome: string;
  readonly reason: string;
  readonly value: string;
  readonly unit: string;
  readonly iterations: string;
}

/** Runs the suite, and returns its cells from `farm db export`. */
async function run(folder: string, ...args: readonly string[]): Promise<readonly Row[]> {
  const { stderr } = await farm(
    folder,
    ...['run', '--suite', 'theirs', '--pages', 'pages', '--measurement', 'fast', '--no-probes'],
    ...args,
  );
  const { stdout } = await farm(folder, 'export', '--format', 'csv');
  const [head = '', ...lines] = stdout.trimEnd().split('\n');
  const names = head.split(',');
  expect(lines.length, stderr).toBeGreaterThan(0);
  return lines.map((line) => {
    const fields = line.match(/(?<=^|,)("(?:[^"]|"")*"|[^,]*)/g) ?? [];
    return Object.fromEntries(names.map((name, at) => [name, fields[at]])) as unknown as Row;
  });
}

const readers: Readonly<Record<string, Guest>> = {
  'by-bench': {
    script: `let left = 3;
      const turn = () => {
        bench.start();
        for (let i = 0; i < 1e5; i++) Math.sqrt(i);
        bench.stop();
        if (--left > 0) setTimeout(turn);
      };
      turn();`,
    result: { by: 'bench', times: 3 },
    metric: ms,
  },
  'by-measure': {
    script: `setTimeout(() => { performance.mark('a'); performance.measure('all', 'a'); performance.measure('all', 'a'); }, 20);`,
    result: { by: 'measure', name: 'all', times: 2 },
    metric: ms,
  },
  'by-global': {
    // The page sees the same address as without the farm.
    script: `const score = location.search === '?auto=1' ? 42 : -1;
      setTimeout(() => { window.client = { result: { score } }; }, 20);`,
    page: '?auto=1',
    result: { by: 'global', name: 'client.result.score' },
  },
  /** The farm's traces that it can see before it has loaded: no requests, no script but its own. */
  alone: {
    script: `const asked = () => performance.getEntriesByType('resource').length;
      const own = location.pathname === '/alone.html' && location.search === '';
      const before = asked() + document.scripts.length - 1 + (own ? 0 : 10);
      let seen = null;
      addEventListener('load', () => { seen = before + asked(); });`,
    result: { by: 'expression', expression: 'seen' },
  },
  'by-expression': {
    script: `let done = false; const scores = [3, 1, 2]; const work = () => setTimeout(() => { done = true; }, 20);`,
    begin: 'work()',
    result: { by: 'expression', expression: 'done && scores' },
  },
};

for (const device of installed) {
  test(`${device} runs foreign pages and reads their numbers in each way`, async () => {
    const folder = await aSuiteOf(readers);
    const rows = await run(folder, '--device', device);
    const told = rows.map(({ benchmark, outcome, reason }) => `${benchmark} ${outcome} ${reason}`);
    expect(told.sort()).toEqual([
      'alone completed ',
      'by-bench completed ',
      'by-expression completed ',
      'by-global completed ',
      'by-measure completed ',
    ]);
    const rowOf = (id: string): Row | undefined => rows.find(({ benchmark }) => benchmark === id);
    expect(rowOf('alone')).toMatchObject({ value: '0' });
    expect(rowOf('by-bench')).toMatchObject({ iterations: '3', unit: 'ms' });
    expect(rowOf('by-measure')).toMatchObject({ iterations: '2', unit: 'ms' });
    expect(rowOf('by-global')).toMatchObject({ iterations: '1', value: '42', unit: 'points' });
    expect(rowOf('by-expression')).toMatchObject({ iterations: '3', value: '2', unit: 'points' });
    expect(leftRunning(folder)).toEqual([]);
  });
}

test('a page without a result times out; an unstartable one says why', async () => {
  test.skip(!installed.includes('chromium'), 'Chromium is not installed here');
  const never: Guest = { script: '', result: { by: 'global', name: 'client.score' } };
  const broken: Guest = { ...never, begin: 'nothing.there()' };
  const silent = await run(await aSuiteOf({ never }), '--device', 'chromium', '--deadline', '2');
  expect(silent.map(({ outcome }) => outcome)).toEqual(['timed-out']);
  // With a deadline that a busy machine keeps, too.
  expect(await run(await aSuiteOf({ broken }), '--device', 'chromium')).toEqual([
    expect.objectContaining({
      outcome: 'failed',
      reason: expect.stringMatching(/begins.*threw.*ReferenceError/) as unknown,
    }),
  ]);
});

for (const device of [
  ...installed,
  ...(findOnPath(['WebKitWebDriver']) === null ? [] : ['webkitgtk']),
]) {
  test(`a value whose getter never ends times out in ${device}, at a URL and in a folder`, async () => {
    const script = `Object.defineProperty(window, 'score', { get() { for (;;); } });`;
    const server = createServer((_request, response) => {
      const html = `<!doctype html><script>${script}</script>`;
      response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/x`;
      const result = { by: 'global', name: 'score' };
      const folder = await aSuiteOf({ remote: { url, result }, local: { script, result } });
      const rows = await run(folder, '--device', device, '--deadline', '4');
      expect(rows.map(({ outcome }) => outcome)).toEqual(['timed-out', 'timed-out']);
      expect(leftRunning(folder)).toEqual([]);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
}

test('reads URLs by capable drivers only, pages of folders anywhere', async () => {
  test.skip(!installed.includes('chromium'), 'Chromium is not installed here');
  const html = `<!doctype html><script>const go = () => setTimeout(() => { window.score = [7, 7]; }, 20);</script>`;
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/x`;
    const guest = { url, begin: 'go()', result: { by: 'global', name: 'score' } };
    const folder = await aSuiteOf({ remote: guest, 'by-global': readers['by-global']! });
    const rows = await run(folder, '--device', 'chromium,chromium-puppeteer,chromium-open');
    const rowOf = (id: string, of = 'remote'): Row | undefined =>
      rows.find(({ device, benchmark }) => device === id && benchmark === of);
    expect(rowOf('chromium')).toMatchObject({ outcome: 'completed', value: '7', iterations: '2' });
    expect(rowOf('chromium-puppeteer')).toMatchObject({ outcome: 'completed', value: '7' });
    expect(rowOf('chromium-open')).toMatchObject({
      outcome: 'skipped',
      reason: expect.stringContaining('nobody can look into the page'),
    });
    for (const device of ['chromium', 'chromium-puppeteer', 'chromium-open']) {
      const folderRow = rowOf(device, 'by-global');
      expect(folderRow, device).toMatchObject({ outcome: 'completed', value: '42' });
    }
  } finally {
    server.close();
  }
});

test('a missing folder is reported before anything is measured', async () => {
  test.skip(installed.length === 0, 'no browser is installed here');
  const folder = await aSuiteOf({ lost: { result: { by: 'global', name: 'score' } } });
  const path = join(folder, 'pages', 'suites', 'theirs.json');
  await writeFile(path, (await readFile(path, 'utf8')).replace('../../theirs', '../../nowhere'));
  const { code, stderr } = await farm(
    folder,
    'run',
    '--suite',
    'theirs',
    '--pages',
    'pages',
    '--device',
    installed[0]!,
  );
  expect(code).toBe(2);
  expect(stderr).toMatch(/The pages of lost are not there: .*nowhere is not a folder\./);
});
