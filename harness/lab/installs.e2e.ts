/** The package as it would be published, installed from a registry: minutes, and much to download. */
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { findOnPath } from '../core/setup/executable.ts';
import { aFolder } from '../testing/folder.ts';
import { install, installNode, packFarm } from './installs.ts';

const registry = await execa('npm', ['ping'], { reject: false, timeout: 20_000 });
test.skip(registry.failed, 'no registry answers');
test.skip(findOnPath(['chromium', 'chromium-browser']) === null, 'no Chromium is installed');
test.setTimeout(10 * 60_000);

test("pnpm, which compiles nothing, measures with Node.js's own SQLite @campaign", async () => {
  const folder = await aFolder();
  const order = {
    archive: await packFarm(folder),
    manager: 'pnpm 10',
    node: '22',
    bin: await installNode('22', folder),
    folder: join(folder, 'farm'),
  };
  const installed = await install(order);
  expect(installed.verdict).toBe('slower');
  expect(installed.version).toMatch(/^\d+\.\d+\.\d+/);
  expect(installed.report).toBeGreaterThan(10_000);

  // Node.js 20 has no SQLite.
  const farm = join(order.folder, 'node_modules', '.bin', 'crossfarm');
  const cwd = { cwd: order.folder, reject: false } as const;
  const told = await execa(farm, ['db'], cwd);
  test.skip(!process.versions.node.startsWith('20.'), 'this Node.js has a SQLite of its own');
  expect(told.exitCode).toBe(3);
  expect(told.stderr).toContain('Let it install: npm install sqlite3');
  expect(told.stderr).not.toContain('a bug of the farm');
});
