/** The step of `action.yml` that compares, in a repository with two branches. The rest of it takes GitHub. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, expect } from '@playwright/test';
import { execa } from 'execa';
import { projectRoot } from '../../core/project.ts';
import { findOnPath } from '../../core/setup/executable.ts';
import { aFolder } from '../../testing/folder.ts';
import { aForge } from '../../testing/forge.ts';

test.skip(findOnPath(['chromium', 'chromium-browser']) === null, 'no Chromium is installed');

/** Its value is a constant with noise and no time, because the machine may be busy with other tests. */
const page = (
  value: number,
): string => `<!doctype html><title>x</title><script src="noise.js"></script>
<script>value = ${String(value)} * noise();</script>`;

/** The script of the action's step that calls the command. */
function readScript(): string {
  const action = readFileSync(join(projectRoot(), 'action.yml'), 'utf8');
  const script = /^ +run: '(.* ci .*)'$/m.exec(action)?.[1];
  if (script === undefined) throw new Error('action.yml has no step that calls crossfarm ci');
  return script;
}

test('a pull request that makes the page slower fails, and its comment says so', async () => {
  const [folder, temporary, forge] = [await aFolder(), await aFolder(), await aForge()];
  const git = async (...args: readonly string[]): Promise<string> =>
    (
      await execa('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
        cwd: folder,
      })
    ).stdout;
  const versions: { ref: string; sha: string }[] = [];
  await git('init', '--quiet', '--initial-branch=main');
  for (const [ref, value] of [
    ['main', 100],
    ['feature', 300],
  ] as const) {
    await writeFile(join(folder, 'index.html'), page(value));
    if (ref === 'feature') await git('checkout', '--quiet', '-b', ref);
    await git('add', 'index.html');
    await git('commit', '--quiet', '--message', ref);
    versions.push({ ref, sha: await git('rev-parse', 'HEAD') });
  }
  const [base, head] = versions;
  const event = join(temporary, 'event.json');
  await writeFile(event, JSON.stringify({ pull_request: { number: 5, base, head } }));
  // The package as the action has installed it.
  const programs = join(temporary, 'crossfarm', 'node_modules', '.bin');
  await mkdir(programs, { recursive: true });
  await symlink(join(projectRoot(), 'dist', 'harness', 'main.js'), join(programs, 'crossfarm'));
  const summary = join(temporary, 'summary.md');
  const inputs = {
    page: 'index.html',
    build: `echo 'const noise = () => 1 + 0.01 * Math.random();' > noise.js; env > ${join(temporary, 'seen')}`,
    browsers: 'chromium',
    measure: 'value\n',
    options: '--no-probes\n--measurement\nfast\n--max-blocks\n20',
    budget: '4m',
    'fail-on': '',
    history: '',
    name: '',
    package: '',
    token: 'a-token',
  };
  const step = await execa(
    'bash',
    ['--noprofile', '--norc', '-eo', 'pipefail', '-c', readScript()],
    {
      cwd: folder,
      reject: false,
      env: {
        GITHUB_ACTIONS: 'true',
        GITHUB_API_URL: forge.api,
        GITHUB_REPOSITORY: 'owner/name',
        GITHUB_EVENT_PATH: event,
        GITHUB_STEP_SUMMARY: summary,
        RUNNER_TEMP: temporary,
        CROSSFARM_INPUTS: JSON.stringify(inputs),
      },
    },
  );
  await forge.close();
  expect(step.exitCode, step.stderr).toBe(1);
  const [comment] = forge.comments;
  expect(comment?.body).toMatch(new RegExp(`${String(head?.sha.slice(0, 12))} is .* slower`));
  expect(comment?.body).toMatch(/\| value \|.*\| ▼ .* slower/);
  expect(comment?.body).toContain((await readFile(summary, 'utf8')).trim());
  expect(existsSync(join(folder, '.farm', 'reports'))).toBe(true);
  expect(await readFile(join(temporary, 'seen'), 'utf8')).not.toContain('a-token');
});
