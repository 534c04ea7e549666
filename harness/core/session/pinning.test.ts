import { test, expect } from '@playwright/test';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allowedCores, pinnedExecutable, whyNoPinning } from './pinning.ts';

test('gives the reason if a browser cannot be pinned', () => {
  expect(whyNoPinning('darwin')).toContain('this is darwin');
});

test('the script starts the executable with its arguments on the first cores', async () => {
  test.skip(whyNoPinning() !== null, whyNoPinning() ?? '');
  const directory = await mkdtemp(join(tmpdir(), 'farm-'));
  try {
    const path = await pinnedExecutable("/opt/it's/chrome", { cores: 1, directory });
    const [first] = allowedCores();
    expect(await readFile(path, 'utf8')).toMatch(
      new RegExp(
        `^#!/bin/sh\nexec \\S+/taskset -c ${String(first)} '/opt/it'\\\\''s/chrome' "\\$@"\n$`,
      ),
    );
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    await expect(pinnedExecutable('/x', { cores: 100_000, directory })).rejects.toThrow(
      'cannot be pinned to 100000 cores',
    );
  } finally {
    await rm(directory, { recursive: true });
  }
});
