import { existsSync } from 'node:fs';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { chromium, expect, test } from '@playwright/test';
import { projectRoot } from '../../core/project.ts';
import { findOnPath } from '../../core/setup/executable.ts';
import { heard, startFarm } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess, runInProcess } from '../../testing/in-process-farm.ts';
import { aStoredHistory } from '../../testing/stored-history.ts';

test('farm serve says where it listens, answers, and ends by Ctrl-C', async () => {
  const database = await aStoredHistory();
  const serving = startFarm(await aFolder(), [
    ...['serve', '--json', '--port', '0', '--database', database],
  ]);
  const printed = await heard(serving, /\}\n$/);
  const { url, api, benchmarks } = JSON.parse(printed) as Record<
    'url' | 'api' | 'benchmarks',
    string
  >;
  expect(new URL(url).hostname).toBe('127.0.0.1');
  const page = await (await fetch(new URL('/explore', url))).text();
  expect(page).toContain('crossfarm · explorer');
  const home = await (await fetch(url)).text();
  expect(home).toContain('What this farm has measured');
  for (const [, file] of `${page}${home}`.matchAll(
    /(?:src|href)="((?!data:)[^"#]+\.(?:js|css))"/g,
  )) {
    expect((await fetch(new URL(file!, url))).status, file).toBe(200);
  }
  expect(await (await fetch(api)).json()).toMatchObject({ openapi: '3.1.0' });
  expect(await (await fetch(benchmarks)).text()).toContain('<a href="/fib/index.html">');
  const opened = await fetch(new URL('fib/index.html', benchmarks));
  const listed = await (await fetch(new URL('/api/v1/pages', url))).json();
  expect((listed as { benchmarks: unknown[] }).benchmarks).toContainEqual(
    expect.objectContaining({
      url: `${benchmarks}fib/index.html?function=asyncFib&n=12&place=worker`,
    }),
  );
  expect(opened.headers.get('cross-origin-opener-policy')).toBe('same-origin');
  // Answers of the analysis come from another process, which Ctrl-C finds running.
  const analysed = ['/api/v1/runs/2/findings', '/api/v1/changes', '/api/v1/claims'];
  for (const path of [...analysed, '/api/v1/runs/2/outcome', '/report?run=2', '/trials/1']) {
    const answer = await fetch(new URL(path, url));
    expect(answer.status, await answer.text()).toBe(200);
  }
  serving.kill('SIGINT');
  expect((await serving).exitCode).toBe(0);
});

const lan = Object.values(networkInterfaces())
  .flatMap((one) => one ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

interface ServingHere {
  /** Waits until this was printed, and gives its group. @throws an Error with what was printed if serving ends before. */
  readonly told: (what: RegExp) => Promise<string>;
  /** Presses Ctrl-C, and gives the exit code. */
  readonly end: () => Promise<number>;
}

/** Serves with --lan in the process of its test, until that ends it. */
function serveHere(folder: string, ...args: readonly string[]): ServingHere {
  const ctrlC = new AbortController();
  let printed = '';
  let look = (): void => undefined;
  const serving = runInProcess(folder, ['serve', '--json', '--port', '0', '--lan', ...args], {
    signal: ctrlC.signal,
    onOutput: (text) => {
      printed += text;
      look();
    },
  });
  return {
    told: (what) =>
      new Promise((resolve, reject) => {
        look = () => {
          const group = what.exec(printed)?.[1];
          if (group !== undefined) resolve(group);
        };
        look();
        serving.then(() => {
          reject(new Error(`the farm ended without ${String(what)}: ${printed}`));
        }, reject);
      }),
    end: async () => {
      ctrlC.abort();
      return (await serving).code;
    },
  };
}

const explorerPrinted = /(\{[^{}]*"url"[^{}]*\})\n/;
const invitationPrinted = /(\{"type":"invitation".*\})\n/;

test('--lan admits devices of the local network, not to the explorer', async () => {
  test.skip(lan === undefined, 'this machine has no address in a local network');
  const serving = serveHere(await aFolder());
  try {
    const explorer = JSON.parse(await serving.told(explorerPrinted)) as { url: string };
    const invitation = JSON.parse(await serving.told(invitationPrinted)) as {
      url: string;
      screen: string;
    };
    expect(new URL(explorer.url).hostname).toBe('127.0.0.1');
    expect(new URL(invitation.url).hostname).toBe(lan);
    expect(await (await fetch(invitation.screen)).text()).toContain('<svg');
    // The explorer knows where the code is shown.
    const joining = await fetch(new URL('/api/v1/joining', explorer.url));
    expect(await joining.json()).toEqual({ joining: { screen: invitation.screen } });
    expect(await (await fetch(invitation.url)).text()).toContain('What do you call this device?');
    // A device that has not joined sees nothing of the pages.
    expect((await fetch(new URL('/promise/index.html', invitation.url))).status).toBe(403);
  } finally {
    expect(await serving.end()).toBe(0);
  }
});

/** Pages of which one case is the whole quick suite. */
async function aSmallSuite(folder: string): Promise<string> {
  const pages = join(folder, 'pages');
  await mkdir(join(pages, 'suites'), { recursive: true });
  const ours = (name: string): string => join(projectRoot(), 'pages', name);
  await symlink(ours('kit'), join(pages, 'kit'));
  await cp(ours('promise'), join(pages, 'promise'), { recursive: true });
  const suite = {
    title: 'one case',
    isolation: 'page',
    trials: 1,
    measurement: {
      iterations: 2,
      minIterations: 1,
      maxTimedMs: 100,
      minGranules: 1,
      warmUp: { minIterations: 1, maxIterations: 2, maxMs: 50 },
    },
    cases: [{ benchmark: 'promise', parameters: { operation: 'chain' } }],
  };
  await writeFile(join(pages, 'suites', 'quick.json'), JSON.stringify(suite));
  return pages;
}

test('a browser joins by code and runs while the explorer serves', async () => {
  test.skip(lan === undefined, 'this machine has no address in a local network');
  const executablePath = findOnPath(['chromium', 'chromium-browser']);
  test.skip(
    executablePath === null,
    'Chromium is not installed here; npx crossfarm devices setup gets it',
  );
  const folder = await aFolder();
  const serving = serveHere(folder, '--pages', await aSmallSuite(folder));
  const browser = await chromium.launch({
    executablePath: executablePath ?? '',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  try {
    const explorer = JSON.parse(await serving.told(explorerPrinted)) as { url: string };
    const invitation = JSON.parse(await serving.told(invitationPrinted)) as { url: string };
    const page = await (await browser.newContext()).newPage();
    await page.goto(invitation.url);
    await page.getByLabel('What do you call this device?').fill('My tablet');
    await page.getByRole('button', { name: 'Join' }).click();
    const finished = await serving.told(/(\{"type":"run-finished".*\})\n/);
    expect(JSON.parse(finished)).toMatchObject({ cells: { planned: 1, completed: 1 } });
    const shown = await fetch(new URL('/api/v1/runs', explorer.url));
    expect(await shown.json()).toMatchObject({ runs: [{ id: 1, status: 'finished' }] });
  } finally {
    await browser.close();
    expect(await serving.end()).toBe(0);
  }
  const { stdout } = await farmInProcess(folder, 'export', '--format', 'csv');
  expect(stdout).toContain('my-tablet,attended,chrome,');
});

test('serving a missing database does not create it, but serves it later', async () => {
  const folder = await aFolder();
  const database = join(folder, 'farm.db');
  const serving = startFarm(folder, ['serve', '--json', '--port', '0', '--database', database]);
  try {
    const { url } = JSON.parse(await heard(serving, /\}\n$/)) as { url: string };
    const runs = async (): Promise<unknown> => (await fetch(new URL('/api/v1/runs', url))).json();
    expect(await runs()).toMatchObject({ runs: [] });
    expect(existsSync(database)).toBe(false);
    await cp(await aStoredHistory(), database);
    expect(await runs()).toMatchObject({ runs: [{ id: 2 }, { id: 1 }] });
    expect((await fetch(new URL('/report?run=2', url))).status).toBe(200);
  } finally {
    serving.kill('SIGINT');
    expect((await serving).exitCode).toBe(0);
  }
});
