/** The step of `action.yml` that compares, in a repository with two branches. The rest of it takes GitHub. */
import { readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test, expect } from '@playwright/test';
import { execa } from 'execa';
import { projectRoot } from '../project.ts';
import { findOnPath } from '../setup/executable.ts';
import { aFolder } from '../../testing/folder.ts';

test.skip(findOnPath(['chromium', 'chromium-browser']) === null, 'no Chromium is installed');

/** Its value is a constant with noise and no time, because the machine may be busy with other tests. */
const page = (
  value: number,
): string => `<!doctype html><title>x</title><script src="noise.js"></script>
<script>value = ${String(value)} * noise();</script>`;

test('a pull request that makes the page slower fails, and its summary says so', async () => {
  const folder = await aFolder();
  const temporary = await aFolder();
  const git = (...args: readonly string[]): Promise<unknown> =>
    execa('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: folder });
  await git('init', '--quiet', '--initial-branch=main');
  for (const [branch, value] of [
    ['base', 100],
    ['head', 300],
  ] as const) {
    await writeFile(join(folder, 'index.html'), page(value));
    await git('add', '.');
    await git('commit', '--quiet', '--message', branch);
    await git('branch', branch);
  }
  const summary = join(temporary, 'summary.md');
  const step = await execa('bash', [join(projectRoot(), '.ci', 'compare-action.sh')], {
    cwd: folder,
    reject: false,
    env: {
      GITHUB_ACTION_PATH: projectRoot(),
      GITHUB_STEP_SUMMARY: summary,
      RUNNER_TEMP: temporary,
      BASE: 'base',
      HEAD: 'head',
      PAGE: 'index.html',
      BUILD: `echo 'const noise = () => 1 + 0.01 * Math.random();' > noise.js`,
      BROWSERS: 'chromium',
      MEASURE: 'value',
      OPTIONS: '--no-probes\n--measurement\nfast\n--max-blocks\n20',
      BUDGET: '4m',
      FAIL_ON: 'slower=5%',
    },
  });
  expect(step.exitCode, step.stderr).toBe(1);
  const markdown = await readFile(join(temporary, 'crossfarm.md'), 'utf8');
  expect(markdown).toMatch(/\| head \|.*slower/);
  expect(await readFile(summary, 'utf8')).toContain(markdown.trim());
  expect(existsSync(join(folder, '.farm', 'reports'))).toBe(true);
});
