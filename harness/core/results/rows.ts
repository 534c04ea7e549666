import { z } from 'zod';
import { cellCounts, count, measured, parameterValue, type TypeOf } from './fields.ts';
import { speed } from './steady-state.ts';
import { pairVerdict } from './verdicts.ts';

/** The comparison table of a run, and what went wrong: a part of the contract in `index.ts`. */

export const measuredCell = z.strictObject({
  kind: z.literal('measured'),
  targetId: z.string(),
  centre: z
    .number()
    .describe(
      'Typical value: the median over trials of the trial’s own value. Of a compared cell what the ratio makes of the baseline’s: the ratio is the typical one within a block, which need not be that of two medians, and a reader divides what stands side by side',
    ),
  low: z.number(),
  high: z.number(),
  confidence: z.number().describe('What the interval covers, 0–1; below 0.95 with few trials'),
  trials: count,
  values: z.array(z.number()).describe('Each trial’s value, in block order'),
  resolution: z
    .number()
    .describe('Largest step that clock and repeats leave, in the unit: no digit below it is shown'),
  speeds: z
    .array(speed)
    .optional()
    .describe('Two speeds, with no median between them; left out where all trials have one'),
  unsteady: z
    .array(z.strictObject({ label: z.string(), trials: count }))
    .describe('Trials that had no steady state, became slower, or were noisy, by label'),
  quarantined: z
    .array(z.number())
    .optional()
    .describe('Values of excluded trials, in block order; left out where there are none'),
  drawnBy: z
    .literal('software')
    .optional()
    .describe('The value is about frames, and no GPU drew them; left out of any other'),
  fromQuarantined: z
    .literal(true)
    .optional()
    .describe('No trial counts: all else here is of the excluded ones'),
});

export const missingCell = z.strictObject({
  kind: z.literal('missing'),
  targetId: z.string(),
  why: z.string().describe('Why there are no numbers; may quote a page: escape it'),
});

const cell = z.discriminatedUnion('kind', [measuredCell, missingCell]);

/** One case on one device. A cell without trials says why; it is never shown as zero. */
export type Cell = TypeOf<typeof cell>;

export const caseRow = z.strictObject({
  caseName: z.string().describe('Canonical'),
  label: z.string().describe('Short, as people write it; unique in its report: asyncFib(14)'),
  benchmark: z.string(),
  parameters: z.record(z.string(), parameterValue),
  ...measured,
  cells: z.array(cell),
  command: z.string().describe('Repeats the case'),
});
export type CaseRow = TypeOf<typeof caseRow>;

const fact = z.strictObject({ label: z.string(), text: z.string() });
export type Fact = TypeOf<typeof fact>;

/** How many planned cells ended how. */
export type CellFacts = TypeOf<typeof cellCounts>;

const driverVerdict = pairVerdict
  .pick({ verdict: true, ratio: true, low: true, high: true, blocks: true })
  .extend({ caseName: z.string() });

/** The verdict on a device for one case, compared with its build without automation. */
export type DriverVerdict = TypeOf<typeof driverVerdict>;

export const targetFacts = z.strictObject({
  id: z.string().describe('Device id; in a report of several runs with its run, as firefox@3'),
  run: count.optional().describe('In a report of several runs: the one that it took part in'),
  name: z.string(),
  status: z.enum(['found', 'missing']),
  driver: z.string(),
  browser: z.strictObject({ name: z.string(), version: z.string() }).nullable(),
  cells: cellCounts.optional().describe('How its trials ended; left out where no plan is known'),
  reason: z.string().optional().describe('Why it is missing'),
  remedy: z.string().optional(),
  notes: z
    .array(fact)
    .describe('Clock, isolation, what it says of its cores, abilities that are missing and why'),
  againstOpen: z
    .strictObject({ controlId: z.string(), cases: z.array(driverVerdict) })
    .optional()
    .describe('The effect of its driver: the control is the same build without automation'),
});
export type TargetFacts = TypeOf<typeof targetFacts>;

export const trouble = z.strictObject({
  kind: z.enum(['failed', 'timed-out', 'skipped']),
  targetId: z.string(),
  caseName: z.string(),
  trials: count,
  code: z.string(),
  message: z.string().describe('May quote a page: escape it'),
  remedy: z.string(),
});
export type Trouble = TypeOf<typeof trouble>;
