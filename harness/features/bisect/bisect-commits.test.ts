/** `crossfarm bisect good..bad`: real git, a browser that is played. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { seededGenerator } from '../../core/analysis/stats/random.ts';
import { findOnPath } from '../../core/setup/executable.ts';
import { aFakeFarm, type FakeFarm } from '../../testing/fake-farm.ts';
import { pagesWith } from '../../testing/fake-pages.ts';
import type { FinishedCommand } from '../../testing/farm.ts';

test.skip(findOnPath(['git']) === null, 'git is not installed');

interface History extends Pick<FakeFarm, 'folder' | 'farm' | 'farmIn'> {
  readonly git: (...args: readonly string[]) => Promise<string>;
  /** Short hashes of the commits of the main branch, the oldest first. */
  readonly names: readonly string[];
  /** The names of the versions of each trial. */
  readonly opened: string[];
  /** The versions that were looked at before anything of them was timed. */
  readonly looked: string[];
  /** Numbers further commits by their subjects. */
  readonly nameCommits: () => Promise<readonly string[]>;
}

interface Scene {
  /** Milliseconds of the page of each commit, by its number. */
  readonly msOf: (commit: number, browser: string) => number;
  readonly commits?: number;
  readonly browsers?: readonly string[];
  /** Commits whose page has an error. */
  readonly broken?: readonly number[];
  /** Commits in which the page is not there. */
  readonly withoutPage?: readonly number[];
  /** Standard deviation of a trial, as a share. */
  readonly noise?: number;
  readonly seed?: number;
}

/** A repository of commits to one page, and a farm in it that plays their browsers. */
async function aHistory(scene: Scene): Promise<History> {
  const {
    msOf,
    commits = 16,
    browsers = ['chromium'],
    broken = [],
    withoutPage = [],
    noise = 0.005,
    seed = 1,
  } = scene;
  const generator = seededGenerator(seed);
  const numbers = new Map<string, number>();
  const opened: string[] = [];
  const looked: string[] = [];
  const { folder, farm, farmIn } = await aFakeFarm({
    devices: browsers,
    trial: pagesWith(
      (version) => {
        opened.push(version);
        const commit = numbers.get(version) ?? 0;
        return {
          'measure:work': msOf(commit, browsers[0] ?? '') * (1 + noise * generator.normal()),
        };
      },
      (version, isLook) => {
        if (isLook) looked.push(version);
        return broken.includes(numbers.get(version) ?? -1) ? ['Error: broken'] : [];
      },
    ),
  });
  const git = async (...args: readonly string[]): Promise<string> =>
    (await execa('git', args, { cwd: folder })).stdout;
  await git('init', '--quiet', '--initial-branch=main');
  await execa('git', ['fast-import', '--quiet'], {
    cwd: folder,
    input: streamOf(commits, withoutPage),
  });
  await git('reset', '--quiet', '--hard', 'main');
  writeFileSync(join(folder, '.git', 'info', 'exclude'), '*');
  const nameCommits = async (): Promise<readonly string[]> => {
    const lines = (await git('log', '--reverse', '--format=%h %s')).split('\n');
    return lines.map((line) => {
      const [name = '', , number] = line.split(' ');
      numbers.set(name, Number(number));
      return name;
    });
  };
  return { folder, farm, farmIn, git, names: await nameCommits(), opened, looked, nameCommits };
}

const who = ['-c', 'user.name=A B', '-c', 'user.email=a@example.org'];

async function commitEmpty(git: History['git'], subject: string): Promise<void> {
  await git(...who, 'commit', '--quiet', '--allow-empty', '--message', subject);
}

function streamOf(commits: number, withoutPage: readonly number[]): string {
  return Array.from({ length: commits }, (_, index) => {
    const page = `<!doctype html><title>${String(index)}</title>`;
    const subject = `Change ${String(index)}`;
    const time = String(1_700_000_000 + index);
    return [
      'commit refs/heads/main',
      `committer A B <a@example.org> ${time} +0000`,
      `data ${String(subject.length)}`,
      subject,
      ...(withoutPage.includes(index)
        ? ['D index.html']
        : ['M 100644 inline index.html', `data ${String(page.length)}`, page]),
      '',
    ].join('\n');
  }).join('');
}

interface Answer {
  readonly outcome: string;
  readonly between: readonly [string, string] | null;
  readonly changes: readonly {
    readonly commit: { readonly subject: string };
    readonly skipped: readonly { readonly why: string }[];
    readonly verified: boolean;
    readonly rows: readonly { readonly browser: string; readonly verdict: string }[];
  }[];
  readonly steps: readonly { readonly run: number }[];
}

const answerOf = ({ stdout }: FinishedCommand): Answer => JSON.parse(stdout) as Answer;
const subjectsOf = ({ changes }: Answer): readonly string[] =>
  changes.map(({ commit }) => commit.subject);

test('names the commit that made a page slower, and checks it against its parent', async () => {
  const { farm, names } = await aHistory({ msOf: (commit) => (commit >= 11 ? 11 : 10) });
  const run = await farm('bisect', 'main~15..main', '--seed', '1');
  expect(run.stdout).toMatch(
    new RegExp(`^${names[11]!} “Change 11” \\(A B\\)\\n  slower 1\\.\\d+×`),
  );
  expect(run.code).toBe(0);
});

test('opens the report with the commit, and shows the way to it', async () => {
  const subject = 'Change 1 <img src=x onerror=alert(1)> \u001b[2J';
  const { farm, folder, git, nameCommits } = await aHistory({
    commits: 1,
    msOf: (commit) => (commit >= 1 ? 11 : 10),
    browsers: ['chromium', 'firefox'],
  });
  await commitEmpty(git, subject);
  for (const number of [2, 3]) await commitEmpty(git, `Change ${String(number)}`);
  const names = await nameCommits();
  const run = await farm('bisect', 'main~3..main', '--report', 'report.html');
  expect(run.code, run.stderr).toBe(0);
  const page = readFileSync(join(folder, 'report.html'), 'utf8');
  const [, heading] = /<h1>(.*?)<\/h1>/s.exec(page) ?? [];
  expect(heading).toMatch(
    new RegExp(`^<bdi>${names[1]!} made it [\\d.]+\\s% slower in chromium, firefox</bdi>$`),
  );
  expect(page).toContain('Change 1 &lt;img src=x onerror=alert(1)&gt;');
  expect(page).not.toContain('<img src=x');
  expect(page.match(/<li>\s*<p>(The ends|Between them|The commit and)/g)).toHaveLength(3);
  expect(page).toContain(`bisect `);
  expect(run.stdout).not.toContain('\u001b');
});

test('looks at each commit once, however often it is compared', async () => {
  const { farm, looked } = await aHistory({ msOf: (commit) => (commit >= 11 ? 11 : 10) });
  await farm('bisect', 'main~15..main', '--seed', '1');
  expect(looked.length).toBeGreaterThan(4);
  expect(looked).toEqual([...new Set(looked)]);
});

test('says that the two ends do not differ, and looks for nothing', async () => {
  const { farm, opened, names } = await aHistory({ msOf: () => 10 });
  const run = await farm('bisect', 'main~15', 'main', '--blame');
  expect(run.stdout).toMatch(/main~15 and main do not differ/);
  expect(run.stderr).toContain('no function is blamed: there is no difference');
  expect(run.code).toBe(0);
  expect(new Set(opened)).toEqual(new Set([names[0], names[15]]));
});

test('passes over commits that cannot be measured, and names all that may be it', async () => {
  const { farm, names } = await aHistory({
    msOf: (commit) => (commit >= 8 ? 11 : 10),
    broken: [2, 7, 8],
  });
  const answer = answerOf(await farm('bisect', 'main~15..main', '--json'));
  expect(answer.between).toEqual([names[6], names[9]]);
  expect(answer.changes[0]?.skipped).toEqual([
    expect.objectContaining({ why: expect.stringContaining('broken') as unknown }),
    expect.objectContaining({ why: expect.stringContaining('broken') as unknown }),
  ]);
});

test('tells several steps of one difference apart', async () => {
  const { farm } = await aHistory({
    msOf: (commit) => 10 * (commit >= 4 ? 1.1 : 1) * (commit >= 12 ? 1.1 : 1),
  });
  const answer = answerOf(await farm('bisect', 'main~15..main', '--json'));
  expect(subjectsOf(answer).toSorted()).toEqual(['Change 12', 'Change 4']);
  expect(answer.changes.every(({ verified }) => verified)).toBe(true);
});

test('enters the merge that brought a change in', async () => {
  const { farm, git, nameCommits } = await aHistory({
    commits: 6,
    msOf: (commit) => (commit === 101 || commit === 102 || commit >= 200 ? 11 : 10),
  });
  await git('checkout', '--quiet', '-b', 'side', 'main~3');
  for (const number of [100, 101, 102]) await commitEmpty(git, `Change ${String(number)}`);
  await git('checkout', '--quiet', 'main');
  await git(...who, 'merge', '--quiet', '--no-ff', 'side', '--message', 'Change 200');
  await commitEmpty(git, 'Change 201');
  await nameCommits();
  const run = await farm('bisect', 'main~6..main');
  expect(run.stdout).toMatch(/“Change 101”[^]*came with the merge \w+ “Change 200”/);
  expect(run.code).toBe(0);
});

test('goes on with the comparisons of an interrupted bisection', async () => {
  const { farm, farmIn, folder } = await aHistory({
    msOf: (commit) => (commit >= 11 ? 11 : 10),
  });
  const stop = new AbortController();
  const onOutput = (text: string): void => {
    if (text.includes('between')) stop.abort(new Error('Ctrl-C'));
  };
  const command = ['bisect', 'main~15..main'];
  const first = await farmIn({ signal: stop.signal, onOutput }, ...command);
  expect(first.code).toBe(3);
  expect(first.stdout).toContain('the same command goes on');
  const second = await farm('continue', '--json');
  expect(second.stderr).toContain('goes on with 2 comparisons');
  const answer = answerOf(second);
  expect(subjectsOf(answer)).toEqual(['Change 11']);
  expect(answer.steps.map(({ run }) => run)).toEqual([1, 2, 3, 4]);
  expect(readdirSync(join(folder, '.farm', 'bisections'))).toEqual(['answers']);
});

test('keeps builds by their files, and leaves the repository as it is', async () => {
  const { farmIn, git, folder } = await aHistory({
    commits: 4,
    msOf: (commit) => (commit >= 2 ? 11 : 10),
  });
  const before = await git('status', '--porcelain=v2', '--branch');
  const environment = { XDG_CACHE_HOME: join(folder, 'cache') };
  const command = ['bisect', 'main~3..main', '--build', 'echo built >> ../log'];
  const first = await farmIn({ environment }, ...command);
  expect(first.stdout).toContain('“Change 2”');
  const again = await farmIn({ environment }, ...command);
  expect(again.stderr).toContain('its build was kept');
  expect(readFileSync(join(folder, 'cache', 'crossfarm', 'commits', 'log'), 'utf8')).toBe(
    'built\n'.repeat(4),
  );
  expect(await git('status', '--porcelain=v2', '--branch')).toBe(before);
});

test('with --anew no comparison of an earlier bisection is taken, and no build', async () => {
  const { farmIn, folder } = await aHistory({
    commits: 4,
    msOf: (commit) => (commit >= 2 ? 11 : 10),
  });
  const environment = { XDG_CACHE_HOME: join(folder, 'cache') };
  const command = ['bisect', 'main~3..main', '--build', 'echo built >> ../log'];
  const stop = new AbortController();
  const onOutput = (text: string): void => {
    if (text.includes('between')) stop.abort(new Error('Ctrl-C'));
  };
  await farmIn({ environment, signal: stop.signal, onOutput }, ...command);
  const log = join(folder, 'cache', 'crossfarm', 'commits', 'log');
  const before = readFileSync(log, 'utf8').length;
  const again = await farmIn({ environment }, ...command, '--anew', '--json');
  expect(again.stderr).not.toContain('goes on with');
  expect(answerOf(again).steps.map(({ run }) => run)).not.toContain(1);
  expect(readFileSync(log, 'utf8').length).toBeGreaterThanOrEqual(2 * before);
});

test('passes over commits that lack the page, and refuses a range that begins with one', async () => {
  const { farm, names } = await aHistory({
    commits: 8,
    msOf: (commit) => (commit >= 6 ? 11 : 10),
    withoutPage: [0, 3, 4],
  });
  const answer = answerOf(await farm('bisect', 'main~6..main', '--json'));
  expect(subjectsOf(answer)).toEqual(['Change 6']);
  const early = await farm('bisect', 'main~7..main');
  expect(early.stderr).toContain(names[0]);
  expect(early.stderr).toMatch(/has no index\.html/);
  expect(early.code).toBe(2);
});

for (const [args, says] of [
  [['main..main'], /same commit/],
  [['main..main~3'], /Turn them round: main~3\.\.main/],
  [['gone..main'], /gone is not a commit/],
  [['--page=x', '--', '-x..main'], /begins with a hyphen/],
  [['main~3', 'main', '--browsers', 'netscape'], /netscape/],
] as const) {
  test(`refuses ${args.join(' ')}`, async () => {
    const { farm } = await aHistory({ msOf: () => 10 });
    const run = await farm('bisect', ...args);
    expect(run.stderr).toMatch(says);
    expect(run.code).toBe(2);
  });
}
