import { describeDriver, findInstalled, ofTheDriver } from '../conformance.ts';
import { openDriver } from './open.ts';

/** Nothing is started before the first page is opened. */
const launchesAtOnce = true;

describeDriver({
  driver: openDriver,
  browser: 'chromium',
  executable: findInstalled('/usr/bin/chromium'),
  launchesAtOnce,
});

describeDriver({
  driver: openDriver,
  browser: 'firefox',
  executable: findInstalled('/usr/bin/firefox-esr', '/usr/bin/firefox'),
  covered: ofTheDriver,
});

// As docs/devices.md installs it.
describeDriver({
  driver: openDriver,
  browser: 'program',
  how: ' (QtWebEngine)',
  executable: findInstalled('/opt/qtwebengine/bin/python'),
  flags: ['/opt/qtwebengine/qtwebengine.py', '{profile}', '{url}'],
  covered: ofTheDriver,
});
