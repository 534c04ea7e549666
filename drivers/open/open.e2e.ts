import { describeDriver, findInstalled, type CaseName } from '../conformance.ts';
import { openDriver } from './open.ts';

const notBeforeTheFirstPage: CaseName[] = [
  'a launch that is aborted on the way leaves nothing running',
  'a launch that takes too long is given up and leaves nothing running',
];
const without = Object.fromEntries(
  notBeforeTheFirstPage.map((name) => [name, 'nothing is started before the first page is opened']),
);

describeDriver({
  driver: openDriver,
  browser: 'chromium',
  executable: findInstalled('/usr/bin/chromium'),
  without,
});

describeDriver({
  driver: openDriver,
  browser: 'firefox',
  executable: findInstalled('/usr/bin/firefox-esr', '/usr/bin/firefox'),
  without,
});

// As docs/devices.md installs it.
describeDriver({
  driver: openDriver,
  browser: 'program',
  how: ' (QtWebEngine)',
  executable: findInstalled('/opt/qtwebengine/bin/python'),
  flags: ['/opt/qtwebengine/qtwebengine.py', '{profile}', '{url}'],
  without,
});
