import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { fakeDriver, type FakeDriver } from '../../drivers/fake/fake.ts';
import { seededGenerator } from '../core/analysis/stats/random.ts';
import { versionsDefaults } from '../core/app/defaults.ts';
import { defaultInventory } from '../core/project.ts';
import { formatDuration } from '../core/run/progress/time-left.ts';
import { bisectCommits } from '../features/bisect/bisect-commits.ts';
import { blocksIn, type CommitBisection } from '../features/bisect/comparison.ts';
import { pagesWith } from '../testing/fake-pages.ts';
import type { BenchRow } from './row.ts';

/** Histories of each kind: `CROSSFARM_CASES=5 CROSSFARM_PLAYED=0 CROSSFARM_SEED=2 npm run bench -- commits`. */
const cases = {
  chromium: Number(process.env['CROSSFARM_CASES'] ?? 2),
  played: Number(process.env['CROSSFARM_PLAYED'] ?? 20),
};
const firstSeed = Number(process.env['CROSSFARM_SEED'] ?? 1);

type Browser = keyof typeof cases;

const commits = 64;
const percent = 10;
const mostBroken = 4;

/** Every seventh history has a second step. */
const secondStep = 7;

/** What is true of a history: the numbers of its commits that made the page slower, and of the broken ones. */
interface Truth {
  readonly steps: readonly number[];
  readonly broken: ReadonlySet<number>;
}

interface Answer {
  readonly named: readonly number[];
  readonly comparisons: number;
  readonly trials: number;
  readonly ms: number;
}

/**
 * Bisects histories of 64 commits: with a step of 10 % at a random one, some with another, some
 * commits broken; and histories without a step. Most of them in a browser that is played, which says
 * at once how long a page takes: all else is the farm; a few in Chromium.
 */
export async function commitsBench(): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const browser of ['played', 'chromium'] as const) {
    if (cases[browser] === 0) continue;
    rows.push(
      ...describeAll(browser, await bisectAll(browser, true), await bisectAll(browser, false)),
    );
  }
  return rows;
}

type Bisected = readonly (readonly [Truth, Answer])[];

function describeAll(browser: Browser, withStep: Bisected, without: Bisected): readonly BenchRow[] {
  const right = withStep.filter(([{ steps }, { named }]) =>
    named.some((one) => steps.includes(one)),
  );
  const wrong = withStep.filter(([{ steps }, { named }]) =>
    named.some((one) => !steps.includes(one)),
  );
  const named = without.filter(([, answer]) => answer.named.length > 0);
  const where = browser === 'played' ? 'a played browser' : 'Chromium';
  const row = { bench: 'commits', ratio: null } as const;
  return [
    {
      ...row,
      figure: `the commit that adds ${String(percent)} %, of ${String(commits)}, in ${where}`,
      value: right.length,
      unit: `of ${String(withStep.length)} named`,
      detail: `another one named: ${String(wrong.length)}; ${describeCost(withStep)}`,
    },
    {
      ...row,
      figure: `no commit adds anything, of ${String(commits)}, in ${where}`,
      value: named.length,
      unit: `of ${String(without.length)} named one`,
      detail: describeCost(without),
    },
  ];
}

function describeCost(all: Bisected): string {
  const answers = all.map(([, answer]) => answer);
  const ms = answers.map((one) => one.ms).sort((one, other) => one - other);
  const most = Math.max(...answers.map(({ comparisons }) => comparisons));
  const trials = answers.reduce((sum, one) => sum + one.trials, 0) / answers.length;
  return `median ${formatDuration(ms[Math.floor(ms.length / 2)] ?? 0)}, at most ${String(most)} comparisons, ${trials.toFixed(0)} trials in the mean`;
}

async function bisectAll(browser: Browser, hasStep: boolean): Promise<Bisected> {
  const all: (readonly [Truth, Answer])[] = [];
  for (let seed = firstSeed; seed < firstSeed + cases[browser]; seed += 1) {
    const truth = truthOf(seed, hasStep);
    const answer = await bisectOnce(truth, browser, seed);
    all.push([truth, answer]);
    console.error(
      `${browser}, seed ${String(seed)}: slower since ${truth.steps.join(', ') || 'never'}, named ${answer.named.join(', ') || 'none'}, ${String(answer.comparisons)} comparisons, ${formatDuration(answer.ms)}`,
    );
  }
  return all;
}

function truthOf(seed: number, hasStep: boolean): Truth {
  const generator = seededGenerator(seed);
  const any = (): number => 1 + generator.nextInt(commits);
  const steps = hasStep ? [any(), ...(seed % secondStep === 0 ? [any()] : [])] : [];
  // The two ends are named by their user, who has seen them work.
  const broken = Array.from({ length: generator.nextInt(mostBroken + 1) }, any).filter(
    (one) => one < commits && !steps.includes(one) && !steps.includes(one + 1),
  );
  return { steps, broken: new Set(broken) };
}

async function bisectOnce(truth: Truth, browser: Browser, seed: number): Promise<Answer> {
  const folder = await mkdtemp(join(tmpdir(), 'crossfarm-commits-'));
  const before = process.cwd();
  try {
    const git = async (...args: readonly string[]): Promise<string> =>
      (await execa('git', args, { cwd: folder })).stdout;
    await git('init', '--quiet', '--initial-branch=main');
    await execa('git', ['fast-import', '--quiet'], { cwd: folder, input: historyOf(truth) });
    process.chdir(folder);
    const inventory = join(folder, 'devices.json');
    if (browser === 'played') await writeFile(inventory, JSON.stringify({ devices: [played] }));
    const names = await git('log', '--reverse', '--format=%h', 'main');
    const caller = { signal: new AbortController().signal, say: () => undefined };
    const driver = playing(truth, names.split('\n'), seed);
    // Nothing is measured in it, so other farms need not wait for it, nor it for them.
    if (browser === 'played') process.env['CROSSFARM_HOST_LOCK'] = 'off';
    const began = performance.now();
    const bisection = await bisectCommits(
      { good: `main~${String(commits)}`, bad: 'main' },
      {
        ...versionsDefaults,
        browsers: ['chromium'],
        inventory: browser === 'played' ? inventory : defaultInventory(),
        database: join(folder, 'farm.db'),
        maxBlocks: 60,
        seed,
        ...(browser === 'played' && { measurement: 'fast', probes: false }),
      },
      browser === 'played' ? { ...caller, loadDriver: () => Promise.resolve(driver) } : caller,
    );
    return { ...answerOf(bisection), ms: performance.now() - began };
  } finally {
    process.chdir(before);
    delete process.env['CROSSFARM_HOST_LOCK'];
    await rm(folder, { recursive: true, force: true });
  }
}

const played = {
  id: 'chromium',
  browser: 'chromium',
  driver: 'playwright',
  headless: true,
  executable: process.execPath,
};

/** Standard deviation of a trial as a share, and what it has in common with the trial before it. */
const noise = { share: 0.03, memory: 0.5 };

/** Plays a browser in which the page of each commit takes what is true of it, in noise. */
function playing({ steps, broken }: Truth, names: readonly string[], seed: number): FakeDriver {
  const generator = seededGenerator(seed);
  const { share, memory } = noise;
  let last = 0;
  return fakeDriver({
    trial: pagesWith(
      (version) => {
        const number = names.indexOf(version);
        last = memory * last + Math.sqrt(1 - memory ** 2) * generator.normal();
        const slower = (1 + percent / 100) ** steps.filter((one) => one <= number).length;
        return { 'measure:work': 60 * slower * Math.exp(share * last) };
      },
      (version) => (broken.has(names.indexOf(version)) ? ['Error: broken on purpose'] : []),
    ),
  });
}

function answerOf({ changes, steps }: CommitBisection): Omit<Answer, 'ms'> {
  const verified = changes.filter(({ isVerified }) => isVerified);
  return {
    named: verified.map(({ commit }) => Number(/\d+/.exec(commit.subject)?.[0])),
    comparisons: steps.filter(({ run }) => run !== null).length,
    trials: steps.reduce((sum, step) => sum + step.commits.length * blocksIn(step), 0),
  };
}

/**
 * A stream for `git fast-import`: a page a commit, whose work of some 60 ms runs after its load. The
 * work is many calls: V8 optimizes one long loop in some loads and not in others, 18 or 240 ms.
 */
function historyOf({ steps, broken }: Truth): string {
  return Array.from({ length: commits + 1 }, (_, number) => {
    const calls = Math.round(
      2000 * (1 + percent / 100) ** steps.filter((one) => one <= number).length,
    );
    const script = broken.has(number)
      ? "throw new Error('broken on purpose');"
      : `addEventListener('load', () => setTimeout(() => {
  const add = (sum) => {
    for (let i = 0; i < 30_000; i++) sum = (sum + i) | 0;
    return sum;
  };
  const start = performance.now();
  let sum = 0;
  for (let i = 0; i < ${String(calls)}; i++) sum = add(sum);
  document.body.append(String(sum));
  performance.measure('work', { start, end: performance.now() });
}, 50));`;
    const page = `<!doctype html><html lang="en"><title>${String(number)}</title><body><script>${script}</script>`;
    const subject = `Change ${String(number)}`;
    return [
      'commit refs/heads/main',
      `committer A B <a@example.org> ${String(1_700_000_000 + number)} +0000`,
      `data ${String(subject.length)}`,
      subject,
      'M 100644 inline index.html',
      `data ${String(page.length)}`,
      page,
      '',
    ].join('\n');
  }).join('');
}
