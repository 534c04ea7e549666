import { describeDriver, findInstalled } from '../conformance.ts';
import { puppeteerDriver } from './puppeteer.ts';

describeDriver({
  driver: puppeteerDriver,
  browser: 'chromium',
  executable: findInstalled('/usr/bin/chromium'),
  without: {
    'a trace that cannot be written keeps nothing from closing': 'written as under Playwright',
  },
});

describeDriver({
  driver: puppeteerDriver,
  browser: 'firefox',
  executable: findInstalled('/usr/bin/firefox-esr', '/usr/bin/firefox'),
  // The library launches both in the same way, but ends each by another protocol.
  covered: ['bounds'],
  quick: 'a second page inherits nothing, is visible, and the first one is closed',
});
