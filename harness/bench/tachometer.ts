import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { defaultInventory, pagesFolder, projectRoot } from '../project.ts';
import { ProcessTree } from '../session/process-tree.ts';
import { findOnPath } from '../setup/executable.ts';
import { foundDevices } from './rig.ts';
import type { BenchRow } from './row.ts';

/** A question for both: how the page with added work compares with the plain one. */
interface Question {
  readonly what: string;
  readonly percent: number;
  /** The horizon of tachometer: see `TachometerQuestion`. */
  readonly horizon: string;
  /** The target speed of the farm relative to tachometer. */
  readonly target: number;
}

const questions: readonly Question[] = [
  { what: '+ 10 %', percent: 10, horizon: '0%', target: 5 },
  { what: '+ 2 %', percent: 2, horizon: '0%', target: 5 },
  // Its default can show that two pages differ, never that they do not; 2 % is the farm's margin.
  { what: 'A/A within 2 %', percent: 0, horizon: '2%', target: 10 },
  { what: 'A/A, its default horizon', percent: 0, horizon: '0%', target: 10 },
];

const rounds = 1_000_000;
const measure = 'run';
const farmDeadlineMs = 10 * 60_000;

/** The used part of `farm compare --json`. */
interface Compared {
  readonly verdict: string;
  readonly low: number | null;
  readonly high: number | null;
  readonly blocks: number;
  /** Why it gave up, such as a machine so busy that no block counts. */
  readonly because?: string | null;
}

type FarmAnswer = Compared & { readonly seconds: number };

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
  if (presence?.status !== 'found') return [notMeasured('Chromium is not here (farm setup)')];
  const folder = await mkdtemp(join(tmpdir(), 'crossfarm-tachometer-'));
  const place = { tachometer, folder, executable: presence.target.executable };
  try {
    await writePages(folder);
    const rows: BenchRow[] = [];
    for (const question of questions) {
      const ours = await askFarm(folder, question);
      const theirs = await askTachometer(place, question);
      const pair = rowsOf(question, { ours, theirs, version: tachometer.version });
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

/** Writes the pages with the farm's own loop, and the suite that gives them to the farm. */
async function writePages(folder: string): Promise<void> {
  const suites = join(folder, 'pages', 'suites');
  await mkdir(suites, { recursive: true });
  await symlink(join(pagesFolder(), 'kit'), join(folder, 'pages', 'kit'));
  await cp(join(pagesFolder(), 'kit', 'spin.js'), join(folder, 'spin.js'));
  const percents = [...new Set([0, ...questions.map(({ percent }) => percent)])];
  for (const percent of percents)
    await writeFile(join(folder, `${idOf(percent)}.html`), pageOf(percent));
  await writeFile(join(suites, 'tachometer.json'), JSON.stringify(suiteOf(percents, folder)));
}

function idOf(percent: number): string {
  return `plus-${String(percent)}`;
}

/**
 * Compilers change the loop after some hundred calls (pages/README.md), so a page calls it 300 times
 * and for a second before the window, which is as long as that of the farm's own pages.
 */
function pageOf(percent: number): string {
  return `<!doctype html>
<title>${idOf(percent)}</title>
<script type="module">
  import { spin } from './spin.js';
  let kept = 1;
  function run(calls) {
    for (let call = 0; call < calls; call++) kept = spin(${String((rounds * (100 + percent)) / 100)}, kept);
  }
  const began = performance.now();
  do run(300); while (performance.now() - began < 1000);
  const start = performance.now();
  run(250);
  performance.measure('${measure}', { start });
  document.title += ' ' + kept;
</script>
`;
}

function suiteOf(percents: readonly number[], folder: string): object {
  const ids = percents.map(idOf);
  return {
    title: 'a page that runs control by itself',
    isolation: 'session',
    trials: 1,
    // Has no effect on an external page.
    measurement: {
      minGranules: 1,
      settled: { ms: 1, calls: 1 },
      window: { ms: 1, iterations: 1 },
      maxMs: 2,
    },
    guests: ids.map((id) => ({
      id,
      version: 1,
      title: id,
      folder,
      page: `${id}.html`,
      result: { by: 'measure', name: measure },
      metric: { id: 'duration', title: 'Duration', unit: 'ms', direction: 'lower' },
    })),
    cases: ids.map((benchmark) => ({ benchmark })),
  };
}

async function askFarm(folder: string, { percent }: Question): Promise<FarmAnswer> {
  const began = performance.now();
  const { stdout, stderr } = await execa(
    process.execPath,
    [
      ...[join(projectRoot(), 'dist/harness/main.js'), 'compare', 'chromium', 'chromium'],
      ...['--a-bench', idOf(percent), '--b-bench', idOf(0), '--json', '--seed', '1'],
      ...['--budget', '3m'],
      ...['--pages', join(folder, 'pages'), '--database', join(folder, 'farm.db')],
      ...['--inventory', defaultInventory()],
    ],
    { cwd: folder, timeout: farmDeadlineMs, stdin: 'ignore', reject: false },
  );
  const seconds = (performance.now() - began) / 1000;
  // If no block counted, the JSON says so; only an error has no JSON.
  if (stdout === '') throw new Error(`farm compare failed: ${stderr.slice(-2_000)}`);
  return { seconds, ...(JSON.parse(stdout) as Compared) };
}

function askTachometer(
  { tachometer, folder, executable }: Place,
  { percent, horizon }: Question,
): Promise<TachometerAnswer> {
  const pages = { a: `${idOf(percent)}.html`, b: `${idOf(0)}.html` };
  return tachometer.ask({ folder, ...pages, measure, horizon, executable });
}

interface Answers {
  readonly ours: FarmAnswer;
  readonly theirs: TachometerAnswer;
  readonly version: string;
}

/** Makes the rows. If tachometer is still unsure, its seconds are a lower bound. */
function rowsOf({ what, horizon, target }: Question, answers: Answers): readonly BenchRow[] {
  const { ours, theirs, version } = answers;
  const { verdict, low, high, blocks, because } = ours;
  const isDecided = verdict !== 'undecided';
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
      figure: `${what}: farm compare`,
      value: ours.seconds,
      ratio: isDecided ? theirs.seconds / ours.seconds : null,
      detail: `${verdict}, ${low?.toFixed(4) ?? '—'} … ${high?.toFixed(4) ?? '—'}, ${String(blocks)} blocks; ${isDecided ? fasterBy : (because ?? 'no verdict')}; target ≥ ${String(target)}×`,
    },
  ];
}

/** Two pages that tachometer compares, as files of one folder. */
interface TachometerQuestion {
  readonly folder: string;
  readonly a: string;
  readonly b: string;
  /** The name of the `performance.measure` that each page makes once. */
  readonly measure: string;
  /** The difference that its interval must exclude before it stops: `0%` is its default. */
  readonly horizon: string;
  /** The Chromium to start. */
  readonly executable: string;
}

export interface TachometerAnswer {
  /** Seconds from the start of its process to its end. */
  readonly seconds: number;
  /** The 95 % interval of a compared with b, in percent. */
  readonly low: number;
  readonly high: number;
  /** Of each page. */
  readonly samples: number;
  /** Whether its intervals exclude the horizon; else its time was over. */
  readonly isSure: boolean;
}

export interface Tachometer {
  readonly version: string;
  readonly ask: (question: TachometerQuestion) => Promise<TachometerAnswer>;
}

/**
 * An environment variable of everything that it starts: Chromium outlives a tachometer that is
 * killed.
 */
const markVariable = 'CROSSFARM_TACHOMETER';

/** Enough for some hundred pages, and its default of three minutes. */
const deadlineMs = 20 * 60_000;

/**
 * Finds the tachometer in the folder that TACHOMETER_FOLDER names, or returns why there is none. It
 * checks all requirements, because tachometer waits forever without chromedriver.
 */
export async function findTachometer(): Promise<Tachometer | { readonly because: string }> {
  const folder = process.env['TACHOMETER_FOLDER'] ?? '';
  if (folder === '') {
    return {
      because: 'TACHOMETER_FOLDER names no folder with tachometer (see harness/bench/README.md)',
    };
  }
  const home = join(folder, 'node_modules', 'tachometer');
  // Without a package of that name it would download one, with another chromedriver.
  const stub = join(folder, 'node_modules', 'chromedriver');
  const absent = [home, stub].find((path) => !existsSync(path));
  if (absent !== undefined) {
    return { because: `there is no ${absent} (npm install tachometer@0.7.2 ./chromedriver)` };
  }
  if (findOnPath(['chromedriver']) === null) {
    return { because: 'there is no chromedriver (apt-get install chromium-driver)' };
  }
  const { version } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as {
    version: string;
  };
  return { version, ask: (question) => ask(join(home, 'bin', 'tach.js'), question) };
}

/** Everything else has its default: 50 samples of each page, and then three minutes at most. */
function configurationOf({ a, b, measure, horizon, executable }: TachometerQuestion): object {
  const browser = {
    name: 'chrome',
    headless: true,
    binary: executable,
    addArguments: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  };
  const measurement = { mode: 'performance', entryName: measure };
  const page = (name: string, url: string): object => ({ name, url, browser, measurement });
  return { root: '.', autoSampleConditions: [horizon], benchmarks: [page('a', a), page('b', b)] };
}

async function ask(program: string, question: TachometerQuestion): Promise<TachometerAnswer> {
  const { folder } = question;
  const [configuration, answer] = ['tachometer.json', 'answer.json'].map((file) =>
    join(folder, file),
  ) as [string, string];
  await writeFile(configuration, JSON.stringify(configurationOf(question)));
  const began = performance.now();
  try {
    await execa(process.execPath, [program, '--config', configuration, '--json-file', answer], {
      cwd: folder,
      timeout: deadlineMs,
      stdin: 'ignore',
      // Keeps Selenium and npm from asking the network for a newer version.
      env: { [markVariable]: folder, SE_OFFLINE: 'true', npm_config_offline: 'true' },
    });
  } finally {
    const mark = `${markVariable}=${folder}`;
    await new ProcessTree({ roots: [], mark, profile: null }).end();
  }
  const seconds = (performance.now() - began) / 1000;
  return { seconds, ...readAnswer(await readFile(answer, 'utf8'), parseFloat(question.horizon)) };
}

interface Percents {
  readonly low: number;
  readonly high: number;
}

interface TachometerResult {
  readonly benchmarks: readonly {
    readonly samples: readonly number[];
    readonly differences: readonly ({ readonly percentChange: Percents } | null)[];
  }[];
}

/**
 * Reads its results. It stops by itself once both pages, each compared with the other, exclude ±
 * horizon.
 */
function readAnswer(text: string, horizon: number): Omit<TachometerAnswer, 'seconds'> {
  const { benchmarks } = JSON.parse(text) as TachometerResult;
  const changes = benchmarks
    .flatMap(({ differences }) => differences)
    .filter((difference) => difference !== null)
    .map(({ percentChange }) => percentChange);
  const [ofA] = changes;
  if (ofA === undefined) throw new Error(`tachometer compared nothing: ${text.slice(0, 500)}`);
  const isBeside = ({ low, high }: Percents): boolean =>
    [-horizon, horizon].every((point) => point < low || point > high);
  return {
    low: ofA.low,
    high: ofA.high,
    samples: benchmarks[0]?.samples.length ?? 0,
    isSure: changes.every(isBeside),
  };
}
