/** `crossfarm ci`: real git, a browser that is played, and a stand-in of the forge. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { seededGenerator } from '../../core/analysis/stats/random.ts';
import { findOnPath } from '../../core/setup/executable.ts';
import { aFakeFarm, type FakeFarm } from '../../testing/fake-farm.ts';
import { pagesWith } from '../../testing/fake-pages.ts';
import type { FinishedCommand } from '../../testing/farm.ts';
import { aForge, type StandInForge } from '../../testing/forge.ts';
import type { CiAnswer } from './ci.ts';

test.skip(findOnPath(['git']) === null, 'git is not installed');

let forge: StandInForge;
test.beforeEach(async () => {
  forge = await aForge();
});
test.afterEach(() => forge.close());

const token = 'secret-of-the-token';
const page = 'bench.html';

interface Repository {
  readonly folder: string;
  readonly farm: FakeFarm['farm'];
  readonly git: (...args: readonly string[]) => Promise<string>;
  /** Commits the page, which takes this long. @returns the hash */
  readonly commit: (ms: number) => Promise<string>;
  readonly ci: (
    environment: Readonly<Record<string, string>>,
    ...args: readonly string[]
  ) => Promise<FinishedCommand>;
  /** Variables of a job of GitHub Actions for this event. */
  readonly github: (event: object) => Readonly<Record<string, string>>;
}

async function aRepository(): Promise<Repository> {
  const times = new Map<string, number>();
  const generator = seededGenerator(1);
  const { folder, farm, farmIn } = await aFakeFarm({
    devices: ['chromium'],
    trial: pagesWith((version) => ({
      'measure:work': (times.get(version) ?? 0) * (1 + 0.005 * generator.normal()),
    })),
  });
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
  const git = async (...args: readonly string[]): Promise<string> =>
    (await execa('git', [...who, ...args], { cwd: folder })).stdout;
  await git('init', '--quiet', '--initial-branch=main');
  writeFileSync(join(folder, '.git', 'info', 'exclude'), '*');
  let number = 0;
  const commit = async (ms: number): Promise<string> => {
    writeFileSync(join(folder, page), `<!doctype html><title>${String((number += 1))}</title>`);
    await git('add', '--force', page);
    // One commit a minute: the order of a history.
    const date = new Date(Date.UTC(2026, 0, 1, 0, number)).toISOString();
    await execa('git', [...who, 'commit', '--quiet', '--message', `take ${String(ms)} ms`], {
      cwd: folder,
      env: { GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date },
    });
    const hash = await git('rev-parse', 'HEAD');
    times.set(hash.slice(0, 12), ms);
    return hash;
  };
  const clean = { GITHUB_ACTIONS: '', GITLAB_CI: '', GITHUB_STEP_SUMMARY: '' };
  return {
    folder,
    farm,
    git,
    commit,
    ci: (environment, ...args) =>
      farmIn({ environment: { ...clean, ...environment } }, 'ci', `--page=${page}`, ...args),
    github: (event) => {
      const path = join(folder, 'event.json');
      writeFileSync(path, JSON.stringify(event));
      return {
        GITHUB_ACTIONS: 'true',
        GITHUB_API_URL: forge.api,
        GITHUB_REPOSITORY: 'owner/name',
        GITHUB_EVENT_PATH: path,
        GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
        GITHUB_TOKEN: token,
      };
    },
  };
}

test('a pull request has one comment, which the next push changes', async () => {
  const { folder, git, commit, ci, github } = await aRepository();
  const base = await commit(100);
  await git('checkout', '--quiet', '-b', 'feature');
  const slow = await commit(120);
  // The pull request does not answer for later commits of main.
  await git('checkout', '--quiet', 'main');
  const tip = await commit(300);
  const event = (sha: string): object => ({
    pull_request: { number: 5, base: { ref: 'main', sha: tip }, head: { ref: 'feature', sha } },
  });
  const first = await ci(github(event(slow)), '--json');
  expect(first.code, first.stderr).toBe(1);
  expect(JSON.parse(first.stdout)).toMatchObject({
    comment: 'added',
    check: true,
    base,
    head: slow,
  });
  const [comment] = forge.comments;
  expect(comment?.body).toContain('▼');
  expect(comment?.body).toContain(`\`feature\` at \`${slow.slice(0, 12)}\``);
  expect(comment?.body).toContain('measured on');
  expect(readFileSync(join(folder, 'summary.md'), 'utf8')).toContain('slower');
  const check = forge.requests.find(({ path }) => path.endsWith('/check-runs'));
  expect(check?.body).toMatchObject({ head_sha: slow, conclusion: 'failure' });

  await git('checkout', '--quiet', 'feature');
  const quick = await commit(80);
  const second = await ci(github(event(quick)));
  expect(second.code, second.stderr).toBe(0);
  expect(forge.comments.length).toBe(1);
  expect(comment?.body).toContain('▲');
  expect(`${first.stdout}${first.stderr}${second.stdout}${second.stderr}`).not.toContain(token);
});

test('what the forge refuses is a sentence, and the exit code is that of the comparison', async () => {
  const { commit, ci, github } = await aRepository();
  const before = await commit(100);
  const after = await commit(100);
  forge.refuse = ({ method }) => (method === 'POST' ? 403 : null);
  const refused = await ci(github({ before, after }), '--json');
  expect(refused.code, refused.stderr).toBe(0);
  expect((JSON.parse(refused.stdout) as CiAnswer).notes.join()).toContain('checks: write');
  const withoutToken = await ci({ ...github({ before, after }), GITHUB_TOKEN: '' });
  expect(withoutToken.stderr).toContain('no token is set (CROSSFARM_TOKEN or GITHUB_TOKEN');
});

test('the comment names a commit that cannot be measured', async () => {
  const { git, commit, ci, github } = await aRepository();
  const sha = await commit(100);
  await git('checkout', '--quiet', '-b', 'feature');
  const head = await commit(100);
  const event = {
    pull_request: { number: 5, base: { ref: 'main', sha }, head: { ref: 'feature', sha: head } },
  };
  const failed = await ci(github(event), '--build=echo broken >&2; exit 1');
  expect(failed.code).toBe(2);
  expect(forge.comments[0]?.body).toContain('It was not measured');
  expect(forge.comments[0]?.body).toContain('broken');
});

test('no build or page sees the token @attack', async () => {
  const { folder, commit, ci, github } = await aRepository();
  const [before, after] = [await commit(100), await commit(100)];
  const seen = join(folder, 'seen');
  const ran = await ci(github({ before, after }), `--build=env > ${seen}`);
  expect(ran.code, ran.stderr).toBe(0);
  expect(readFileSync(seen, 'utf8')).not.toContain(token);
});

test('names of branches are no options and no Markdown @attack', async () => {
  const { commit, ci, github } = await aRepository();
  const sha = await commit(100);
  const pull = (ref: string, head: string): object => ({
    pull_request: { number: 5, base: { ref, sha }, head: { ref, sha: head } },
  });
  for (const hostile of ['--upload-pack=touch x', '+refs/heads/*', 'a:b']) {
    const refused = await ci(github(pull('x', hostile)));
    expect(refused.code, refused.stderr).toBe(2);
    expect(refused.stderr).toContain('cannot name a version');
  }
  const ref = '`<img src=x>` @everyone\u001b[31m';
  await ci(github(pull(ref, await commit(100))), '--no-comment');
  const told = await ci(github(pull(ref, sha)));
  expect(told.stdout).toContain('`` `<img src=x>` @everyone ``');
  expect(told.stdout).not.toContain('\u001b');
});

test('a history keeps results by commit, and says what main did since', async () => {
  const { folder, farm, git, commit, ci, github } = await aRepository();
  const base = await commit(100);
  await git('branch', 'feature');
  const tip = await commit(130);
  const history = join(folder, 'history');
  const push = { before: base, after: tip };
  const main = { ...github(push), GITHUB_REF_NAME: 'main' };
  const pushed = await ci(main, `--history=${history}`, '--no-comment');
  expect(pushed.code, pushed.stderr).toBe(1);
  await git('checkout', '--quiet', 'feature');
  const sha = await commit(100);
  const event = {
    pull_request: { number: 5, base: { ref: 'main', sha: tip }, head: { ref: 'feature', sha } },
  };
  const answered = await ci(github(event), `--history=${history}`);
  expect(answered.code, answered.stderr).toBe(0);
  expect(forge.comments[0]?.body).toMatch(/main since then, 1 of 1 commits measured: .*slower/);
  expect(readdirSync(history).length).toBe(2);

  const next = await commit(100);
  const again = { ...github({ before: tip, after: next }), GITHUB_REF_NAME: 'main' };
  await ci(again, `--history=${history}`, '--no-comment');
  const out = join(folder, 'history.html');
  const drawn = await farm('report', `--history=${history}`, `--out=${out}`);
  expect(drawn.code, drawn.stderr).toBe(0);
  const text = readFileSync(out, 'utf8');
  expect(text).toContain('2 changes of speed');
  expect(text).toMatch(new RegExp(`slower at ${tip.slice(0, 12)}`));
});

test('a history in databases is merged, and drawn as one', async () => {
  const { folder, farm, commit, ci, github } = await aRepository();
  const [first, slow, quick] = [await commit(100), await commit(130), await commit(100)];
  for (const [before, after, database] of [
    [first, slow, 'a.db'],
    [slow, quick, 'b.db'],
  ] as const) {
    const environment = { ...github({ before, after }), GITHUB_REF_NAME: 'main' };
    const kept = await ci(environment, `--history=${join(folder, database)}`, '--json');
    expect((JSON.parse(kept.stdout) as CiAnswer).history).toBe(join(folder, database));
  }
  const merge = ['import', 'a.db', 'b.db', '--into', 'all.db'];
  const merged = await farm('db', ...merge);
  expect(merged.stdout).toContain('b.db: 0 runs; 1 result of commits');
  expect((await farm('db', ...merge)).stdout).not.toContain('of commits');
  const out = join(folder, 'history.html');
  const drawn = await farm('report', '--history', join(folder, 'all.db'), `--out=${out}`);
  expect(drawn.code, drawn.stderr).toBe(0);
  expect(readFileSync(out, 'utf8')).toContain('2 changes of speed');
  const none = await farm('report', '--history', join(folder, 'none.db'));
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('none.db has no history');
});
