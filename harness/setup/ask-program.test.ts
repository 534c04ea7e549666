import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { aFolder } from '../testing/folder.ts';
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
  const before = { ...process.env };
  Object.assign(process.env, { PROBABLY_SECRET: '6.6.6', HOME: '/nowhere' });
  try {
    expect(await askVersion([[program, '--version']])).toBe('1.0');
    expect(await askCompiler(program)).toBeNull();
    process.env['HOME'] = 'home';
    expect(await askCompiler(program)).toBe('1.0 home');
  } finally {
    process.env = before;
  }
});
