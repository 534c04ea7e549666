import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from '@playwright/test';
import { aFolder } from '../../testing/folder.ts';
import type { Io } from './io.ts';
import { openReport } from './open-report.ts';

const usualPath = process.env['PATH'] ?? '';

test.afterEach(() => {
  process.env['PATH'] = usualPath;
});

/** Opens a report where the desktop's opener keeps what it was given and ends so; returns both. */
async function opened(exitCode: number): Promise<{ given: string; notes: string }> {
  const folder = await aFolder();
  const told = join(folder, 'told');
  for (const name of ['xdg-open', 'open']) {
    const program = join(folder, name);
    await writeFile(
      program,
      `#!/bin/sh\nprintf '%s|' "$@" > '${told}'\nexit ${String(exitCode)}\n`,
    );
    await chmod(program, 0o755);
  }
  process.env['PATH'] = `${folder}${delimiter}${usualPath}`;
  const stderr = new PassThrough();
  const io = { stdout: process.stdout, stderr, signal: new AbortController().signal };
  await openReport('/reports of mine/run-1.html', io as unknown as Io);
  return { given: await readFile(told, 'utf8'), notes: String(stderr.read() ?? '') };
}

test('--open gives the report to the opener of the desktop', async () => {
  expect(await opened(0)).toEqual({ given: '/reports of mine/run-1.html|', notes: '' });
});

test('when the opener fails, a note says to open the report by hand', async () => {
  expect((await opened(3)).notes).toContain('could not be opened: open it by hand');
});
