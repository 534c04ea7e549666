import { z } from 'zod';
import {
  coreReading,
  declaredReading,
  environmentReading,
  notSupported,
  scheduleReading,
  threadReading,
  traceReading,
} from '../../model/reading.ts';
import { count, id as rowId } from '../../results/fields.ts';
import {
  samples as storedSamples,
  trial as storedTrial,
  value,
  wholeTrial,
  type ListedTrial,
  type WholeSamples,
} from '../../results/stored-trials.ts';
import { endpoint, type Endpoint } from './endpoint.ts';
import {
  historyFilter,
  id,
  next,
  nextOf,
  outcomeFilter,
  pageWanted,
  paging,
} from './parameters.ts';
import type { ApiSources } from './sources.ts';

export const samples = z.strictObject({ trial: rowId, samples: z.array(storedSamples) });

/** One line of a table: a sample. */
const sampleLine = z.strictObject({
  trial: rowId,
  metric: z.string(),
  unit: z.string(),
  phase: z.enum(['warm-up', 'timed']),
  iteration: count,
  value: z.number(),
});

export const readings = z.strictObject({
  trial: rowId,
  readings: z.array(
    z.union([
      coreReading,
      threadReading,
      environmentReading,
      scheduleReading,
      traceReading,
      declaredReading,
      notSupported,
    ]),
  ),
});

/** One line of a table: a trial × metric. */
const trialLine = storedTrial.omit({ values: true }).extend({
  metric: z.string().nullable(),
  unit: z.string().nullable(),
  value,
  iterations: count,
});

/** The largest number of trials on a page, and the default. */
const most = 500;
const usual = 100;

/** Trials: lists of them, and all stored facts of one. */
export function trialRoutes(sources: ApiSources): readonly Endpoint[] {
  return [
    endpoint({
      url: '/api/v1/trials',
      name: 'listTrials',
      summary: 'Trials, of the newest run first',
      query: z.strictObject({ ...historyFilter, ...outcomeFilter, ...paging(5, most) }),
      answer: z.strictObject({ trials: z.array(storedTrial), next }),
      async read(_params, { limit, cursor, ...filter }) {
        const page = await sources.trials(filter, pageWanted({ limit, cursor }, usual));
        return { trials: page.rows, next: nextOf(page.next) };
      },
      table: { line: trialLine, rows: ({ trials }) => trials.flatMap(linesOf) },
    }),
    endpoint({
      url: '/api/v1/trials/:id',
      name: 'getTrial',
      summary: 'One trial',
      params: z.strictObject({ id }),
      answer: wholeTrial,
      read: (params) => sources.trial(params.id),
    }),
    ...detailRoutes(sources),
  ];
}

function detailRoutes({ history }: ApiSources): readonly Endpoint[] {
  return [
    endpoint({
      url: '/api/v1/trials/:id/samples',
      name: 'getSamples',
      summary: 'Every sample of a trial, those of the warm-up too',
      params: z.strictObject({ id }),
      answer: samples,
      async read({ id: trial }) {
        const found = await history.samples(trial);
        return found === null ? null : { trial, samples: found };
      },
      table: {
        line: sampleLine,
        rows: ({ trial, samples: all }) => all.flatMap((one) => sampleLines(trial, one)),
      },
    }),
    endpoint({
      url: '/api/v1/trials/:id/readings',
      name: 'getReadings',
      summary: 'What the probes saw during a trial: cores, threads, environment',
      params: z.strictObject({ id }),
      answer: readings,
      async read({ id: trial }) {
        const found = await history.readings(trial);
        return found === null ? null : { trial, readings: found };
      },
    }),
  ];
}

/** One line for each metric; one without metric for a trial without numbers. */
function linesOf({ values, ...trial }: ListedTrial): readonly object[] {
  const none = { metric: null, unit: null, value: null, iterations: 0 };
  return (values.length === 0 ? [none] : values).map((value) => ({ ...trial, ...value }));
}

function sampleLines(
  trial: number,
  { metric, unit, warmUp, timed }: WholeSamples,
): readonly object[] {
  const lines = (phase: string, values: readonly number[]): readonly object[] =>
    values.map((value, iteration) => ({ trial, metric, unit, phase, iteration, value }));
  return [...lines('warm-up', warmUp), ...lines('timed', timed)];
}
