import { createHash } from 'node:crypto';
import { z } from 'zod';
import { numberList } from '../../../core/model/bounded-value.ts';
import { mostMetrics } from '../../../core/model/case.ts';
import { shortened } from './values.ts';

/**
 * Results of other programs as the document of a run, which is then checked as one of another farm.
 * They say neither machine, browser nor time: the run has `unknown` for the first two. The values of
 * one session are one trial, because no session of theirs is independent of the others.
 */

const number = z.number();
const said = z.string().max(20_000);

/** The output of `vitest bench --outputJson`; one that failed or was skipped has no `mean`. */
const vitest = z.object({
  files: z
    .array(
      z.object({
        filepath: said,
        groups: z
          .array(
            z.object({
              fullName: said,
              benchmarks: z
                .array(
                  z.object({
                    name: said,
                    samples: numberList(0, 20_000_000).optional(),
                    mean: number.nullish(),
                    median: number.nullish(),
                    totalTime: number.nullish(),
                  }),
                )
                .max(10_000),
            }),
          )
          .max(1_000),
      }),
    )
    .max(1_000),
});

/** Speedometer's full JSON: each metric with its value in each iteration. */
const speedometerMetric = z.object({ unit: said, values: numberList(1, 10_000) });
const speedometer = z.object({
  Score: speedometerMetric,
  Geomean: speedometerMetric,
});

/** Its classic JSON: a list of its iterations. */
const classic = z
  .array(
    z.object({
      tests: z.record(said, z.object({ total: number })),
      geomean: number,
      score: number,
    }),
  )
  .min(1)
  .max(10_000);

interface Series {
  readonly metric: string;
  readonly title: string;
  readonly unit: string;
  readonly direction: 'lower' | 'higher';
  readonly values: readonly number[];
}

interface Result {
  /** The value of the benchmark's parameter; left out without one. */
  readonly name?: string;
  /** Empty where it has failed. */
  readonly series: readonly Series[];
  readonly wallMs: number;
}

interface Group {
  readonly id: string;
  readonly title: string;
  readonly results: readonly Result[];
}

/** Gives the document of a run, if this is what Vitest or Speedometer wrote; else null. */
export function documentOfResults(value: unknown, text: string, writtenAt: string): unknown {
  const fromVitest = read(vitest, value);
  if (fromVitest !== null) {
    const groups = groupsOfVitest(fromVitest);
    const isEmpty = groups.every(({ results }) => results.length === 0);
    return isEmpty ? null : documentOf('vitest', groups, { text, writtenAt });
  }
  const result = speedometerResult(value);
  if (result === null) return null;
  const groups = [{ id: 'speedometer', title: 'Speedometer', results: [result] }];
  return documentOf('speedometer', groups, { text, writtenAt });
}

/** Null where it has another form; the schema gives up with a RangeError where that is too wrong to tell. */
function read<T>(schema: z.ZodType<T>, value: unknown): T | null {
  try {
    return schema.safeParse(value).data ?? null;
  } catch {
    return null;
  }
}

function groupsOfVitest({ files }: z.infer<typeof vitest>): readonly Group[] {
  const all = files.flatMap(({ groups }) => groups);
  // Vitest runs a file once in each of its projects.
  const titles = distinct(all.map(({ fullName }) => fullName));
  return all
    .map((group, index) => ({ ...group, fullName: titles[index] ?? '' }))
    .map(({ fullName, benchmarks }) => {
      const names = distinct(benchmarks.map(({ name }) => shortened(oneLine(name), 90)));
      return {
        id: idOf(fullName, 60),
        title: shortened(oneLine(fullName), 200),
        results: benchmarks.map(({ samples = [], mean, median, totalTime }, index): Result => {
          // Vitest leaves the samples out unless it was asked for them; of too many the middle is kept.
          const middle = median ?? mean ?? null;
          const isKept = samples.length > 0 && samples.length <= mostSamples;
          const values = isKept ? samples : middle === null ? [] : [middle];
          const series: readonly Series[] =
            values.length === 0
              ? []
              : [{ metric: 'duration', title: 'Duration', unit: 'ms', direction: 'lower', values }];
          const wallMs = Math.ceil(
            values.reduce((most, one) => Math.max(most, one), totalTime ?? 0),
          );
          return { name: names[index] ?? '', series, wallMs };
        }),
      };
    });
}

/** A trial has no more. */
const mostSamples = 100_000;

function speedometerResult(value: unknown): Result | null {
  const list = read(classic, value);
  const lists = list === null ? listsOfFull(value) : listsOfClassic(list);
  if (lists === null) return null;
  const series = [...lists].map(([title, { unit, values }]): Series => {
    const isScore = title === 'Score';
    return {
      metric: idOf(title, 60),
      title: shortened(oneLine(title), 100),
      unit: isScore ? 'points' : shortened(oneLine(unit), 20),
      direction: isScore ? 'higher' : 'lower',
      values,
    };
  });
  const wallMs = series
    .filter(({ title }) => !['Score', 'Geomean', 'Prepare'].includes(title))
    .reduce((all, { values }) => all + values.reduce((sum, one) => sum + one, 0), 0);
  return { series, wallMs: Math.ceil(wallMs) };
}

type Lists = ReadonlyMap<string, z.infer<typeof speedometerMetric>>;

/** The suites and the score: their steps and the iterations are parts of them. */
function listsOfFull(value: unknown): Lists | null {
  if (read(speedometer, value) === null) return null;
  const all = Object.entries(value as object).filter(([name]) => !/^Iteration-|\//.test(name));
  return new Map(
    all.flatMap(([name, one]) => {
      const metric = read(speedometerMetric, one);
      return metric === null ? [] : [[name, metric] as const];
    }),
  );
}

function listsOfClassic(iterations: z.infer<typeof classic>): Lists | null {
  const names = [...new Set(iterations.flatMap(({ tests }) => Object.keys(tests)))];
  if (names.length > mostMetrics) return null;
  const of = (unit: string, values: readonly number[]) => ({ unit, values: [...values] });
  const suites = names.map(
    (name) =>
      [
        name,
        of(
          'ms',
          iterations.flatMap(({ tests }) => tests[name]?.total ?? []),
        ),
      ] as const,
  );
  const score = of(
    'points',
    iterations.map((one) => one.score),
  );
  const geomean = of(
    'ms',
    iterations.map((one) => one.geomean),
  );
  return new Map([['Score', score], ['Geomean', geomean], ...suites]);
}

function documentOf(
  program: 'vitest' | 'speedometer',
  groups: readonly Group[],
  { text, writtenAt }: { readonly text: string; readonly writtenAt: string },
): unknown {
  const browser = { name: program === 'vitest' ? 'node' : 'browser', version: 'unknown' };
  const device = {
    id: program,
    name: program,
    browser: browser.name,
    driver: program,
    headless: true,
    flags: [],
    preferences: {},
    environment: {},
    automatic: false,
  };
  const cells = groups.flatMap(({ id, results }) => results.map((result) => ({ id, result })));
  return {
    kind: 'crossfarm-run',
    format: 1,
    run: {
      id: 1,
      // The same file is the same run.
      identity: `${program}-${createHash('sha256').update(text).digest('hex')}`,
      suite: program,
      seed: 0,
      isolation: 'session',
      command: `imported from ${program}`,
      farmVersion: 'unknown',
      machine: unknownMachine,
      status: 'finished',
      startedAt: writtenAt,
      finishedAt: writtenAt,
    },
    devices: [{ status: 'found', device, browser, executable: 'unknown', capabilities: [] }],
    benchmarks: groups.map(benchmarkOf),
    cases: cells.map(({ id, result: { name } }) => ({
      benchmark: id,
      parameters: name === undefined ? {} : { name },
    })),
    cells: cells.map(({ result }, ordinal) => ({
      ordinal,
      block: 0,
      case: ordinal,
      device: program,
      sessionKey: `${program}/0/${String(ordinal)}`,
      trial: {
        outcome: outcomeOf(result, program),
        browser,
        failedAttempts: [],
        startedAt: writtenAt,
        wallMs: result.wallMs,
      },
    })),
    question: null,
  };
}

function benchmarkOf({ id, title, results }: Group): unknown {
  const names = results.flatMap(({ name }) => name ?? []);
  const series = results.find((one) => one.series.length > 0)?.series;
  const metrics = series?.map(({ metric, title: said, unit, direction }) => ({
    id: metric,
    title: said,
    unit,
    direction,
  }));
  const choice = { kind: 'choice', name: 'name', values: names, default: names[0] };
  return {
    id,
    version: 1,
    title,
    description: 'Measured by another program.',
    page: 'unknown',
    parameters: names.length === 0 ? [] : [choice],
    metrics: metrics ?? [{ id: 'duration', title: 'Duration', unit: 'ms', direction: 'lower' }],
  };
}

function outcomeOf({ series }: Result, program: string): unknown {
  if (series.length === 0) {
    const message = `${program} tells no result: it failed, or was skipped`;
    return { kind: 'failed', failure: { code: 'page-error', message } };
  }
  const samples = series.map(({ metric, unit, values }) => ({
    metric,
    unit,
    warmUp: [],
    timed: values,
  }));
  return {
    kind: 'completed',
    result: {
      protocol: 1,
      clock: { granuleUs: 1, isolated: false },
      host: { userAgent: program, hardwareConcurrency: null },
      repeats: 1,
      steadiness: 'flat',
      samples,
      counters: {},
    },
    readings: [],
    quarantine: [],
  };
}

const unknownMachine = {
  hostname: 'unknown',
  platform: 'unknown',
  release: 'unknown',
  system: 'unknown',
  architecture: 'unknown',
  cpuModel: 'unknown',
  logicalCores: 1,
  memoryBytes: 0,
  virtualization: null,
  nodeVersion: 'unknown',
  asRoot: false,
};

/** An id of letters, digits and "-": the same for the same name, and another for another. */
function idOf(name: string, most: number): string {
  const plain = name.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^[^A-Za-z]+|-+$/g, '');
  if (plain === name && plain.length <= most) return plain;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 6);
  return `${plain.slice(0, most - 8) || 'unnamed'}-${hash}`;
}

function oneLine(name: string): string {
  return name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ');
}

function distinct(names: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} (${String(count)})`;
  });
}
