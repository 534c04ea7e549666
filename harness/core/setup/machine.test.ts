import { expect, test } from '@playwright/test';
import type { SystemFiles } from '../system-files.ts';
import { otherBrowsers, parseMacVersion } from './machine.ts';

/** `/System/Library/CoreServices/SystemVersion.plist` of macOS 14.5, shortened. */
const plist = `<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0">
<dict>
\t<key>ProductName</key>
\t<string>macOS</string>
\t<key>ProductUserVisibleVersion</key>
\t<string>14.5</string>
\t<key>ProductVersion</key>
\t<string>14.5</string>
</dict>
</plist>`;

test('names a Mac’s system as its owner does', () => {
  expect(parseMacVersion(plist)).toBe('macOS 14.5');
  expect(parseMacVersion('bplist00')).toBeNull();
});

/** A system on which these programs run. */
function running(programs: readonly string[]): SystemFiles {
  const zeros = '0 '.repeat(40);
  return {
    list: () => programs.map((_, index) => String(index + 1)),
    read: (path) => {
      const pid = Number(path.split('/')[2]);
      return `${String(pid)} (${programs[pid - 1] ?? ''}) S ${zeros}`;
    },
  };
}

test('finds the browsers that run on Linux and macOS, each once', () => {
  expect(otherBrowsers(running(['bash', 'firefox-esr', 'chrome', 'chrome']))).toEqual([
    'firefox-esr',
    'chrome',
  ]);
  expect(otherBrowsers(running(['launchd', 'Google Chrome', 'Safari']))).toEqual([
    'Google Chrome',
    'Safari',
  ]);
});

test('does not know which browsers run where no process is shown', () => {
  expect(otherBrowsers(running([]))).toBeNull();
});
