import { test } from '@playwright/test';
import { mkdtemp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Makes an empty folder for this test; the test runner removes it. */
export async function aFolder(): Promise<string> {
  const parent = test.info().outputPath('folders');
  await mkdir(parent, { recursive: true });
  return mkdtemp(join(parent, 'f-'));
}

/**
 * Gives each test of a file its own temporary folder, also for the farms that it starts, so that
 * leftovers there come from this test.
 */
export function useOwnTemporaryFolder(): void {
  const usual = process.env['TMPDIR'];
  test.beforeEach(async () => {
    process.env['TMPDIR'] = await aFolder();
  });
  test.afterEach(() => {
    if (usual === undefined) Reflect.deleteProperty(process.env, 'TMPDIR');
    else process.env['TMPDIR'] = usual;
  });
}
