import { z } from 'zod';
import type { WholeSamples } from '../../model/history.ts';
import { endpoint, type Endpoint } from './endpoint.ts';
import type { TypeOf } from '../../results/fields.ts';
import * as schemas from './schemas.ts';
import {
  historyFilter,
  id,
  next,
  nextOf,
  outcomeFilter,
  pageWanted,
  paging,
} from './parameters.ts';
import * as details from './reading-schemas.ts';
import type { ApiSources } from './sources.ts';

/** How many trials a page has at most, and when nobody says. */
const most = 500;
const usual = 100;

/** Trials: lists of them, and all that one of them left behind. */
export function trialRoutes(sources: ApiSources): readonly Endpoint[] {
  return [
    endpoint({
      url: '/api/v1/trials',
      name: 'listTrials',
      summary: 'Trials, of the newest run first',
      query: z.strictObject({ ...historyFilter, ...outcomeFilter, ...paging(5, most) }),
      answer: z.strictObject({ trials: z.array(schemas.trial), next }),
      async read(_params, { limit, cursor, ...filter }) {
        const page = await sources.trials(filter, pageWanted({ limit, cursor }, usual));
        return { trials: page.rows, next: nextOf(page.next) };
      },
      table: { line: schemas.trialLine, rows: ({ trials }) => trials.flatMap(linesOf) },
    }),
    endpoint({
      url: '/api/v1/trials/:id',
      name: 'getTrial',
      summary: 'One trial',
      params: z.strictObject({ id }),
      answer: schemas.wholeTrial,
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
      answer: details.samples,
      async read({ id: trial }) {
        const samples = await history.samples(trial);
        return samples === null ? null : { trial, samples };
      },
      table: {
        line: details.sampleLine,
        rows: ({ trial, samples }) => samples.flatMap((one) => sampleLines(trial, one)),
      },
    }),
    endpoint({
      url: '/api/v1/trials/:id/readings',
      name: 'getReadings',
      summary: 'What the probes saw during a trial: cores, threads, environment',
      params: z.strictObject({ id }),
      answer: details.readings,
      async read({ id: trial }) {
        const readings = await history.readings(trial);
        return readings === null ? null : { trial, readings };
      },
    }),
  ];
}

/** One line for each metric; one without metric for a trial that has none. */
function linesOf({ values, ...trial }: TypeOf<typeof schemas.trial>): readonly object[] {
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
