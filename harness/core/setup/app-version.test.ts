import { expect, test } from '@playwright/test';
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { aDevice } from '../../testing/builders.ts';
import { withEnvironment } from '../../testing/environment.ts';
import { aFolder } from '../../testing/folder.ts';
import { onPlatform } from '../../testing/other-platform.ts';
import { loadDriver } from '../../../drivers/index.ts';
import { parseInfoPlist, parseRegistry } from './app-version.ts';
import { findDevice } from './presence.ts';

test.skip(process.platform === 'win32', 'the stand-ins are shell scripts');

/** Of Safari 17.5, shortened. */
const infoPlist = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
\t<key>CFBundleExecutable</key>
\t<string>Safari</string>
\t<key>CFBundleIdentifier</key>
\t<string>com.apple.Safari</string>
\t<key>CFBundleShortVersionString</key>
\t<string>17.5</string>
\t<key>CFBundleVersion</key>
\t<string>19618.2.12.11.6</string>
</dict>
</plist>
`;

const registry = `
HKEY_CURRENT_USER\\Software\\Microsoft\\Edge\\BLBeacon
    version    REG_SZ    131.0.2903.86

`;

async function aProgram(path: string, script: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

test('reads the version of a bundle and of the registry, and nothing of other texts', () => {
  expect(parseInfoPlist(infoPlist)).toBe('17.5');
  expect(parseInfoPlist('')).toBeNull();
  expect(parseInfoPlist(infoPlist.replace('17.5', 'none'))).toBeNull();
  expect(parseRegistry(registry)).toBe('131.0.2903.86');
  expect(parseRegistry('ERROR: The system was unable to find the specified key')).toBeNull();
});

test('on macOS no browser is started to learn its version', async () => {
  const folder = await aFolder();
  const started = join(folder, 'started');
  const app = join(folder, 'Google Chrome.app', 'Contents');
  const executable = await aProgram(join(app, 'MacOS', 'Google Chrome'), `touch '${started}'`);
  await writeFile(join(app, 'Info.plist'), infoPlist.replace('17.5', '131.0.6778.86'));
  const device = aDevice('chrome', { browser: 'chrome', driver: 'playwright', executable });
  await onPlatform('darwin', async () => {
    const driver = await loadDriver('playwright');
    expect(await findDevice(device, driver)).toMatchObject({
      status: 'found',
      target: { browser: { version: '131.0.6778.86' } },
    });
    // A list in Apple's binary form is read by its own program.
    await writeFile(join(app, 'Info.plist'), 'bplist00…');
    await aProgram(join(folder, 'bin/plutil'), `cat <<'END'\n${infoPlist}END`);
    await withEnvironment({ PATH: `${folder}/bin:/usr/bin:/bin` }, async () => {
      expect(await findDevice(device, driver)).toMatchObject({
        target: { browser: { version: '17.5' } },
      });
    });
  });
  expect(existsSync(started)).toBe(false);
});

test('on Windows no browser is started to learn its version', async () => {
  const folder = await aFolder();
  const [started, asked] = [join(folder, 'started'), join(folder, 'asked')];
  const path = join(folder, "it's/Microsoft/Edge/Application/msedge.exe");
  const executable = await aProgram(path, `touch "${started}"`);
  await aProgram(join(folder, 'bin/powershell.exe'), `echo "$4" > ${asked}; echo 131.0.2903.86`);
  const device = aDevice('edge', { browser: 'edge', driver: 'playwright', executable });
  await withEnvironment({ PATH: `${folder}/bin:/usr/bin:/bin` }, () =>
    onPlatform('win32', async () => {
      expect(await findDevice(device, await loadDriver('playwright'))).toMatchObject({
        status: 'found',
        target: { browser: { version: '131.0.2903.86' } },
      });
      // Without resources, what the browser wrote when it last ran.
      await aProgram(join(folder, 'bin/powershell.exe'), 'exit 1');
      await aProgram(join(folder, 'bin/reg.exe'), `cat <<'END'\n${registry}END`);
      expect(await findDevice(device, await loadDriver('playwright'))).toMatchObject({
        target: { browser: { version: '131.0.2903.86' } },
      });
    }),
  );
  expect(existsSync(started)).toBe(false);
});

test('names the command by which each system gets a browser', async () => {
  const folder = await aFolder();
  await aProgram(join(folder, 'brew'), 'exit 0');
  await aProgram(join(folder, 'winget.exe'), 'exit 0');
  const chrome = aDevice('chrome', { browser: 'chrome', driver: 'playwright' });
  const remedyOn = async (platform: NodeJS.Platform): Promise<unknown> => {
    const driver = await loadDriver('playwright');
    return withEnvironment({ PATH: folder, LOCALAPPDATA: folder }, () =>
      onPlatform(platform, () => findDevice(chrome, driver)),
    );
  };
  expect(await remedyOn('darwin')).toMatchObject({ remedy: 'brew install --cask google-chrome' });
  expect(await remedyOn('win32')).toMatchObject({
    remedy: 'winget install --exact --id Google.Chrome',
  });
});

test('names what else to measure where a product cannot be', async () => {
  const device = aDevice('gtk', { browser: 'webkitgtk', driver: 'webdriver' });
  const driver = await loadDriver('webdriver');
  expect(await onPlatform('darwin', () => findDevice(device, driver))).toMatchObject({
    reason: 'WebKitGTK exists on Linux only',
    remedy: expect.stringContaining('--device webkit') as unknown,
  });
});

test('finds what a user of Windows installed without an administrator, and channels', async () => {
  const folder = await aFolder();
  const driver = await loadDriver('playwright');
  const own = await aProgram(join(folder, 'Google/Chrome/Application/chrome.exe'), 'exit 0');
  const beta = await aProgram(join(folder, 'Google/Chrome Beta/Application/chrome.exe'), 'exit 0');
  const chrome = aDevice('chrome', { browser: 'chrome', driver: 'playwright' });
  await withEnvironment({ PATH: '/nowhere', LOCALAPPDATA: folder }, () =>
    onPlatform('win32', async () => {
      expect(await findDevice(chrome, driver)).toMatchObject({ target: { executable: own } });
      expect(
        await findDevice({ ...chrome, executable: 'google-chrome-beta' }, driver),
      ).toMatchObject({ target: { executable: beta } });
    }),
  );
});
