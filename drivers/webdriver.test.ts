import { test } from '@playwright/test';
import { execa } from 'execa';
import { describeDriver, findInstalled } from './conformance.ts';
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
});

describeDriver({
  driver: webdriverDriver,
  browser: 'chromium',
  executable: findInstalled('/usr/bin/chromium'),
  server: findInstalled('/usr/bin/chromedriver'),
});

describeDriver({
  driver: webdriverDriver,
  browser: 'firefox',
  executable: findInstalled('/usr/bin/firefox-esr', '/usr/bin/firefox'),
  server: findInstalled('/usr/bin/geckodriver', '/usr/local/bin/geckodriver'),
});
