import { z } from 'zod';
import { count, type TypeOf } from '../../results/fields.ts';
import { changes, type ChangesResponse } from './changes-response.ts';
import { wholeFindings, type FoundPair, type FoundRow } from './findings-response.ts';
import { next } from './parameters.ts';

/**
 * Names that members had before the API answered with the declared results. They are sent next to
 * the new ones as long as readers may ask for them: code that uses them here goes with them.
 */

const renamed = (now: string) =>
  z.string().describe(`Deprecated: ${now}`).meta({ deprecated: true });
const gone = <Schema extends z.ZodType>(schema: Schema) => schema.meta({ deprecated: true });

const { targets, rows, pairs, growth, troubles } = wholeFindings.shape;
const { cells } = rows.element.shape;
const [wordedCell, missingCell] = cells.element.options;

const oldCell = {
  device: renamed('targetId'),
  measured: gone(
    z
      .strictObject({
        ...wordedCell.pick({ centre: true, low: true, high: true, confidence: true }).shape,
        ...wordedCell.pick({ trials: true, resolution: true, values: true, words: true }).shape,
        quarantined: count,
      })
      .nullable(),
  ),
};

const oldPair = z.strictObject({
  case: renamed('a.caseName'),
  device: renamed('a.targetId'),
  baselineCase: renamed('b.caseName'),
  baselineDevice: renamed('b.targetId'),
  ...pairs.element.shape,
});

/** A line of the table of pairs, whose columns stay as they are. */
export const pairLine = oldPair.omit({ a: true, b: true, unpaired: true, discovery: true });

/** The findings, with the old names too. */
export const findingsAnswer = wholeFindings.extend({
  targets: z.array(
    targets.element.extend({
      device: renamed('id'),
      deviceName: renamed('name'),
      reason: z.string().nullable(),
      remedy: z.string().nullable(),
    }),
  ),
  rows: z
    .array(
      rows.element.extend({
        case: renamed('caseName'),
        cells: z.array(
          z.union([
            wordedCell.extend({ ...oldCell, why: gone(z.null()) }),
            missingCell.extend(oldCell),
          ]),
        ),
      }),
    )
    .describe(rows.description ?? ''),
  pairs: z.array(oldPair).describe(pairs.description ?? ''),
  growth: z.array(
    growth.element.extend({
      metricTitle: renamed('metric'),
      fits: z.array(growth.element.shape.fits.element.extend({ device: renamed('targetId') })),
    }),
  ),
  troubles: z.array(
    troubles.element.extend({ device: renamed('targetId'), case: renamed('caseName') }),
  ),
  moreTroubles: count.describe('That are not listed'),
  next,
});

type Answer = TypeOf<typeof findingsAnswer>;
type PageOfFindings = TypeOf<typeof wholeFindings> & Pick<Answer, 'moreTroubles' | 'next'>;

export function findingsWithOldNames(found: PageOfFindings): Answer {
  return {
    ...found,
    targets: found.targets.map((one) => ({
      reason: null,
      remedy: null,
      ...one,
      device: one.id,
      deviceName: one.name,
    })),
    rows: found.rows.map((row) => ({
      ...row,
      case: row.caseName,
      cells: row.cells.map(cellWithOldNames),
    })),
    pairs: found.pairs.map(pairWithOldNames),
    growth: found.growth.map(({ fits, ...chart }) => ({
      ...chart,
      metricTitle: chart.metric,
      fits: fits.map((fit) => ({ ...fit, device: fit.targetId })),
    })),
    troubles: found.troubles.map((one) => ({
      ...one,
      device: one.targetId,
      case: one.caseName,
    })),
  };
}

function cellWithOldNames(
  cell: FoundRow['cells'][number],
): Answer['rows'][number]['cells'][number] {
  const device = cell.targetId;
  if (cell.kind === 'missing') return { ...cell, device, measured: null };
  const { centre, low, high, confidence, trials, resolution, values, words } = cell;
  const quarantined = cell.quarantined?.length ?? 0;
  const numbers = { centre, low, high, confidence, trials, quarantined, resolution, values };
  return { ...cell, device, measured: { ...numbers, words }, why: null };
}

function pairWithOldNames(pair: FoundPair): Answer['pairs'][number] {
  const { a, b } = pair;
  return {
    case: a.caseName,
    device: a.targetId,
    baselineCase: b.caseName,
    baselineDevice: b.targetId,
    ...pair,
  };
}

const oldPlace = { case: renamed('caseName'), device: renamed('targetId') };
const { series } = changes.shape;

/** The changes, with the old names too. */
export const changesAnswer = changes.extend({ series: z.array(series.element.extend(oldPlace)) });

export function changesWithOldNames(found: ChangesResponse): TypeOf<typeof changesAnswer> {
  return {
    ...found,
    series: found.series.map((one) => ({ ...one, case: one.caseName, device: one.targetId })),
  };
}

const { metric, unit, direction, metricTitle, changes: changed } = series.element.shape;

/** A line of the table of changes, whose columns stay as they are. */
export const changeLine = z.strictObject({
  ...oldPlace,
  metric,
  unit,
  direction,
  metricTitle,
  ...changed.element.pick({ run: true, startedAt: true, state: true }).shape,
  ...changed.element.pick({ before: true, after: true, ratio: true, p: true }).shape,
  ...changed.element.pick({ cause: true, words: true }).shape,
});
