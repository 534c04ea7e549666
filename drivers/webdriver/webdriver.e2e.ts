import { test } from '@playwright/test';
import { execa } from 'execa';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeDriver, findInstalled, ofTheDriver } from '../conformance.ts';
import { startServer, type RunningServer } from '../shared/driver-server.ts';
import { watchEnding } from '../shared/step.ts';
import { webdriverDriver } from './webdriver.ts';

const xvfb = findInstalled('/usr/bin/Xvfb');
let stopDisplay: () => Promise<unknown> = () => Promise.resolve();
let display = process.env['DISPLAY'] ?? '';

test.beforeAll(async () => {
  if (display !== '' || xvfb === null) return;
  const started = execa(xvfb, ['-displayfd', '3', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    reject: false,
    buffer: false,
  });
  stopDisplay = () => {
    started.kill();
    return started;
  };
  const number = await new Promise((resolve) => started.stdio[3].once('data', resolve));
  display = `:${String(number).trim()}`;
});

test.afterAll(() => stopDisplay());

describeDriver({
  driver: webdriverDriver,
  browser: 'webkitgtk',
  executable:
    xvfb === null && display === ''
      ? null
      : findInstalled(
          '/usr/lib/x86_64-linux-gnu/webkitgtk-6.0/MiniBrowser',
          '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
          '/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
        ),
  server: findInstalled('/usr/bin/WebKitWebDriver'),
  environment: () => ({ DISPLAY: display }),
  quick: 'a second page inherits nothing, is visible, and the first one is closed',
});

describeDriver({
  driver: webdriverDriver,
  browser: 'wpewebkit',
  executable: findInstalled('/usr/bin/cog'),
  server: findInstalled('/usr/bin/WPEWebDriver'),
  covered: ofTheDriver,
});

const chromium = findInstalled('/usr/bin/chromium');
const chromedriver = findInstalled('/usr/bin/chromedriver');

describeDriver({
  driver: webdriverDriver,
  browser: 'chromium',
  executable: chromium,
  server: chromedriver,
  // Its server starts the browser in another thread, and may go before it answers.
  covered: ['bounds'],
});

test.describe('a server that is there already', () => {
  let running: RunningServer | null = null;

  test.beforeAll(async () => {
    if (chromedriver === null) return;
    running = await startServer(
      {
        path: chromedriver,
        arguments: (port) => [`--port=${String(port)}`],
        environment: { PATH: process.env['PATH'] ?? '', HOME: tmpdir() },
      },
      { ending: watchEnding(), abandoned: new AbortController().signal },
    );
  });

  test.afterAll(() => running?.program.end(3000));

  describeDriver({
    driver: webdriverDriver,
    browser: 'chromium',
    how: ' by address',
    executable: chromium,
    server: chromedriver === null ? null : () => `http://127.0.0.1:${String(running?.port)}`,
    remote: {},
    only: [
      'a second page inherits nothing, is visible, and the first one is closed',
      'a second page opens in the same browser',
      'returns the version of the live browser',
      'hands flags to the browser',
    ],
  });
});

describeDriver({
  driver: webdriverDriver,
  browser: 'firefox',
  executable: findInstalled('/usr/bin/firefox-esr', '/usr/bin/firefox'),
  server: findInstalled(
    '/usr/bin/geckodriver',
    '/usr/local/bin/geckodriver',
    // Where Cargo installs it.
    join(homedir(), '.cargo/bin/geckodriver'),
  ),
  covered: ofTheDriver,
});
