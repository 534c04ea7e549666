import { test } from '@playwright/test';
import { mkdtemp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** An empty folder of this test's own; the test runner removes it. */
export async function aFolder(): Promise<string> {
  const parent = test.info().outputPath('folders');
  await mkdir(parent, { recursive: true });
  return mkdtemp(join(parent, 'f-'));
}

/**
 * For each test of a file its temporary folder is its own, also for the farms that it starts: what
 * stays there is its own, too, and not of a test that runs beside it.
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
