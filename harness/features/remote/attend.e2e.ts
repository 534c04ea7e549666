import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, expect, test, type Browser, type Page } from '@playwright/test';
import { findDisplay } from '../../core/model/display.ts';
import { projectRoot } from '../../core/project.ts';
import { findOnPath } from '../../core/setup/executable.ts';
import { openStore } from '../../core/store/store.ts';
import { farm, startFarm } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';

const executablePath = findOnPath(['chromium', 'chromium-browser']);
test.skip(
  executablePath === null,
  'Chromium is not installed here; npx crossfarm devices setup gets it',
);

interface Event {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A farm that waits for devices, and the events that it prints. */
class Attending {
  readonly folder: string;
  readonly #child: ReturnType<typeof startFarm>;
  readonly #events: Event[] = [];
  readonly #hearers = new Set<() => void>();

  constructor(folder: string, args: readonly string[]) {
    this.folder = folder;
    this.#child = startFarm(folder, ['attend', '--json', ...args]);
    let rest = '';
    this.#child.stdout.on('data', (chunk: Buffer) => {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      this.#events.push(...lines.map((line) => JSON.parse(line) as Event));
      for (const hear of this.#hearers) hear();
    });
  }

  /** The next event of this kind, or the one that there was. */
  async event(type: string): Promise<Event> {
    for (;;) {
      const found = this.#events.find((one) => one.type === type);
      if (found !== undefined) return found;
      await new Promise<void>((resolve, reject) => {
        this.#hearers.add(resolve);
        void this.#child.then(({ stderr }) => {
          reject(new Error(`the farm ended without "${type}": ${String(stderr)}`));
        });
      });
    }
  }

  interrupt(): void {
    this.#child.kill('SIGINT');
  }

  async end(): Promise<{ readonly code: number; readonly events: readonly Event[] }> {
    const { exitCode = -1 } = await this.#child;
    return { code: exitCode, events: this.#events };
  }
}

let browser: Browser;

test.beforeAll(async () => {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  browser = await chromium.launch({ executablePath: executablePath ?? '', args });
});

test.afterAll(() => browser.close());

/** Acts as a person: opens the address, names the device, and leaves it alone. */
async function joinBy(url: string, name: string): Promise<Page> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.getByLabel('What do you call this device?').fill(name);
  await page.getByRole('button', { name: 'Join' }).click();
  return page;
}

const small = [
  ...['--bench', 'promise', '--param', 'operation=chain', '--trials', '2'],
  ...['--measurement', 'fast'],
];

test('a device that scanned the code runs cases, stored as attended', async () => {
  const farmThere = new Attending(await aFolder(), small);
  const { url, screen } = await farmThere.event('invitation');
  const shown = await (await fetch(String(screen))).text();
  // No phone could open it.
  expect(shown).not.toContain('<svg');
  expect(shown).toContain(String(url));
  const page = await joinBy(String(url), 'My old Pixel');
  await expect(page.getByRole('status')).toHaveText(/Measuring \d of 2|has ended/);
  const { code, events } = await farmThere.end();
  expect(code).toBe(0);
  expect(events.at(-1)).toMatchObject({
    type: 'run-finished',
    cells: { planned: 2, completed: 2 },
  });
  await expect(page.getByRole('status')).toHaveText('The farm has ended. Thank you.');
  const { stdout } = await farm(farmThere.folder, 'export', '--format', 'csv');
  expect(stdout).toContain('my-old-pixel,attended,chrome,');
  const store = await openStore(join(farmThere.folder, '.farm', 'farm.db'));
  const { run, trials } = (await store.readRun(1))!;
  const { preset, command } = run;
  await store.close();
  for (const { outcome } of trials) {
    const display = outcome.kind === 'completed' ? findDisplay(outcome.readings) : null;
    expect(display).toMatchObject({ window: 'shown', scale: 1 });
  }
  expect(preset).toBe('fast');
  expect(command).toContain('--measurement fast');
});

test('the code is good for one device, and a second one sees that', async () => {
  const farmThere = new Attending(await aFolder(), [...small, '--count', '2']);
  const { url } = await farmThere.event('invitation');
  await joinBy(String(url), 'First');
  await farmThere.event('joined');
  const page = await (await browser.newContext()).newPage();
  await page.goto(String(url));
  await expect(page.getByText(/used by another device/)).toBeVisible();
  expect((await fetch(new URL('/promise/index.html', String(url)))).status).toBe(403);
  // The farm still waits for a second device, which does not come.
  farmThere.interrupt();
  expect((await farmThere.end()).code).toBe(3);
});

/** Pages of which the first trial hangs, as one does whose phone is put away. */
async function somePatientPages(folder: string): Promise<string> {
  const pages = join(folder, 'pages');
  await mkdir(join(pages, 'mine'), { recursive: true });
  await symlink(join(projectRoot(), 'pages', 'kit'), join(pages, 'kit'));
  const benchmark = {
    id: 'mine',
    version: 1,
    title: 'Mine',
    description: 'It hangs once.',
    page: 'index.html',
    parameters: [],
    metrics: [{ id: 'duration', title: 'Duration', unit: 'ms', direction: 'lower' }],
  };
  const result = {
    protocol: 1,
    clock: { granuleUs: 5, isolated: true },
    host: { userAgent: 'x', hardwareConcurrency: 1 },
    repeats: 1,
    steadiness: 'first run',
    samples: [{ metric: 'duration', unit: 'ms', warmUp: [], timed: [1] }],
    counters: {},
  };
  const page = `<!doctype html><title>mine</title><script type="module">
    const trial = '/trial/' + new URLSearchParams(location.search).get('trial');
    const post = (what, body) => fetch(trial + '/' + what, { method: 'POST', body: JSON.stringify(body) });
    await fetch(trial + '/assignment');
    if (localStorage.getItem('been here') === null) {
      localStorage.setItem('been here', 'yes');
      document.body.append('It hangs.');
    } else {
      await post('window', { mark: 'start' });
      await post('window', { mark: 'end' });
      await post('result', ${JSON.stringify(result)});
    }
  </script>`;
  await writeFile(join(pages, 'mine', 'benchmark.json'), JSON.stringify(benchmark));
  await writeFile(join(pages, 'mine', 'index.html'), page);
  return pages;
}

/** No screen is locked here: the page gets the event of one. */
function showPage(page: Page, state: 'visible' | 'hidden'): Promise<unknown> {
  return page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
}

for (const [how, interrupt] of [
  ['whose page is opened anew', (page: Page) => page.reload()],
  [
    'that is out of the network for a while',
    async (page: Page) => {
      await page.context().setOffline(true);
      await expect(page.getByRole('status')).toHaveText(/The farm cannot be reached/);
      await page.context().setOffline(false);
    },
  ],
  [
    'whose screen is locked for a while',
    async (page: Page) => {
      await showPage(page, 'hidden');
      await expect(page.locator('iframe')).toHaveCount(0);
      await showPage(page, 'visible');
    },
  ],
] as const) {
  test(`repeats the trial of a device ${how} and keeps the lost attempt`, async () => {
    const folder = await aFolder();
    const pages = await somePatientPages(folder);
    const farmThere = new Attending(folder, ['--pages', pages, '--bench', 'mine', '--trials', '1']);
    const { url } = await farmThere.event('invitation');
    const page = await joinBy(String(url), 'Pixel');
    await expect(page.frameLocator('iframe').getByText('It hangs.')).toBeVisible();
    await interrupt(page);
    const { code, events } = await farmThere.end();
    expect(code).toBe(0);
    expect(events.find(({ type }) => type === 'attempt-failed')).toMatchObject({
      attempt: 1,
      code: 'browser-died',
      message: expect.stringMatching(/^Pixel: .*(closed|came back without|locked)/),
    });
    expect(events.at(-1)).toMatchObject({ cells: { planned: 1, completed: 1 } });
  });
}
