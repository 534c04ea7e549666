/** The programs of `examples/`, as a user of the package runs them in their own folder. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { projectRoot } from './core/project.ts';
import { findOnPath } from './core/setup/executable.ts';
import { aFolder } from './testing/folder.ts';

test.skip(findOnPath(['chromium', 'chromium-browser']) === null, 'no Chromium is installed');

/** Two pages that say how long they took: nothing a busy machine could change. */
async function twoPages(): Promise<string> {
  const folder = await aFolder();
  for (const [name, ms] of Object.entries({ old: 10, new: 20 })) {
    const text = `<!doctype html><script>performance.measure('work', { start: 0, end: ${String(ms)} })</script>`;
    await writeFile(join(folder, `${name}.html`), text);
  }
  return folder;
}

/** Other tests keep the machine busy, and the measured number is not a time. */
const env = { PROBES: 'off', MEASUREMENT: 'fast' };

const example = (name: string): string => join(projectRoot(), 'examples', name);

test('a program follows a comparison, and prints what was found', async () => {
  const cwd = await twoPages();
  const args = [example('compare-pages.js'), 'old.html', 'new.html'];
  const { stdout, stderr } = await execa('node', args, { cwd, env });
  expect(stdout).toMatch(/^work of new\.html: slower, 2\.000 times the first$/m);
  expect(stderr).toMatch(/^block 1: (old|new)\.html completed$/m);
});

test('a test holds a page to a budget', async () => {
  const cwd = await twoPages();
  const runner = join(projectRoot(), 'node_modules', '@playwright', 'test', 'cli.js');
  const args = [runner, 'test', '--config', example(''), '--output', join(cwd, 'results')];
  const broken = await execa('node', args, { cwd, env, reject: false });
  expect(broken.stdout).toMatch(/new\.html, work, chromium: at least (9\d|100)\.\d % slower/);
  expect(broken.exitCode).toBe(1);
});

test('a test of Vitest compares two versions by their names', async () => {
  const cwd = await twoPages();
  const runner = join(projectRoot(), 'node_modules', 'vitest', 'vitest.mjs');
  const args = [runner, 'run', '--root', example('vitest')];
  const { exitCode, stderr } = await execa('node', args, { cwd, env, reject: false });
  expect(stderr).toContain('expected it to be faster by 5.0 %');
  expect(stderr).toMatch(/new\.html, work, chromium: at least (9\d|100)\.\d % slower/);
  expect(exitCode).toBe(1);
});
