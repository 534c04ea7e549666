import { chromium, expect, test, type Browser, type Page } from '@playwright/test';
import { issueCertificate } from '../app/tls/authority.ts';
import { pagesFolder } from '../project.ts';
import { findOnPath } from '../setup/executable.ts';
import { useOwnState } from '../../testing/own-state.ts';
import { type PageServer, startPageServer } from './page-server.ts';

const executablePath = findOnPath(['chromium', 'chromium-browser']);
test.skip(
  executablePath === null,
  'Chromium is not installed here; npx crossfarm devices setup gets it',
);

useOwnState();

let browser: Browser;
let server: PageServer;

test.beforeAll(async () => {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  browser = await chromium.launch({ executablePath: executablePath ?? '', args });
});

test.afterAll(() => browser.close());

test.beforeEach(async () => {
  const tls = await issueCertificate('127.0.0.1');
  server = await startPageServer({
    pages: pagesFolder(),
    port: 0,
    tls,
    door: (app) => {
      app.get('/join/:code', (_request, reply) => reply.type('text/html').send('<h1>Here</h1>'));
      return Promise.resolve();
    },
  });
});

test.afterEach(() => server.close());

const join = (): string => server.trust!.wayTo(`${server.origin}/join/AAAAAAAAAAAAAAAAAAAAAA`);

async function open(trusts: boolean, userAgent: string): Promise<Page> {
  const context = await browser.newContext({ ignoreHTTPSErrors: trusts, userAgent });
  const page = await context.newPage();
  await page.goto(join());
  return page;
}

const android = 'Mozilla/5.0 (Linux; Android 15; Pixel 8) Chrome/150.0.0.0 Mobile';
const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Version/18.5 Safari/604.1';

test('a device that trusts the farm goes on at once', async () => {
  const page = await open(true, android);
  await expect(page.getByRole('heading', { name: 'Here' })).toBeVisible();
  expect(page.url()).toMatch(/^https:/);
});

test('a device that trusts the farm a moment later goes on by itself', async () => {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, userAgent: android });
  const page = await context.newPage();
  await page.route('**/trusted', (route) => route.abort(), { times: 1 });
  await page.goto(join());
  await expect(page.getByText('does not trust the farm yet')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Here' })).toBeVisible();
});

for (const [system, userAgent, way] of [
  ['Android', android, /Install a certificate → CA certificate/],
  ['iPhone and iPad', iphone, /Certificate Trust Settings/],
] as const) {
  test(`another one sees the way of its own system: ${system}`, async () => {
    const page = await open(false, userAgent);
    await expect(page.getByRole('status')).toHaveText('This browser does not trust the farm yet.');
    await expect(page.locator('details').first()).toContainText(system);
    await expect(page.getByText(way)).toBeVisible();
    await expect(page.getByText(server.trust!.fingerprint)).toBeVisible();
    await expect(page.getByRole('link', { name: 'Go on' })).toBeHidden();
  });
}
