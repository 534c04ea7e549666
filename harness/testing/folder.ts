import { test } from '@playwright/test';
import { mkdtemp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** An empty folder of this test's own; the test runner removes it. */
export async function aFolder(): Promise<string> {
  const parent = test.info().outputPath('folders');
  await mkdir(parent, { recursive: true });
  return mkdtemp(join(parent, 'f-'));
}
