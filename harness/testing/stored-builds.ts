import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addBuild, buildsFolder } from '../core/setup/build-store.ts';

/**
 * Puts builds into the store next to a database, which start nothing and say their versions in
 * their paths.
 */
export async function storedBuilds(
  database: string,
  product: string,
  versions: readonly string[],
): Promise<void> {
  for (const version of versions) {
    await addBuild(buildsFolder(database), async (half) => {
      await writeFile(join(half, product), '#!/bin/sh\n');
      // No other user may start it, so that the driver is given this very path, also by a root
      // farm.
      await chmod(join(half, product), 0o700);
      return { product, version, executable: product, keptAt: '2026-01-01T00:00:00.000Z' };
    });
  }
}

/** A devices file with one Chromium. */
export async function anInventory(folder: string): Promise<string> {
  const path = join(folder, 'devices.json');
  const device = { id: 'chromium', browser: 'chromium', driver: 'playwright', headless: true };
  await writeFile(path, JSON.stringify({ devices: [device] }));
  return path;
}
