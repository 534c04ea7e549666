import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { ProcessTree } from '../../core/session/process-tree.ts';
import { findOnPath } from '../../core/setup/executable.ts';

/** Two pages that tachometer compares, as files of one folder. */
interface TachometerQuestion {
  readonly folder: string;
  readonly a: string;
  readonly b: string;
  /** The name of the `performance.measure` that each page makes once. */
  readonly measure: string;
  /** The difference that its interval must exclude before it stops: `0%` is its default. */
  readonly horizon: string;
  /** How long it may go on after its first 50 samples of each; its default of 3 if left out. */
  readonly timeoutMinutes?: number;
  /** The Chromium to start. */
  readonly executable: string;
  /** Ends it, and its browser. */
  readonly signal?: AbortSignal;
  /** Milliseconds after which it is ended; enough for some hundred pages if left out. */
  readonly deadlineMs?: number;
}

export interface TachometerAnswer {
  /** Seconds from the start of its process to its end. */
  readonly seconds: number;
  /** The 95 % interval of a compared with b, in percent. */
  readonly low: number;
  readonly high: number;
  /** Of each page. */
  readonly samples: number;
  /** True if its intervals exclude the horizon; else its time was over. */
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

/** Enough for some hundred pages, and the minutes after them. */
const usualDeadlineMs = 20 * 60_000;

/**
 * Finds the tachometer in the folder that TACHOMETER_FOLDER names, or returns the reason why it is
 * missing. It checks all requirements, because tachometer waits forever without chromedriver.
 */
export async function findTachometer(): Promise<Tachometer | { readonly because: string }> {
  const folder = process.env['TACHOMETER_FOLDER'] ?? '';
  if (folder === '') {
    return {
      because: 'TACHOMETER_FOLDER names no folder with tachometer (npm install tachometer@0.7.2)',
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
    return { because: 'chromedriver was not found (apt-get install chromium-driver)' };
  }
  const { version } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as {
    version: string;
  };
  return { version, ask: (question) => ask(join(home, 'bin', 'tach.js'), question) };
}

/** Everything else has its default, such as 50 samples of each page to begin with. */
function configurationOf(question: TachometerQuestion): object {
  const { a, b, measure, horizon, timeoutMinutes, executable } = question;
  const browser = {
    name: 'chrome',
    headless: true,
    binary: executable,
    addArguments: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  };
  const measurement = { mode: 'performance', entryName: measure };
  const page = (name: string, url: string): object => ({ name, url, browser, measurement });
  return {
    root: '.',
    autoSampleConditions: [horizon],
    ...(timeoutMinutes !== undefined && { timeout: timeoutMinutes }),
    benchmarks: [page('a', a), page('b', b)],
  };
}

async function ask(program: string, question: TachometerQuestion): Promise<TachometerAnswer> {
  const { folder, deadlineMs = usualDeadlineMs } = question;
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
      ...(question.signal !== undefined && { cancelSignal: question.signal }),
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
