import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { measure, writePage } from './audit/pages.ts';
import { findTachometer, type Tachometer, type TachometerAnswer } from './audit/tachometer.ts';
import { projectRoot } from '../core/project.ts';
import { foundDevices } from './rig.ts';
import type { BenchRow } from './row.ts';
import { npxCrossfarm } from '../core/model/typed-command.ts';

/** A question for both: how the page with added work compares with the plain one. */
interface Question {
  readonly what: string;
  readonly percent: number;
  /** The horizon of tachometer: see `TachometerQuestion`. */
  readonly horizon: string;
  /** The target speed of the farm relative to tachometer. */
  readonly target: number;
  /** The right verdict of the farm. */
  readonly right: 'slower' | 'equivalent';
}

const questions: readonly Question[] = [
  { what: '+ 10 %', percent: 10, horizon: '0%', target: 5, right: 'slower' },
  { what: '+ 2 %', percent: 2, horizon: '0%', target: 5, right: 'slower' },
  // Its default can show that two pages differ, never that they do not; 2 % is the farm's margin.
  { what: 'A/A within 2 %', percent: 0, horizon: '2%', target: 10, right: 'equivalent' },
  { what: 'A/A, its default horizon', percent: 0, horizon: '0%', target: 10, right: 'equivalent' },
];

const farmDeadlineMs = 10 * 60_000;

/** Of tachometer: where it stays unsure, a bound of 10 times our seconds can be shown. */
const timeoutMinutes = 6;

/** Blocks until a verdict differ by chance (5 to 21 were seen), so the median of five runs counts. */
const seeds = [1, 2, 3, 4, 5];

/** The used part of `farm compare --json`. */
interface ComparisonJson {
  readonly verdict: string;
  readonly low: number | null;
  readonly high: number | null;
  readonly blocks: number;
}

type FarmAnswer = ComparisonJson & { readonly seconds: number };

interface Place {
  readonly tachometer: Tachometer;
  readonly folder: string;
  readonly executable: string;
}

/**
 * Measures the seconds to a decision of `farm compare` and of tachometer, each as a process from
 * its start to its end, on the same pages in the same Chromium, in turns. Each page warms itself
 * up.
 */
export async function tachometerBench(): Promise<readonly BenchRow[]> {
  const tachometer = await findTachometer();
  if ('because' in tachometer) return [notMeasured(tachometer.because)];
  const [presence] = await foundDevices(['chromium']);
  if (presence?.status !== 'found')
    return [notMeasured(`Chromium is not here (${npxCrossfarm} devices setup)`)];
  const folder = await mkdtemp(join(tmpdir(), 'crossfarm-tachometer-'));
  const place = { tachometer, folder, executable: presence.target.executable };
  try {
    await writePage(folder, plain, 0);
    for (const { percent } of questions) await writePage(folder, pageWith(percent), percent);
    const rows: BenchRow[] = [];
    for (const question of questions) {
      const answers: FarmAnswer[] = [];
      for (const seed of seeds) answers.push(await askFarm(folder, question, seed));
      const ours = medianOf(answers, question);
      const theirs = await askTachometer(place, question);
      const pair = rowsOf(question, { ours, theirs, version: tachometer.version });
      console.error(`${question.what}: farm ${answers.map(describe).join('; ')}`);
      console.error(
        pair
          .map(({ figure, value, detail }) => `${figure}: ${value.toFixed(1)} s, ${detail}`)
          .join('\n'),
      );
      rows.push(...pair);
    }
    return rows;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const base = { bench: 'tachometer', unit: 's' };

function notMeasured(because: string): BenchRow {
  return { ...base, figure: 'not measured', value: NaN, ratio: null, detail: because };
}

const plain = 'plain.html';

function pageWith(percent: number): string {
  return `plus-${String(percent)}.html`;
}

/** As its user asks, told the name of the measure as tachometer is. Its database goes with the pages. */
async function askFarm(folder: string, { percent }: Question, seed: number): Promise<FarmAnswer> {
  const began = performance.now();
  const { stdout, stderr } = await execa(
    process.execPath,
    [
      ...[join(projectRoot(), 'dist/harness/main.js'), 'compare', plain, pageWith(percent)],
      ...['--browsers', 'chromium', '--measure', `measure:${measure}`, '--json'],
      ...['--seed', String(seed), '--budget', '3m'],
    ],
    { cwd: folder, timeout: farmDeadlineMs, stdin: 'ignore', reject: false },
  );
  const seconds = (performance.now() - began) / 1000;
  if (stdout === '') throw new Error(`${npxCrossfarm} compare failed: ${stderr.slice(-2_000)}`);
  const { comparisons } = JSON.parse(stdout) as { readonly comparisons: readonly ComparisonJson[] };
  const [only] = comparisons;
  if (only === undefined)
    throw new Error(`${npxCrossfarm} compare has compared nothing: ${stdout}`);
  return { seconds, ...only };
}

/** The middle answer by its seconds; one without a verdict, or with a wrong one, comes last. */
function medianOf(answers: readonly FarmAnswer[], { right }: Question): FarmAnswer {
  const secondsOf = ({ verdict, seconds }: FarmAnswer): number =>
    verdict === right ? seconds : Infinity;
  const sorted = answers.toSorted((x, y) => (secondsOf(x) < secondsOf(y) ? -1 : 1));
  const middle = sorted[(sorted.length - 1) / 2];
  if (middle === undefined) throw new Error('an even number of answers has no middle one');
  return middle;
}

function describe({ verdict, seconds, blocks }: FarmAnswer): string {
  return `${verdict} after ${seconds.toFixed(1)} s, ${String(blocks)} blocks`;
}

function askTachometer(
  { tachometer, folder, executable }: Place,
  { percent, horizon }: Question,
): Promise<TachometerAnswer> {
  const pages = { a: pageWith(percent), b: plain };
  return tachometer.ask({ folder, ...pages, measure, horizon, timeoutMinutes, executable });
}

interface Answers {
  readonly ours: FarmAnswer;
  readonly theirs: TachometerAnswer;
  readonly version: string;
}

/** Makes the rows. If tachometer is still unsure, its seconds are a lower bound. */
function rowsOf({ what, horizon, target, right }: Question, answers: Answers): readonly BenchRow[] {
  const { ours, theirs, version } = answers;
  const { verdict, low, high, blocks } = ours;
  const isDecided = verdict === right;
  const fasterBy = theirs.isSure ? 'times as fast' : 'times as fast at least';
  return [
    {
      ...base,
      figure: `${what}: tachometer ${version}`,
      value: theirs.seconds,
      ratio: 1,
      detail: `${theirs.isSure ? 'sure' : 'still unsure when its time was over'}, horizon ${horizon}: ${theirs.low.toFixed(2)} … ${theirs.high.toFixed(2)} %, ${String(theirs.samples)} samples of each page`,
    },
    {
      ...base,
      figure: `${what}: ${npxCrossfarm} compare`,
      value: ours.seconds,
      ratio: isDecided ? theirs.seconds / ours.seconds : null,
      detail: `${verdict}, ${low?.toFixed(4) ?? '—'} … ${high?.toFixed(4) ?? '—'}, ${String(blocks)} blocks, median of ${String(seeds.length)}; ${isDecided ? fasterBy : 'not the right verdict'}; target ≥ ${String(target)}×`,
    },
  ];
}
