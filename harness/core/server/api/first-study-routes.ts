import { z } from 'zod';
import { endpoint, type Endpoint } from './endpoint.ts';
import {
  averages,
  isWanted,
  limits,
  minima,
  newestFirst,
  rawOf,
  type FirstStudyQuery,
  type RawBenchmark,
} from './first-study.ts';
import { id } from './parameters.ts';
import type { ApiSources } from './sources.ts';

/** The six functions of the first study, by the path that its API had for each. */
const functions: Readonly<Record<string, string>> = {
  sync: 'syncFib',
  sync_busy: 'syncBusyFib',
  sync_memo: 'syncMemoFib',
  async: 'asyncFib',
  async_busy: 'asyncBusyFib',
  async_memo: 'asyncMemoFib',
};

const raw = z.strictObject({
  id: z.int(),
  browser: z.string(),
  os: z.string(),
  num_cores: z.int().nullable(),
  n: z.int(),
  duration: z.number().describe('ms; the study rounded to whole ones, this does not'),
});

const success = { status: z.literal('success'), message: z.string() };

const byN = z.record(z.string(), z.string()).describe('n → ms, with four significant digits');

/** Its page sent `undefined` for what was not chosen, so that is what no choice looks like. */
const text = z.string().max(300).optional();

const query = z.strictObject({
  mode: text.describe('avg or min; anything else: raw data'),
  browser: text.describe('A name, or `chromium based`, or `firefox based`'),
  os: text.describe('A name; `linux` is every Linux of a desktop'),
  num_cores: text,
  max_n: text,
  with_worker: text.describe('true or false: in a worker, or on the main thread'),
});

/**
 * The paths and parameters of the first study's API (https://github.com/m1010j/async-explorations),
 * answered from this farm's trials in its documented shape, so that its readers' scripts still work.
 */
export function firstStudyRoutes(sources: ApiSources): readonly Endpoint[] {
  return Object.entries(functions).flatMap(([name, functionName]) => [
    endpoint({
      url: `/api/${name}_benchmarks`,
      name: `first_study_${name}`,
      summary: `First study: ${functionName}`,
      lenient: true,
      links: {
        one: {
          operationId: `first_study_${name}_by_id`,
          parameters: { id: '$response.body#/data/0/id' },
        },
      },
      query,
      answer: z.strictObject({ ...success, data: z.union([z.array(raw), byN]) }),
      read: async (_params, asked) => ({
        status: 'success' as const,
        data: await dataOf(sources, functionName, asked),
        message: 'Retrieved benchmarks',
      }),
    }),
    endpoint({
      url: `/api/${name}_benchmarks/:id`,
      name: `first_study_${name}_by_id`,
      summary: `First study: one trial of ${functionName}`,
      lenient: true,
      params: z.strictObject({ id }),
      answer: z.strictObject({ ...success, data: raw }),
      async read(params) {
        const data = await oneOf(sources, functionName, params.id);
        return data === null
          ? null
          : { status: 'success' as const, data, message: 'Retrieved ONE benchmark' };
      },
    }),
  ]);
}

async function dataOf(
  sources: ApiSources,
  functionName: string,
  asked: FirstStudyQuery,
): Promise<readonly RawBenchmark[] | Readonly<Record<string, string>>> {
  const all = await sources.history.targets();
  const targets = all.filter((target) => !target.emulated && isWanted(target, asked));
  const { maxN, place, limit } = limits(asked);
  // Over browsers and what draws their pages, as the study did: these functions draw nothing.
  const trials = await sources.history.pooled({
    benchmark: 'fib',
    metric: 'duration',
    parameters: { function: functionName, ...place },
    most: maxN === null ? {} : { n: maxN },
    targets: targets.map(({ target }) => target),
    limit,
  });
  const places = new Map(targets.map((target) => [target.target, target]));
  const rows = trials.flatMap((trial) => {
    const target = places.get(trial.target);
    if (target === undefined) return [];
    const { trial: id, value: duration, parameters } = trial;
    return [rawOf(target, { trial: id, n: Number(parameters['n']), duration })];
  });
  if (asked.mode === 'avg') return averages(rows);
  return asked.mode === 'min' ? minima(rows) : newestFirst(rows);
}

async function oneOf(
  sources: ApiSources,
  functionName: string,
  trialId: number,
): Promise<RawBenchmark | null> {
  const trial = await sources.trial(trialId);
  const duration = trial?.values.find(({ metric }) => metric === 'duration')?.value ?? null;
  if (trial === null || duration === null) return null;
  const { benchmark, parameters, quarantine } = trial;
  const counts = benchmark === 'fib' && parameters['function'] === functionName;
  if (!counts || trial.emulated || quarantine.length > 0) return null;
  return rawOf(trial, { trial: trialId, n: Number(parameters['n']), duration });
}
