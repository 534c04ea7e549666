import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { farmMark } from '../../../core/session/farm-mark.ts';
import { findOnPath } from '../../../core/setup/executable.ts';
import { startPageServer } from '../../../core/server/page-server.ts';
import { aFolder } from '../../../testing/folder.ts';
import { fileOfAddress } from './on-disk.ts';
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

test("no root leads out of a ref's files by name or link", async () => {
  const from = await aRepository();
  const place = (root: string): Promise<unknown> =>
    withVersions(
      ['main'],
      { from: join(from, 'bench'), root },
      { caller, use: ([version]) => Promise.resolve(version?.place) },
    );
  expect(await place('..')).toMatchObject({ page: 'bench/' });
  const refused = /leads out of the files of main/;
  await expect(place('../../../..')).rejects.toThrow(refused);
  await symlink('/', join(from, 'bench', 'out'));
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
  await execa('git', ['add', 'bench/out'], { cwd: from });
  await execa('git', [...who, 'commit', '--quiet', '--message', 'link'], { cwd: from });
  await expect(place('out')).rejects.toThrow(refused);
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
            place.kind === 'folder' ? readFileSync(fileOfAddress(place), 'utf8') : '',
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

test('refuses an unknown ref and a failing build with its output', async () => {
  const from = await aRepository();
  const use = { caller, use: () => Promise.resolve() };
  const page = 'bench/index.html';
  await expect(withVersions(['v1', 'v7'], { from, page }, use)).rejects.toThrow(
    /v7 is neither a file/,
  );
  await expect(withVersions(['--help', 'v1'], { from, page }, use)).rejects.toThrow(
    /--help begins with a hyphen/,
  );
  const build = 'echo first; echo broken >&2; exit 3';
  await expect(withVersions(['v1', 'main'], { from, page, build }, use)).rejects.toThrow(
    /build of v1 failed[^]*broken/,
  );
  await rm(join(from, '.git'), { recursive: true });
  await expect(withVersions(['v1', 'main'], { from, page }, use)).rejects.toThrow(
    /v1 is neither a file/,
  );
});

test('an interrupted build ends with its processes, and leaves the repository as it was', async () => {
  const from = await aRepository();
  const before = await stateOf(from);
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
  expect(await stateOf(from)).toBe(before);
});

for (const what of ['v1', 'bench']) {
  test(`a build of ${what} that hangs is ended at its deadline`, async () => {
    const from = await aRepository();
    const pids = join(await aFolder(), 'pids');
    const build = `sleep 600 & echo $! >> ${pids}; wait`;
    const page = what === 'v1' ? 'bench/index.html' : 'index.html';
    const where = { from, page, build, buildDeadline: 300 };
    const waiting = withVersions([what], where, { caller, use: () => Promise.resolve() });
    await expect(waiting).rejects.toThrow(new RegExp(`build of ${what} was ended after .*sleep`));
    const pid = readFileSync(pids, 'utf8').trim();
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  });
}

test('a folder is built where it lies, before its page is looked for', async () => {
  const from = await aRepository();
  const said: string[] = [];
  const place = await withVersions(
    ['bench'],
    { from, page: 'dist/made.html', build: 'mkdir dist && cp index.html dist/made.html' },
    {
      caller: { ...caller, say: (sentence) => void said.push(sentence) },
      use: ([version]) => Promise.resolve(version?.place),
    },
  );
  expect(place).toMatchObject({ folder: join(from, 'bench'), page: 'dist/made.html' });
  expect(said).toEqual(['bench: mkdir dist && cp index.html dist/made.html']);
  const built = { from, build: 'true' };
  const file = withVersions(['bench/index.html'], built, { caller, use: () => Promise.resolve() });
  await expect(file).rejects.toThrow(/--build builds git refs and folders/);
});

test('a link of a ref that leads out of its files is not served', async () => {
  const from = await aRepository();
  const outside = await aFolder();
  await writeFile(join(outside, 'secret.js'), 'secret');
  const links = { 'secret.js': join(outside, 'secret.js'), up: '../..', outside };
  for (const [path, target] of Object.entries(links)) await symlink(target, join(from, path));
  await gitIn(from, 'add', ...Object.keys(links));
  await gitIn(from, 'commit', '--quiet', '--message', 'links');
  const statuses = await withVersions(
    ['main'],
    { from, page: 'bench/index.html' },
    {
      caller,
      use: async ([version]) => {
        const folder = version?.place.kind === 'folder' ? version.place.folder : '';
        const guests = new Map([['page', { folder }]]);
        const server = await startPageServer({ pages: outside, port: 0, guests });
        const paths = ['bench/', 'secret.js', 'outside/secret.js', 'up/etc/passwd'];
        const asked = paths.map((path) => fetch(`${server.origin}/guest/page/${path}`));
        const answers = await Promise.all(asked).finally(() => server.close());
        return answers.map(({ status }) => status);
      },
    },
  );
  expect(statuses).toEqual([200, 404, 404, 404]);
});

test('a commit that a shallow clone lacks is refused, with the way to get it', async () => {
  const origin = await twoCommits({ 'index.html': 'page' });
  const folder = await aFolder();
  await gitIn(folder, 'clone', '--quiet', '--depth', '1', `file://${origin}`, 'one');
  const from = join(folder, 'one');
  expect((await readingOf(from, ['index.html'], { ref: 'HEAD' })).texts).toEqual(['page more']);
  await expect(readingOf(from, [])).rejects.toMatchObject({
    next: expect.stringContaining('git fetch --unshallow') as unknown,
  });
});

const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];

async function gitIn(folder: string, ...args: readonly string[]): Promise<string> {
  return (await execa('git', [...who, ...args], { cwd: folder })).stdout;
}

/** A repository with a commit of these files, and then one in which each has a word more. */
async function twoCommits(
  files: Readonly<Record<string, string>>,
  ...init: readonly string[]
): Promise<string> {
  const folder = await aFolder();
  await gitIn(folder, 'init', '--quiet', '--initial-branch=main', ...init);
  for (const more of ['', ' more']) {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text + more);
    }
    await gitIn(folder, 'add', '--all');
    await gitIn(folder, 'commit', '--quiet', '--message', 'a');
  }
  return folder;
}

/** The contents of the files of a version when its ref is compared. */
async function readingOf(
  from: string,
  files: readonly string[],
  where: { readonly submodules?: boolean; readonly build?: string; readonly ref?: string } = {},
): Promise<{ readonly texts: readonly string[]; readonly said: readonly string[] }> {
  const said: string[] = [];
  const { ref = 'HEAD~1', ...others } = where;
  const texts = await withVersions(
    [ref],
    { from, page: 'index.html', ...others },
    {
      caller: { ...caller, say: (sentence) => void said.push(sentence) },
      use: ([version]) =>
        Promise.resolve(
          files.map((path) =>
            version?.place.kind === 'folder'
              ? readFileSync(join(version.place.folder, path), 'utf8')
              : '',
          ),
        ),
    },
  );
  return { texts, said };
}

test('what a partial clone lacks is fetched, and refused where it cannot be', async () => {
  const files = { 'index.html': 'page', 'lib/a.js': 'a', 'lib/b.js': 'b' };
  const origin = await twoCommits(files);
  await gitIn(origin, 'config', 'uploadpack.allowFilter', 'true');
  await gitIn(origin, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  const folder = await aFolder();
  const clone = ['clone', '--quiet', '--filter=blob:none', `file://${origin}`];
  await gitIn(folder, ...clone, 'one');
  await gitIn(folder, ...clone, 'two');
  const { texts } = await readingOf(join(folder, 'one'), Object.keys(files));
  expect(texts).toEqual(['page', 'a', 'b']);
  await rm(origin, { recursive: true });
  await expect(readingOf(join(folder, 'two'), Object.keys(files))).rejects.toThrow(
    /git read-tree failed|could not be read/,
  );
});

test("keeps filters, object names and exclusions of the user's repository", async () => {
  const attributes = { '.gitattributes': '*.secret filter=rot\n', 'index.html': 'page' };
  const from = await twoCommits({ ...attributes, 'a.secret': 'abc' }, '--object-format=sha256');
  await gitIn(from, 'config', 'filter.rot.smudge', 'tr a-z b-za');
  await gitIn(from, 'sparse-checkout', 'set', '--no-cone', '/index.html');
  const built = { build: 'git rev-parse HEAD > commit' };
  const { texts } = await readingOf(from, ['a.secret', 'commit'], built);
  expect(texts).toEqual(['bcd', `${await gitIn(from, 'rev-parse', 'HEAD~1')}\n`]);
});

for (const [what, content] of [
  ['a pointer of Git LFS', 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n'],
  ['a file that git-crypt has not opened', '\0GITCRYPT\0\x01\x02'],
]) {
  test(`${what} cannot be measured`, async () => {
    const attributes = { '.gitattributes': '*.bin filter=absent\n', 'index.html': 'page' };
    const from = await twoCommits({ ...attributes, 'data.bin': content ?? '' });
    await expect(readingOf(from, [])).rejects.toThrow(/1 file of HEAD~1 .*data\.bin/);
  });
}

test('submodules are named, and fetched on request', async () => {
  const part = await twoCommits({ 'part.js': 'part' });
  const from = await twoCommits({ 'index.html': 'page' });
  const local = ['-c', 'protocol.file.allow=always'];
  await gitIn(from, ...local, 'submodule', '--quiet', 'add', part, 'lib/part');
  await gitIn(from, 'commit', '--quiet', '--message', 'part');
  const { said } = await readingOf(from, [], { ref: 'HEAD' });
  expect(said.join()).toMatch(
    /HEAD has submodules, which are left empty: lib\/part\. --submodules/,
  );
  const config = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'protocol.file.allow' };
  Object.assign(process.env, { ...config, GIT_CONFIG_VALUE_0: 'always' });
  try {
    const whole = { ref: 'HEAD', submodules: true };
    expect((await readingOf(from, ['lib/part/part.js'], whole)).texts).toEqual(['part more']);
  } finally {
    for (const name of [...Object.keys(config), 'GIT_CONFIG_VALUE_0']) {
      Reflect.deleteProperty(process.env, name);
    }
  }
});

test('a tag that is named as packages are is the repository’s own', async () => {
  const from = await aRepository();
  for (const name of ['lib@1.2.0', '@scope/lib@1.2.0']) await gitIn(from, 'tag', name, 'v1');
  for (const ref of ['lib@1.2.0', '@scope/lib@1.2.0']) {
    const { texts, said } = await readingOf(join(from, 'bench'), ['index.html'], { ref });
    expect(texts).toEqual(['old']);
    expect(said.join()).toContain(`npm:${ref} is the package of that name`);
  }
});

test("removes what a killed farm left and keeps others' files", async () => {
  const temporary = await aFolder();
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = temporary;
  try {
    const dead = farmMark().replace(/^\d+/, '4194304');
    const marks = { dead, living: farmMark(), strange: 'whatever' };
    for (const [name, mark] of Object.entries(marks)) {
      await mkdir(join(temporary, `crossfarm-versions-${name}`));
      await writeFile(join(temporary, `crossfarm-versions-${name}`, '.farm-mark'), mark);
    }
    const from = await aRepository();
    await readingOf(join(from, 'bench'), [], { ref: 'v1' });
    expect(readdirSync(temporary).toSorted()).toEqual([
      'crossfarm-versions-living',
      'crossfarm-versions-strange',
    ]);
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
});
