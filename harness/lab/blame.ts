import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { versionPairs } from '../core/analysis/run-pairs.ts';
import { type SeededGenerator, seededGenerator } from '../core/analysis/stats/random.ts';
import { defaultAlpha } from '../core/analysis/stats/verdict.ts';
import { versionsDefaults } from '../core/app/defaults.ts';
import { readRecord } from '../core/app/records.ts';
import type { RunRecord } from '../core/model/run.ts';
import { profileProbe } from '../core/probes/trace.ts';
import { defaultInventory, projectRoot } from '../core/project.ts';
import { formatDuration } from '../core/run/progress/time-left.ts';
import { readSides } from '../features/blame/compared-sides.ts';
import { blocksOfLook } from '../features/blame/measure-blame.ts';
import { type DecidedRun, ProfiledTrials, type SideBlame } from '../features/blame/read-blame.ts';
import { searchVersions } from '../features/compare/compare-versions.ts';
import { type AddedWork, drawFunctions, writePage } from './blame-pages.ts';
import type { BenchRow } from './row.ts';
import '../features.ts';

/** Mutants, and as many equal pages: `CROSSFARM_CASES=200 CROSSFARM_SEED=1 npm run bench -- blame`. */
const cases = Number(process.env['CROSSFARM_CASES'] ?? 20);
const firstSeed = Number(process.env['CROSSFARM_SEED'] ?? 1);
const browsers = (process.env['CROSSFARM_BLAME_DEVICES'] ?? 'chromium').split(',');

/** Whole comparisons with their blame, each timed from its verdict on. */
const timed = Number(process.env['CROSSFARM_TIMED'] ?? 3);

/** Mutants of one generated page, which are measured in blocks together with it and as many equal ones. */
const perPage = 10;

/** As `crossfarm blame` goes on: as long as nothing is settled about a mutant. */
const looks = [blocksOfLook.first, blocksOfLook.later, blocksOfLook.later];

/** Of the whole operation, added to one function. */
const added = { least: 0.05, most: 0.2 } as const;

interface Case {
  readonly version: string;
  /** Null for an equal page. */
  readonly added: AddedWork | null;
}

interface JudgedCase extends Case {
  readonly blamed: SideBlame | undefined;
}

/**
 * Blames functions of generated pages with 54 functions: mutants, in which one function does more, and
 * pages that differ in nothing but their title. The mutants of a page share its trials.
 */
export async function blameBench(): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const browser of browsers) {
    const began = performance.now();
    const judged: JudgedCase[] = [];
    for (let seed = firstSeed; judged.length < 2 * cases; seed += 1) {
      const count = Math.min(perPage, cases - judged.length / 2);
      judged.push(...(await judgePage(browser, seed, count)));
    }
    const each = (performance.now() - began) / Math.max(1, judged.length);
    rows.push(...describeCases(browser, judged, each));
    if (timed > 0) rows.push(await timeBlames(browser));
  }
  return rows;
}

function describeCases(
  browser: string,
  judged: readonly JudgedCase[],
  eachMs: number,
): readonly BenchRow[] {
  const mutants = judged.filter((one) => one.added !== null);
  const equal = judged.filter((one) => one.added === null);
  const isShort = (one: JudgedCase): boolean => one.added?.name.startsWith('short') === true;
  const groups = [
    { what: 'a mutated function', of: mutants },
    { what: 'a mutated function that engines inline', of: mutants.filter(isShort) },
  ];
  const base = { bench: 'blame', unit: '%', ratio: null };
  return [
    ...groups.map(({ what, of }) => ({
      ...base,
      figure: `${what} blamed first, in ${browser}`,
      value: (100 * of.filter(isRight).length) / Math.max(1, of.length),
      detail: `${String(of.filter(isRight).length)} of ${String(of.length)}, another one first: ${String(of.filter(isWrong).length)}, nothing: ${String(of.filter((one) => firstSettled(one) === null).length)}`,
    })),
    {
      ...base,
      figure: `equal pages with anything blamed, in ${browser}`,
      value: (100 * equal.filter((one) => firstSettled(one) !== null).length) / equal.length,
      detail: `of ${String(equal.length)}; ${formatDuration(eachMs)} for each case`,
    },
  ];
}

function firstSettled({ blamed }: JudgedCase): SideBlame['rows'][number] | null {
  const [first] = blamed?.rows ?? [];
  return first?.isSettled === true ? first : null;
}

function isRight(one: JudgedCase): boolean {
  return one.added !== null && firstSettled(one)?.key === one.added.name;
}

function isWrong(one: JudgedCase): boolean {
  return firstSettled(one) !== null && !isRight(one);
}

/** Measures the mutants of one page, and as many equal ones, and blames their functions. */
async function judgePage(
  browser: string,
  seed: number,
  count: number,
): Promise<readonly JudgedCase[]> {
  return inFolder(async (folder) => {
    const generator = seededGenerator(seed);
    const functions = drawFunctions(generator);
    const mutants = Array.from({ length: count }, (_, index): Case => {
      const { name } = functions[generator.nextInt(functions.length)] ?? { name: '' };
      return { version: `mutant-${String(index)}.html`, added: drawWork(generator, name) };
    });
    const equal = mutants.map((_, index): Case => ({
      version: `equal-${String(index)}.html`,
      added: null,
    }));
    const all = [...mutants, ...equal];
    await writeFile(join(folder, 'base.html'), writePage(functions, 'base'));
    for (const { version, added: work } of all) {
      await writeFile(join(folder, version), writePage(functions, version, work ?? undefined));
    }
    const began = performance.now();
    const found = await blameVersions(browser, {
      folder,
      seed,
      versions: all.map((one) => one.version),
      mutants: mutants.map((one) => one.version),
    });
    const judged = all.map((one) => ({
      ...one,
      blamed: found.find(({ after }) => after === one.version),
    }));
    describeMisses(judged).forEach((line) => {
      console.error(line);
    });
    const right = judged.filter(isRight).length;
    const alarms = judged.filter((one) => one.added === null && firstSettled(one) !== null).length;
    console.error(
      `${browser}, seed ${String(seed)}: ${String(right)} of ${String(count)} right, ${String(alarms)} equal ones blamed, ${formatDuration(performance.now() - began)}`,
    );
    return judged;
  });
}

function drawWork(generator: SeededGenerator, name: string): AddedWork {
  return { name, share: added.least + (added.most - added.least) * generator.uniform() };
}

function describeMisses(judged: readonly JudgedCase[]): readonly string[] {
  return judged
    .filter((one) => (one.added === null ? firstSettled(one) !== null : !isRight(one)))
    .map((one) => {
      const truth =
        one.added === null ? 'equal' : `${one.added.name} +${(100 * one.added.share).toFixed(0)} %`;
      const rows = (one.blamed?.rows ?? []).slice(0, 3);
      const seen = rows.map(
        ({ key, changeMs, isSettled }) => `${isSettled ? '' : '?'}${key} ${changeMs.toFixed(2)} ms`,
      );
      return `  ${truth}: ${seen.join(', ') || 'no profiles'}`;
    });
}

interface Measuring {
  readonly folder: string;
  readonly seed: number;
  readonly versions: readonly string[];
  /** Those of them that differ. Of equal ones, nothing is to be settled. */
  readonly mutants: readonly string[];
}

async function blameVersions(
  browser: string,
  { folder, seed, versions, mutants }: Measuring,
): Promise<readonly SideBlame[]> {
  const database = join(folder, 'farm.db');
  const profiled = new ProfiledTrials(database);
  let decided: DecidedRun | null = null;
  let found: readonly SideBlame[] = [];
  let open = versions;
  for (const [look, blocks] of looks.entries()) {
    const { run } = await searchVersions(
      ['base.html', ...open],
      {
        ...versionsDefaults,
        browsers: [browser],
        inventory: defaultInventory(),
        database,
        from: folder,
        measure: ['measure:work'],
        measurement: 'fast',
        probes: false,
        probe: [profileProbe],
        repeat: false,
        sharedBrowser: browser !== 'firefox',
        seed: seed + look,
        maxBlocks: blocks,
        search: { pairs: versionPairs, isDone: () => false, goesOn: true },
      },
      { signal: new AbortController().signal, say: () => undefined },
    );
    const record = await readRecord(run, database);
    decided ??= readDecided(record);
    await profiled.add(record, decided.sides);
    found = profiled.blame(decided);
    const isOpen = ({ after, rows }: SideBlame): boolean =>
      mutants.includes(after) && rows[0]?.isSettled !== true;
    open = found.filter(isOpen).map(({ after }) => after);
    if (open.length === 0) break;
  }
  return found;
}

function readDecided(record: RunRecord): DecidedRun {
  const metric = record.jobs[0]?.case.benchmark.metrics[0];
  const sides = readSides(record);
  if (metric === undefined || sides === null) throw new TypeError('the pages have a measure');
  return { record, sides, metric, alpha: defaultAlpha };
}

/** Times `crossfarm blame` after comparisons whose later version has a step of 10 %. */
async function timeBlames(browser: string): Promise<BenchRow> {
  const seconds: number[] = [];
  let right = 0;
  for (let seed = firstSeed; seed < firstSeed + timed; seed += 1) {
    await inFolder(async (folder) => {
      const generator = seededGenerator(seed);
      const functions = drawFunctions(generator);
      const { name } = functions[generator.nextInt(functions.length)] ?? { name: '' };
      await writeFile(join(folder, 'old.html'), writePage(functions, 'old'));
      await writeFile(join(folder, 'new.html'), writePage(functions, 'new', { name, share: 0.1 }));
      const farm = async (...args: readonly string[]): Promise<string> => {
        const words = [join(projectRoot(), 'dist/harness/main.js'), ...args, '--json'];
        return (await execa(process.execPath, words, { cwd: folder, reject: false })).stdout;
      };
      const asked = ['--measure', 'measure:work', '--seed', String(seed), '--no-report'];
      await farm('compare', 'old.html', 'new.html', '--browsers', browser, ...asked);
      const began = performance.now();
      const { functions: named = [] } = JSON.parse(await farm('blame', 'latest')) as {
        readonly functions?: readonly { readonly name: string }[];
      };
      seconds.push((performance.now() - began) / 1000);
      if (named[0]?.name === name) right += 1;
      console.error(
        `${browser}, seed ${String(seed)}: ${name}, blamed ${named[0]?.name ?? 'nothing'} after ${(seconds.at(-1) ?? 0).toFixed(1)} s`,
      );
    });
  }
  const sorted = seconds.toSorted((one, other) => one - other);
  return {
    bench: 'blame',
    figure: `from the verdict to the blame of a step of 10 %, in ${browser}`,
    value: sorted[Math.floor(sorted.length / 2)] ?? NaN,
    unit: 's',
    ratio: null,
    detail: `median of ${String(timed)}, longest ${(sorted.at(-1) ?? NaN).toFixed(1)} s; ${String(right)} right`,
  };
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'crossfarm-blame-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
