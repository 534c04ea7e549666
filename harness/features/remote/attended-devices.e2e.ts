import { chromium, test, type Browser, type Page } from '@playwright/test';
import { attendedDriver } from '../../../drivers/attended/attended.ts';
import { describeDriver } from '../../../drivers/conformance.ts';
import { DriverError, type Driver } from '../../../drivers/driver.ts';
import { pagesFolder } from '../../core/project.ts';
import { ClientRegistry } from './join/client-registry.ts';
import { addJoin } from './join/join-routes.ts';
import { startPageServer, type PageServer } from '../../core/server/page-server.ts';
import { findOnPath } from '../../core/setup/executable.ts';
import { attendedDevices } from './attended-devices.ts';

/** The conformance cases on a browser that joined, without further automation. */

const executablePath = findOnPath(['chromium', 'chromium-browser']);

let browser: Browser | null = null;
let server: PageServer | null = null;
let page: Page | null = null;
let joined: Driver | null = null;

test.beforeAll(async () => {
  if (executablePath === null) return;
  const registry = new ClientRegistry({ inviteMs: 60_000, now: () => performance.now() });
  const invite = { secret: 'a-screen-that-nobody-sees', show: () => Promise.resolve('') };
  server = await startPageServer({
    pages: pagesFolder(),
    port: 0,
    door: (app) => addJoin(app, { registry, invite }),
  });
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  browser = await chromium.launch({ executablePath, args });
  page = await browser.newPage();
  const client = registry.nextClient(AbortSignal.timeout(60_000));
  await page.goto(`${server.origin}/join/${registry.invite()}`);
  await page.getByLabel('What do you call this device?').fill('Pixel');
  await page.getByRole('button', { name: 'Join' }).click();
  const { presences, driverOf } = attendedDevices([await client], registry);
  const [presence] = presences;
  if (presence?.status !== 'found') throw new Error('the browser that joined is not there');
  joined = await driverOf(presence.target);
});

test.afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** The device joins when the tests run, and they are named before that. */
const driver: Driver = {
  ...attendedDriver,
  launch: (options) =>
    joined === null
      ? Promise.reject(new DriverError('not-supported', 'nobody has joined'))
      : joined.launch(options),
};

describeDriver({
  driver,
  browser: 'chrome',
  executable: executablePath,
  // It is there already.
  launchesAtOnce: true,
  crash: async () => {
    // A person reloads a page that hangs; its tab joins again by itself.
    await page?.reload();
  },
  without: {
    'a page is visible and, with the right headers, isolated with shared memory':
      'the page that frames it is of another server here; in a run both are of one (attend.e2e.ts)',
    'a second page inherits nothing, is visible, and the first one is closed':
      'all its pages are frames of one tab, and share its session storage',
    'hands flags to the browser': 'a person has started it',
    'lists the processes that it started, which carry the given environment': 'it starts none',
    'a program that cannot be run is a failed launch': 'it starts none',
  },
});
