import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { seededGenerator } from '../core/analysis/stats/random.ts';
import { versionsDefaults } from '../core/app/defaults.ts';
import { defaultInventory } from '../core/project.ts';
import { formatDuration } from '../core/run/progress/time-left.ts';
import { bisectCommits, type CommitBisection } from '../features/bisect/bisect-commits.ts';
import type { BenchRow } from './row.ts';

/** Bisections of each kind: `CROSSFARM_CASES=5 CROSSFARM_SEED=2 npm run bench -- commits`. */
const cases = Number(process.env['CROSSFARM_CASES'] ?? 5);
const firstSeed = Number(process.env['CROSSFARM_SEED'] ?? 1);

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
  readonly ms: number;
}

/**
 * Bisects histories of 64 commits in Chromium: with a step of 10 % at a random one, some with
 * another, some commits broken; and histories without a step.
 */
export async function commitsBench(): Promise<readonly BenchRow[]> {
  const [withStep, without] = [await bisectAll(true), await bisectAll(false)];
  const right = withStep.filter(([truth, { named }]) =>
    named.some((one) => truth.steps.includes(one)),
  );
  const wrong = withStep.filter(([truth, { named }]) =>
    named.some((one) => !truth.steps.includes(one)),
  );
  const named = without.filter(([, answer]) => answer.named.length > 0);
  return [
    {
      bench: 'commits',
      figure: `the commit that adds ${String(percent)} %, of ${String(commits)}`,
      value: right.length,
      unit: `of ${String(cases)} named`,
      ratio: null,
      detail: `another one named: ${String(wrong.length)}; ${describeCost(withStep)}`,
    },
    {
      bench: 'commits',
      figure: `no commit adds anything, of ${String(commits)}`,
      value: named.length,
      unit: `of ${String(cases)} named one`,
      ratio: null,
      detail: describeCost(without),
    },
  ];
}

function describeCost(all: readonly (readonly [Truth, Answer])[]): string {
  const answers = all.map(([, answer]) => answer);
  const ms = answers.map((one) => one.ms).sort((one, other) => one - other);
  const most = Math.max(...answers.map(({ comparisons }) => comparisons));
  return `median ${formatDuration(ms[Math.floor(ms.length / 2)] ?? 0)}, at most ${String(most)} comparisons`;
}

async function bisectAll(hasStep: boolean): Promise<readonly (readonly [Truth, Answer])[]> {
  const all: (readonly [Truth, Answer])[] = [];
  for (let seed = firstSeed; seed < firstSeed + cases; seed += 1) {
    const truth = truthOf(seed, hasStep);
    const answer = await bisectOnce(truth);
    all.push([truth, answer]);
    console.error(
      `seed ${String(seed)}: slower since ${truth.steps.join(', ') || 'never'}, named ${answer.named.join(', ') || 'none'}, ${String(answer.comparisons)} comparisons, ${formatDuration(answer.ms)}`,
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

async function bisectOnce(truth: Truth): Promise<Answer> {
  const folder = await mkdtemp(join(tmpdir(), 'crossfarm-commits-'));
  const before = process.cwd();
  try {
    await execa('git', ['init', '--quiet', '--initial-branch=main'], { cwd: folder });
    await execa('git', ['fast-import', '--quiet'], { cwd: folder, input: historyOf(truth) });
    process.chdir(folder);
    const began = performance.now();
    const bisection = await bisectCommits(
      { good: `main~${String(commits)}`, bad: 'main' },
      {
        ...versionsDefaults,
        browsers: ['chromium'],
        inventory: defaultInventory(),
        database: join(folder, 'farm.db'),
        maxBlocks: 60,
      },
      { signal: new AbortController().signal, say: () => undefined },
    );
    return { ...answerOf(bisection), ms: performance.now() - began };
  } finally {
    process.chdir(before);
    await rm(folder, { recursive: true, force: true });
  }
}

function answerOf({ changes, steps }: CommitBisection): Omit<Answer, 'ms'> {
  const verified = changes.filter(({ isVerified }) => isVerified);
  return {
    named: verified.map(({ commit }) => Number(/\d+/.exec(commit.subject)?.[0])),
    comparisons: steps.filter(({ run }) => run !== null).length,
  };
}

/** A stream for `git fast-import`: a page a commit, whose work of some 60 ms runs after its load. */
function historyOf({ steps, broken }: Truth): string {
  return Array.from({ length: commits + 1 }, (_, number) => {
    const rounds = Math.round(
      6e7 * (1 + percent / 100) ** steps.filter((one) => one <= number).length,
    );
    const script = broken.has(number)
      ? "throw new Error('broken on purpose');"
      : `addEventListener('load', () => setTimeout(() => {
  const start = performance.now();
  let sum = 0;
  for (let i = 0; i < ${String(rounds)}; i++) sum = (sum + i) | 0;
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
