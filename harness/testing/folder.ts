import { test } from '@playwright/test';
import { mkdtemp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Makes an empty folder for this test; the test runner removes it. */
export async function aFolder(): Promise<string> {
  const parent = test.info().outputPath('folders');
  await mkdir(parent, { recursive: true });
  return mkdtemp(join(parent, 'f-'));
}

/** The same with these files in it, by their paths. */
export async function aFolderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await aFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
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
