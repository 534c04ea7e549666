import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { findOnPath } from '../../setup/executable.ts';
import { aFolder } from '../../testing/folder.ts';
import { withVersions } from './resolve.ts';

test.skip(findOnPath(['git']) === null, 'git is not installed');

const caller = { signal: new AbortController().signal, say: () => undefined };

/** Everything that git says of a repository's state. */
async function stateOf(folder: string): Promise<string> {
  const asked = [
    ['status', '--porcelain'],
    ['worktree', 'list'],
    ['branch', '--all'],
    ['stash', 'list'],
  ];
  const answers = await Promise.all(asked.map((args) => execa('git', args, { cwd: folder })));
  return answers.map(({ stdout }) => stdout).join('\n');
}

/** Two commits of a page in a subfolder, the second on a branch, and a work tree with changes. */
async function aRepository(): Promise<string> {
  const folder = await aFolder();
  const git = (...args: readonly string[]): Promise<unknown> => execa('git', args, { cwd: folder });
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
  await git('init', '--quiet', '--initial-branch=main');
  await mkdir(join(folder, 'bench'));
  for (const [text, ref] of [
    ['old', 'v1'],
    ['new', 'feature/$(touch${IFS}hacked)'],
  ] as const) {
    await writeFile(join(folder, 'bench', 'index.html'), text);
    await git('add', '.');
    await git(...who, 'commit', '--quiet', '--message', text);
    await git('branch', ref);
  }
  await writeFile(join(folder, 'bench', 'index.html'), 'changed');
  await writeFile(join(folder, 'untracked'), 'x');
  return folder;
}

test('git refs become folders of their commits, and the repository stays as it is', async () => {
  const from = await aRepository();
  const before = await stateOf(from);
  const names = ['v1', 'feature/$(touch${IFS}hacked)'];
  const [old, fresh] = await withVersions(
    names,
    { from, page: 'bench/index.html', build: 'cp bench/index.html built' },
    {
      caller,
      use: (versions) =>
        Promise.resolve(
          versions.map(({ place }) => {
            const folder = place.kind === 'folder' ? place.folder : '';
            return { text: readFileSync(join(folder, 'built'), 'utf8'), folder };
          }),
        ),
    },
  );
  expect([old?.text, fresh?.text]).toEqual(['old', 'new']);
  expect(existsSync(old?.folder ?? '')).toBe(false);
  expect(existsSync(join(from, 'hacked'))).toBe(false);
  expect(await stateOf(from)).toBe(before);
  expect(readFileSync(join(from, 'bench', 'index.html'), 'utf8')).toBe('changed');
});

test('refs are seen from the folder where one stands', async () => {
  const from = await aRepository();
  const pages = await withVersions(
    ['v1', 'main'],
    { from: join(from, 'bench') },
    {
      caller,
      use: (versions) =>
        Promise.resolve(
          versions.map(({ place }) =>
            place.kind === 'folder' ? readFileSync(join(place.folder, place.page), 'utf8') : '',
          ),
        ),
    },
  );
  expect(pages).toEqual(['old', 'new']);
});

test('a hook’s own repository, which git finds in the environment, stays as it is', async () => {
  const from = await aRepository();
  const before = await stateOf(from);
  process.env['GIT_DIR'] = join(from, '.git');
  try {
    const folders = await withVersions(
      ['v1', 'main'],
      { from, page: 'bench/index.html' },
      { caller, use: (versions) => Promise.resolve(versions.length) },
    );
    expect(folders).toBe(2);
  } finally {
    delete process.env['GIT_DIR'];
  }
  expect(await stateOf(from)).toBe(before);
});

test('an unknown ref and a build that fails are refused, with what the build said', async () => {
  const from = await aRepository();
  const use = { caller, use: () => Promise.resolve() };
  const page = 'bench/index.html';
  await expect(withVersions(['v1', 'v7'], { from, page }, use)).rejects.toThrow(/v7 is no file/);
  await expect(withVersions(['--help', 'v1'], { from, page }, use)).rejects.toThrow(
    /--help is no file/,
  );
  const build = 'echo first; echo broken >&2; exit 3';
  await expect(withVersions(['v1', 'main'], { from, page, build }, use)).rejects.toThrow(
    /build of v1 failed[^]*broken/,
  );
  await rm(join(from, '.git'), { recursive: true });
  await expect(withVersions(['v1', 'main'], { from, page }, use)).rejects.toThrow(/v1 is no file/);
});

test('a build that is interrupted ends with all that it started', async () => {
  const from = await aRepository();
  const pids = join(await aFolder(), 'pids');
  const over = new AbortController();
  const waiting = withVersions(
    ['v1', 'main'],
    { from, page: 'bench/index.html', build: `sleep 600 & echo $! >> ${pids}; wait` },
    { caller: { ...caller, signal: over.signal }, use: () => Promise.resolve() },
  );
  await expect.poll(() => existsSync(pids) && readFileSync(pids, 'utf8')).toMatch(/\d+\n/);
  over.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  const pid = Number(readFileSync(pids, 'utf8'));
  await expect.poll(() => existsSync(`/proc/${String(pid)}`)).toBe(false);
});
