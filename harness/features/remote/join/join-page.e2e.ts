import { chromium, expect, test, type Browser, type Page } from '@playwright/test';
import { pagesFolder } from '../../../core/project.ts';
import { type PageServer, startPageServer } from '../../../core/server/page-server.ts';
import { findOnPath } from '../../../core/setup/executable.ts';
import { ClientRegistry } from './client-registry.ts';
import { addJoin } from './join-routes.ts';

const executablePath = findOnPath(['chromium', 'chromium-browser']);
test.skip(
  executablePath === null,
  'Chromium is not installed here; npx crossfarm devices setup gets it',
);

let browser: Browser;
let registry: ClientRegistry;
let server: PageServer;

test.beforeAll(async () => {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  browser = await chromium.launch({ executablePath: executablePath ?? '', args });
});

test.afterAll(() => browser.close());

test.beforeEach(() => start(0));

test.afterEach(() => server.close());

/** Starts a farm that knows no device yet. */
async function start(port: number): Promise<void> {
  registry = new ClientRegistry({ inviteMs: 60_000, now: () => 0 });
  const invite = { secret: 'the-owner', show: () => Promise.resolve('') };
  server = await startPageServer({
    pages: pagesFolder(),
    port,
    door: (app) => addJoin(app, { registry, invite }),
  });
}

/** Joins as a person does, and waits for the farm. */
async function joined(): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${server.origin}/join/${registry.invite()}`);
  const client = registry.nextClient(AbortSignal.timeout(60_000));
  await page.getByLabel('What do you call this device?').fill('Pixel');
  await page.getByRole('button', { name: 'Join' }).click();
  await (await client).arrived(AbortSignal.timeout(60_000));
  return page;
}

test('a device is done when the farm says so', async () => {
  const page = await joined();
  await registry.end('Thank you.');
  await expect(page.getByRole('heading')).toHaveText('Done');
  await expect(page.getByRole('status')).toHaveText('Thank you.');
});

test('a device learns that a farm which was started anew does not know it', async () => {
  const page = await joined();
  await server.close();
  await start(Number(new URL(page.url()).port));
  await expect(page.getByRole('heading')).toHaveText('Not joined');
  await expect(page.getByRole('status')).toHaveText('Join first: scan the code.');
});
