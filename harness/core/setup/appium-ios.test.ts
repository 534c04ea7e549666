import { expect, test } from '@playwright/test';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aDevice } from '../../testing/builders.ts';
import { withEnvironment } from '../../testing/environment.ts';
import { aFolder } from '../../testing/folder.ts';
import { onPlatform } from '../../testing/other-platform.ts';
import { findOnIos, judgeIphones, parseIphones } from './appium-ios.ts';

/** As `devicectl` of Xcode 15 writes it, shortened. */
function listing(changes: object = {}, connection: object = {}): string {
  return JSON.stringify({
    info: { commandType: 'devicectl.list.devices', outcome: 'success' },
    result: {
      devices: [
        {
          connectionProperties: {
            pairingState: 'paired',
            transportType: 'wired',
            tunnelState: 'disconnected',
            ...connection,
          },
          deviceProperties: {
            developerModeStatus: 'enabled',
            name: 'Ada’s iPhone',
            osVersionNumber: '17.5.1',
            ...changes,
          },
          hardwareProperties: {
            platform: 'iOS',
            productType: 'iPhone14,5',
            udid: '00008110-000A1C2E0E91801E',
          },
        },
        { hardwareProperties: { platform: 'watchOS', udid: '00008301-1' } },
      ],
    },
  });
}

const judge = (text: string, udid?: string): unknown =>
  judgeIphones(parseIphones(text) ?? [], { id: 'mine', udid });

test('an iPhone that is connected, trusts the Mac and has Developer Mode can be used', () => {
  expect(judge(listing())).toEqual({ version: '17.5.1' });
  expect(judge(listing(), '00008110-000A1C2E0E91801E')).toEqual({ version: '17.5.1' });
});

test('says what an iPhone lacks and where that is switched on', () => {
  expect(judge(listing({ developerModeStatus: 'disabled' }))).toMatchObject({
    reason: 'the iPhone Ada’s iPhone has Developer Mode off',
    remedy: expect.stringContaining('Privacy & Security, Developer Mode') as unknown,
  });
  expect(judge(listing({}, { pairingState: 'unpaired' }))).toMatchObject({
    reason: expect.stringContaining('does not trust this Mac') as unknown,
  });
  expect(judge(listing({}, { tunnelState: 'unavailable' }))).toMatchObject({
    reason: 'no iPhone is connected',
  });
  expect(judge(listing(), '0000-other')).toMatchObject({
    reason: 'the iPhone 0000-other is not connected',
  });
});

test('lists the devices of a Mac by xcrun, and reports an answer of another form', async () => {
  test.skip(process.platform === 'win32', 'the stand-in is a shell script');
  const folder = await aFolder();
  const iphone = aDevice('mine', { driver: 'appium', phone: { platform: 'ios' } });
  const ask = async (answer: string): Promise<unknown> => {
    await writeFile(join(folder, 'answer'), answer);
    const xcrun = join(folder, 'xcrun');
    await writeFile(xcrun, `#!/bin/sh\n[ "$1" = devicectl ] && cat ${join(folder, 'answer')}\n`);
    await chmod(xcrun, 0o755);
    const find = (): Promise<unknown> => onPlatform('darwin', () => findOnIos(iphone));
    return withEnvironment({ PATH: `${folder}:/usr/bin:/bin` }, find);
  };
  expect(await ask(listing())).toEqual({ version: '17.5.1' });
  expect(await ask('Nothing.')).toMatchObject({
    reason: 'xcrun devicectl gave no list of iPhones',
    remedy: expect.stringContaining('Xcode 15') as unknown,
  });
});
