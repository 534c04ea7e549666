import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { aFolder } from '../../harness/testing/folder.ts';
import { pagesFolder } from '../../harness/project.ts';

test('a runtime that is too old ends at once, and names what it lacks', async () => {
  const older = join(await aFolder(), 'older.cjs');
  await writeFile(older, 'delete globalThis.fetch');
  const script = join(pagesFolder(), 'kit', 'runtime.js');
  const url = 'http://127.0.0.1:9/control/index.html?trial=none';
  const args = ['--require', older, script, url];
  const { exitCode, stderr } = await execa(process.execPath, args, { reject: false });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/has no fetch, which Node\.js has from 18 on/);
});
