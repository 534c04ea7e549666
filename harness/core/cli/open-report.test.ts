import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from '@playwright/test';
import { aFolder } from '../../testing/folder.ts';
import { onPlatform } from '../../testing/other-platform.ts';
import type { Io } from './io.ts';
import { openReport } from './open-report.ts';

// The object itself: a copy would not reach the system's own environment.
const usual = process.env;
const usualPath = usual['PATH'] ?? '';

test.afterEach(() => {
  process.env = usual;
});

/** Opens a report where the desktop's opener keeps what it was given and ends so; returns both. */
async function opened(
  exitCode: number,
  environment: NodeJS.ProcessEnv = {},
): Promise<{ given: string; notes: string }> {
  const folder = await aFolder();
  const told = join(folder, 'told');
  for (const name of ['xdg-open', 'open', 'rundll32', 'my-browser']) {
    const program = join(folder, name);
    await writeFile(
      program,
      `#!/bin/sh\nprintf '%s|' "$@" > '${told}'\n[ $(basename "$0") = my-browser ] && printf own >> '${told}'\nexit ${String(exitCode)}\n`,
    );
    await chmod(program, 0o755);
  }
  process.env = { PATH: `${folder}${delimiter}${usualPath}`, DISPLAY: ':0', ...environment };
  const stderr = new PassThrough();
  const io = { stdout: process.stdout, stderr, signal: new AbortController().signal };
  await openReport('/reports of mine/run-1.html', io as unknown as Io);
  return {
    given: await readFile(told, 'utf8').catch(() => ''),
    notes: String(stderr.read() ?? ''),
  };
}

test('--open gives the report to the opener of the desktop', async () => {
  expect(await opened(0)).toEqual({ given: '/reports of mine/run-1.html|', notes: '' });
});

test('macOS and Windows open it by their own programs, without a display', async () => {
  test.skip(process.platform === 'win32', 'the stand-ins are shell scripts');
  const on = (platform: NodeJS.Platform): Promise<{ given: string; notes: string }> =>
    onPlatform(platform, () => opened(0, { DISPLAY: '' }));
  expect(await on('darwin')).toEqual({ given: '/reports of mine/run-1.html|', notes: '' });
  expect(await on('win32')).toEqual({
    given: 'url.dll,FileProtocolHandler|/reports of mine/run-1.html|',
    notes: '',
  });
});

test('when the opener fails, a note says to open the report by hand', async () => {
  expect((await opened(3)).notes).toContain('could not be opened: open it by hand');
});

test('BROWSER of the environment is preferred, with its arguments', async () => {
  const environment = { BROWSER: 'my-browser --new-window %s:other', DISPLAY: '' };
  const { given, notes } = await opened(0, environment);
  expect(given).toBe('--new-window|/reports of mine/run-1.html|own');
  expect(notes).toBe('');
});

test('without a display nothing is opened, and a note says so', async () => {
  test.skip(process.platform !== 'linux', 'other systems always have one');
  const { given, notes } = await opened(0, { DISPLAY: '' });
  expect(given).toBe('');
  expect(notes).toContain('open it by hand');
});
