import { expect, test } from '@playwright/test';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withEnvironment } from '../testing/environment.ts';
import { aFolder } from '../testing/folder.ts';
import { onPlatform } from '../testing/other-platform.ts';
import { debianPackages, describeRemedy, type PackagedName } from './system-packages.ts';

/** The remedy on a system that has these installers. */
async function remedyOn(
  platform: NodeJS.Platform,
  programs: readonly string[],
  name: PackagedName,
): Promise<string> {
  const folder = await aFolder();
  for (const program of programs) {
    await writeFile(join(folder, program), '');
    await chmod(join(folder, program), 0o755);
  }
  return withEnvironment({ PATH: folder }, () => onPlatform(platform, () => describeRemedy(name)));
}

test('names the command of the installer that the system has', async () => {
  const apt = 'sudo apt-get install --no-install-recommends';
  expect(await remedyOn('linux', ['apt-get'], 'Xvfb')).toBe(`${apt} xvfb`);
  expect(await remedyOn('linux', ['dnf'], 'Xvfb')).toBe('sudo dnf install xorg-x11-server-Xvfb');
  expect(await remedyOn('linux', ['apt-get', 'dnf'], 'C compiler')).toBe(`${apt} gcc libc6-dev`);
  expect(await remedyOn('darwin', ['brew'], 'geckodriver')).toBe('brew install geckodriver');
  expect(await remedyOn('darwin', ['brew'], 'chromedriver')).toBe(
    'brew install --cask chromedriver',
  );
  expect(await remedyOn('win32', ['winget.exe'], 'msedgedriver')).toBe(
    'winget install --exact --id Microsoft.EdgeDriver',
  );
});

test('never names an installer of another system, or one that is not there', async () => {
  expect(await remedyOn('darwin', ['apt-get'], 'pip')).toBe('install Python 3 with pip');
  expect(await remedyOn('win32', [], 'adb')).toBe('install the platform tools of Android');
  expect(await remedyOn('linux', ['apt-get'], 'geckodriver')).toBe('cargo install geckodriver');
  expect(await remedyOn('darwin', ['brew'], 'C compiler')).toContain('xcode-select --install');
});

test('setup installs the packages of Debian that the remedy names', () => {
  expect(debianPackages('C compiler')).toEqual(['gcc', 'libc6-dev']);
  expect(debianPackages('safaridriver')).toEqual([]);
});
