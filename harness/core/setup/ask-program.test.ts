import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { withEnvironment } from '../../testing/environment.ts';
import { aFolder } from '../../testing/folder.ts';
import { runInstaller } from './ask-program.ts';
import { askVersion } from './executable.ts';
import { askCompiler } from './programs.ts';

/** A program that says its version only to a farm that shows it a secret, and 1.0 to all others. */
async function aCuriousProgram(): Promise<string> {
  const path = join(await aFolder(), 'program');
  await writeFile(path, '#!/bin/sh\necho "${PROBABLY_SECRET:-1.0} $HOME"\n');
  await chmod(path, 0o755);
  return path;
}

test('a program that is asked for its version sees no secret', async () => {
  const program = await aCuriousProgram();
  await withEnvironment({ PROBABLY_SECRET: '6.6.6', HOME: '/nowhere' }, async () => {
    expect(await askVersion([[program, '--version']])).toBe('1.0');
    expect(await askCompiler(program)).toBeNull();
    process.env['HOME'] = 'home';
    expect(await askCompiler(program)).toBe('1.0 home');
  });
});

test('an installer that cannot be started says why', async () => {
  const { signal } = new AbortController();
  const answer = await runInstaller('no-such-installer', [], { timeoutMs: 60_000, signal });
  expect(answer).toMatchObject({ failed: true, timedOut: false });
  expect(answer.stderr).toContain('no-such-installer');
});
