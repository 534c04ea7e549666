import { chmod, cp, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatDuration } from '../core/run/progress/time-left.ts';
import { seededGenerator } from '../core/analysis/stats/random.ts';
import { type BisectionResult, bisectBuilds } from '../features/bisect/bisect-builds.ts';
import { compareDefaults } from '../core/app/defaults.ts';
import { defaultInventory, pagesFolder } from '../core/project.ts';
import { addBuild, buildsFolder } from '../core/setup/build-store.ts';
import type { BenchRow } from './row.ts';

/** How many bisections, and the seed of their truths: `CROSSFARM_CASES=5 CROSSFARM_SEED=2 npm run bench -- bisect`. */
const cases = Number(process.env['CROSSFARM_CASES'] ?? 20);
const firstSeed = Number(process.env['CROSSFARM_SEED'] ?? 1);

const builds = 30;
const percent = 10;
const limits = { steps: 6, minutes: 12 };

/** The first version: the farm takes one below 12 for the Node.js of then. */
const newerThanAll = 101;

/** Environment variable: the work that the page adds, in percent. */
const injection = 'CROSSFARM_INJECTED';

/**
 * Bisects thirty builds, slower from one build on, in real processes with the whole farm. A build
 * is this Node.js behind a script that adds the work, so that the truth is known.
 */
export async function bisectBench(): Promise<readonly BenchRow[]> {
  const found: FoundChange[] = [];
  for (let seed = firstSeed; seed < firstSeed + cases; seed += 1) {
    const since = 1 + Math.floor(seededGenerator(seed).uniform() * (builds - 1));
    const one = await bisectOnce(since);
    found.push(one);
    console.error(`seed ${String(seed)}: ${describe(one)}`);
  }
  const good = found.filter(isGood);
  const minutes = found.map(({ ms }) => ms / 60_000).sort((x, y) => x - y);
  return [
    {
      bench: 'bisect',
      figure: `${String(percent)} % since one of ${String(builds)} builds`,
      value: good.length,
      unit: `of ${String(cases)} found`,
      ratio: null,
      detail: `in at most ${String(limits.steps)} steps and ${String(limits.minutes)} min; wrong: ${String(found.filter(isWrong).length)}; median ${(minutes[Math.floor(cases / 2)] ?? NaN).toFixed(1)} min, longest ${(minutes.at(-1) ?? NaN).toFixed(1)} min`,
    },
  ];
}

/** A bisection, and which build is the first that is slower. */
interface FoundChange extends Pick<BisectionResult, 'found' | 'steps'> {
  readonly since: number;
  readonly ms: number;
}

function isRight({ found, since }: FoundChange): boolean {
  return found.kind === 'narrowed' && found.first === since && found.last === since - 1;
}

/** Undecided is not wrong. */
function isWrong(one: FoundChange): boolean {
  return one.found.kind !== 'undecided' && !isRight(one);
}

function isGood(one: FoundChange): boolean {
  return isRight(one) && one.steps.length <= limits.steps && one.ms <= limits.minutes * 60_000;
}

function describe(one: FoundChange): string {
  const { found, steps, ms, since } = one;
  const asked = steps.map(({ build, decision, verdict, stopped }) =>
    [build, verdict, String(decision?.blocks ?? 0), ...(stopped === null ? [] : [stopped])].join(
      ' ',
    ),
  );
  return `${isRight(one) ? 'right' : isWrong(one) ? 'wrong' : 'undecided'}, ${String(steps.length)} steps, ${formatDuration(ms)}; since ${String(newerThanAll + since)}, ${found.kind} ${String(newerThanAll + found.first)} (${asked.join(', ')})`;
}

async function bisectOnce(since: number): Promise<FoundChange> {
  const folder = await mkdtemp(join(tmpdir(), 'crossfarm-bisect-'));
  const database = join(folder, 'farm.db');
  const pages = join(folder, 'pages');
  try {
    // A root farm's Node.js is another user, who reads the pages.
    await chmod(folder, 0o755);
    await writePages(pages);
    for (let build = 0; build < builds; build += 1) {
      await addWrapper(database, build, build >= since ? percent : 0);
    }
    const began = performance.now();
    const result = await bisectBuilds(
      ['node'],
      {
        ...compareDefaults,
        inventory: defaultInventory(),
        database,
        pages,
        bench: 'control',
        param: { place: ['main'] },
        maxBlocks: 60,
      },
      { signal: new AbortController().signal, say: () => undefined },
    );
    return { ...result, since, ms: performance.now() - began };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The page `control`, with as much added as the build that runs it says. */
async function writePages(pages: string): Promise<void> {
  const control = join(pages, 'control');
  // Not a link: a runtime sees nothing outside of the folder of its pages.
  await cp(join(pagesFolder(), 'kit'), join(pages, 'kit'), { recursive: true });
  await cp(join(pagesFolder(), 'control'), control, { recursive: true });
  await rename(join(control, 'benchmark.js'), join(control, 'plain.js'));
  await writeFile(
    join(control, 'benchmark.js'),
    `import { prepare as plain } from './plain.js';
export { id } from './plain.js';
const extraPercent = Number(process.env.${injection});
export const prepare = (parameters) => plain({ ...parameters, extraPercent });
`,
  );
}

async function addWrapper(database: string, build: number, extra: number): Promise<void> {
  const version = `${String(newerThanAll + build)}.0.0`;
  await addBuild(buildsFolder(database), async (half) => {
    const script = `#!/bin/sh
[ "$1" = --version ] && echo v${version} && exit
${injection}=${String(extra)} exec ${process.execPath} "$@"
`;
    await writeFile(join(half, 'node'), script);
    await chmod(join(half, 'node'), 0o755);
    return { product: 'node', version, executable: 'node', keptAt: new Date(0).toISOString() };
  });
}
