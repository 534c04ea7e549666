import { expect, test } from '@playwright/test';
import { buildBridge } from '../appium/phone.ts';
import { absentForAndroid, startPhoneScene } from '../doubles/phone-scene.ts';
import type { Orphan } from '../driver.ts';
import { endOrphan } from './orphaned-sessions.ts';

/** Through the real adb; what stands at its end is a double. */

const absent = absentForAndroid();
test.skip(absent !== null, absent ?? '');

test("records a phone's port before it is made, removes it without session", async () => {
  const scene = await startPhoneScene();
  const phone = await scene.phone();
  const list = (): Promise<string> => scene.server.run('-s', phone.serial, 'reverse', '--list');
  const told: { readonly orphan: Orphan; readonly ports: string }[] = [];
  const bridge = buildBridge({
    phone: { platform: 'android', udid: phone.serial },
    near: true,
    app: null,
    environment: { ...scene.environment, SECRET: 'of the owner' },
    remember: async (orphan) => {
      told.push({ orphan, ports: (await list()).trim() });
    },
  });
  try {
    await bridge.reach('http://127.0.0.1:49871/page');
    expect(told).toMatchObject([{ ports: '', orphan: { kind: 'adb-reverse', port: '49871' } }]);
    expect(JSON.stringify(told)).not.toContain('of the owner');
    expect(await list()).toContain('tcp:49871');

    const { orphan } = told[0]!;
    expect(await endOrphan(orphan)).toBeNull();
    expect((await list()).trim()).toBe('');
    expect(await endOrphan(orphan), 'it is gone already').toBeNull();
  } finally {
    await scene.close();
  }
});
