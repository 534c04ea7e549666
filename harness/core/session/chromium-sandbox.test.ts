import { expect, test } from '@playwright/test';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Device, Presence } from '../model/device.ts';
import { aDevice } from '../../testing/builders.ts';
import { aFolder } from '../../testing/folder.ts';
import { isChromiumAsRoot, whyNoSandbox } from './chromium-sandbox.ts';

const why = whyNoSandbox();
test.skip(process.getuid?.() !== 0, 'only a root farm has to choose');
test.skip(why !== null, why ?? '');

/**
 * True if a Chromium whose executable has this mode runs as root; without a mode the file is
 * missing.
 */
async function asRoot(mode: number | null, device: Partial<Device> = {}): Promise<boolean> {
  const folder = await aFolder();
  await chmod(folder, 0o755);
  const executable = join(folder, 'chromium');
  if (mode !== null) await writeFile(executable, '', { mode });
  const browser = { name: 'chromium', version: '1' };
  const target = { device: aDevice('one', device), browser, executable };
  const presence: Presence = {
    status: 'found',
    device: target.device,
    capabilities: [],
    target,
  };
  return isChromiumAsRoot(presence);
}

test('Chromium runs as root where needed or wanted', async () => {
  expect(await asRoot(0o755)).toBe(false);
  expect(await asRoot(0o700)).toBe(true);
  expect(await asRoot(null)).toBe(true);
  expect(await asRoot(0o755, { environment: { CROSSFARM_CONFINED: 'no' } })).toBe(true);
});

test('no other browser is a Chromium that runs as root', async () => {
  expect(await asRoot(0o700, { browser: 'firefox' })).toBe(false);
  expect(await asRoot(0o700, { remote: {} })).toBe(false);
});
