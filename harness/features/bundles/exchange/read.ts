import type { z } from 'zod';
import { FarmError } from '../../../core/errors.ts';
import { describeIssue } from '../../../core/json-file.ts';
import { findExcess } from '../../../core/json-shape.ts';
import type { Case } from '../../../core/model/case.ts';
import { believable } from '../../../core/model/credible.ts';
import type { Presence } from '../../../core/model/device.ts';
import type { Job } from '../../../core/model/plan.ts';
import type { Question } from '../../../core/model/question.ts';
import type { RunRecord } from '../../../core/model/run.ts';
import type { Outcome, Trial } from '../../../core/model/trial.ts';
import { Refusal } from '../bundle/format.ts';
import { restoreAsked, restoreCase } from '../bundle/restore.ts';
import {
  type DocumentCell,
  documentFormat,
  kindDeclaration,
  runDeclaration,
  type RunDocument,
} from './declaration.ts';
import { documentOfResults } from './foreign-results.ts';
import { npxCrossfarm } from '../../../core/model/typed-command.ts';

/** A run of another farm, checked; `value` is what JSON.parse or another store gave. @throws Refusal */
export function readRunDocument(value: unknown): ForeignRun {
  const { format } = check(kindDeclaration, value);
  if (format > documentFormat) {
    throw new Refusal(
      `it has format ${String(format)}, which a newer farm wrote; this one reads ${String(documentFormat)}`,
    );
  }
  const document = check(runDeclaration, value);
  try {
    return restoreRun(document);
  } catch (error) {
    throw error instanceof FarmError ? new Refusal(error.message) : error;
  }
}

/**
 * Text → a run. It may also be what another program wrote, of which `writtenAt` (ISO 8601) is the
 * time. @throws Refusal
 */
export function parseRunDocument(text: string, writtenAt?: string): ForeignRun {
  const value = parseJson(text);
  const results = writtenAt === undefined ? null : documentOfResults(value, text, writtenAt);
  return readRunDocument(results ?? value);
}

function parseJson(text: string): unknown {
  const excess = findExcess(text);
  if (excess !== null) throw new Refusal(excess);
  try {
    return JSON.parse(text);
  } catch {
    // Node.js quotes the text around the mistake, which is untrusted.
    throw new Refusal('it is neither a database nor JSON');
  }
}

function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const checked = parse(schema, value);
  if (checked.success) return checked.data;
  const issues = checked.error.issues.slice(0, 3).map(describeIssue);
  throw new Refusal(`it is not an exported run: ${issues.join('; ')}`);
}

function parse<T>(schema: z.ZodType<T>, value: unknown): z.ZodSafeParseResult<T> {
  try {
    return schema.safeParse(value);
  } catch {
    // It has too many errors to list: the schema itself gives up with a RangeError.
    throw new Refusal('it is not an exported run, in more places than can be told');
  }
}

export function badImport(path: string, why: string): FarmError {
  return new FarmError('bad-import', {
    what: `${path} is refused: ${why}.`,
    next: `Nothing of it was stored. It takes a database of crossfarm, or what ${npxCrossfarm} db export --format json, Vitest (bench --outputJson) or Speedometer (JSON) wrote.`,
  });
}

/**
 * The model's nouns from a document, with checks that a schema cannot make: names, counts and
 * orders.
 */

/** A run of another farm; its number means nothing here. */
export interface ForeignRun {
  readonly identity: string;
  readonly record: RunRecord;
}

/** @throws Refusal */
function restoreRun(document: RunDocument): ForeignRun {
  const { identity, ...run } = document.run;
  if ((run.status === 'running') !== (run.finishedAt === null)) {
    throw new Refusal(
      `its run is ${run.status} and has ${run.finishedAt === null ? 'not ended' : 'ended'}`,
    );
  }
  const presences = restorePresences(document);
  const cases = restoreCases(document);
  const jobs = restoreJobs(document, { presences, cases });
  const trials = document.cells.flatMap((cell, index) => {
    const job = jobs[index];
    return cell.trial === null || job === undefined ? [] : [restoreTrial(cell.trial, job)];
  });
  const question = restoreQuestion(document, { presences, cases });
  // The farm that carried it out is not this one.
  const ended =
    run.status === 'running'
      ? { status: 'interrupted' as const, finishedAt: run.startedAt }
      : { status: run.status, finishedAt: run.finishedAt };
  const record = { run: { ...run, ...ended }, presences, jobs, trials };
  return { identity, record: question === null ? record : { ...record, question } };
}

function restorePresences({ devices }: RunDocument): readonly Presence[] {
  requireOnce(
    devices.map(({ device }) => device.id),
    'device',
  );
  return devices.map((one): Presence => {
    // Zod's optional members may hold undefined, and the model's may not.
    const device = JSON.parse(JSON.stringify(one.device)) as Presence['device'];
    const capabilities = JSON.parse(JSON.stringify(one.capabilities)) as Presence['capabilities'];
    if (one.status === 'missing') {
      const { status, reason, remedy } = one;
      return { status, device, capabilities, reason, remedy };
    }
    const { status, browser, executable, server, node, passedOver } = one;
    const target = {
      device,
      browser,
      executable,
      ...(server === undefined ? {} : { server }),
      ...(node === undefined ? {} : { node }),
    };
    const found = { status, device, capabilities, target };
    return passedOver === undefined ? found : { ...found, passedOver };
  });
}

function restoreCases({ benchmarks, cases }: RunDocument): readonly Case[] {
  requireOnce(
    benchmarks.map(({ id }) => id),
    'benchmark',
  );
  const known = new Map(benchmarks.map((benchmark) => [benchmark.id, benchmark]));
  const restored = cases.map(({ benchmark, parameters }, index) => {
    const place = `$.cases[${String(index)}]`;
    const declared = known.get(benchmark);
    if (declared === undefined) {
      throw new Refusal(`${place} is of "${benchmark}", which it does not have`);
    }
    return restoreCase(declared, parameters, place);
  });
  requireOnce(
    restored.map((one) => JSON.stringify([one.benchmark.id, one.parameters])),
    'case',
  );
  return restored;
}

function requireOnce(names: readonly string[], what: string): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw new Refusal(`it has the ${what} ${name} twice`);
    seen.add(name);
  }
}

interface KnownRun {
  readonly presences: readonly Presence[];
  readonly cases: readonly Case[];
}

function laneIn({
  presences,
  cases,
}: KnownRun): (
  lane: { readonly device: string; readonly case: number },
  place: string,
) => { readonly deviceId: string; readonly case: Case } {
  const devices = new Set(presences.map(({ device }) => device.id));
  return (lane, place) => {
    const one = cases[lane.case];
    if (one !== undefined && devices.has(lane.device)) return { deviceId: lane.device, case: one };
    throw new Refusal(`${place} names a device or a case that it does not have`);
  };
}

function restoreJobs({ cells }: RunDocument, known: KnownRun): readonly Job[] {
  const lane = laneIn(known);
  const byOrdinal = new Map<number, DocumentCell>();
  let last = -1;
  return cells.map((cell, index) => {
    const place = `$.cells[${String(index)}]`;
    const { ordinal, block, sessionKey, repeats } = cell;
    if (ordinal <= last) throw new Refusal(`${place} is out of order, or there twice`);
    last = ordinal;
    byOrdinal.set(ordinal, cell);
    if (repeats !== undefined) requireLike(cell, byOrdinal.get(repeats), place);
    const job: Job = { ordinal, block, ...lane(cell, place), sessionKey };
    return repeats === undefined ? job : { ...job, repeats };
  });
}

/** A repeat stands for a cell before it, of the same case, device and block. */
function requireLike(cell: DocumentCell, first: DocumentCell | undefined, place: string): void {
  const fits =
    first?.case === cell.case &&
    first.device === cell.device &&
    first.block === cell.block &&
    first.repeats === undefined;
  if (!fits) throw new Refusal(`${place} repeats no cell of its like`);
}

function restoreTrial(trial: NonNullable<DocumentCell['trial']>, job: Job): Trial {
  const { browser, node, clock, waitedMs, failedAttempts, startedAt, wallMs } = trial;
  const outcome = trial.outcome as Outcome;
  const where = `the trial of cell ${String(job.ordinal)}`;
  if (outcome.kind === 'completed') requireDeclared(outcome, job, where);
  if (outcome.kind === 'skipped' && failedAttempts.length > 0) {
    throw new Refusal(`${where} was skipped and tried`);
  }
  requireOnce(
    failedAttempts.map(({ number }) => String(number)),
    `attempt of cell ${String(job.ordinal)}`,
  );
  return believable({
    job,
    outcome,
    browser,
    failedAttempts,
    startedAt,
    wallMs,
    ...(node === undefined ? {} : { node }),
    ...(clock === undefined ? {} : { clock }),
    ...(waitedMs === undefined ? {} : { waitedMs }),
  });
}

function requireDeclared(
  { result, readings }: Extract<Outcome, { kind: 'completed' }>,
  { case: { benchmark } }: Job,
  where: string,
): void {
  for (const { metric, unit } of result.samples) {
    if (benchmark.metrics.some((one) => one.id === metric && one.unit === unit)) continue;
    throw new Refusal(`${where} has a metric that ${benchmark.id} does not declare`);
  }
  requireOnce(
    readings.map(({ probe }) => probe),
    `probe of ${where}`,
  );
}

function restoreQuestion({ question }: RunDocument, known: KnownRun): Question | null {
  if (question === null) return null;
  const lane = laneIn(known);
  const lanes = question.lanes.map((one, index) => lane(one, `$.question.lanes[${String(index)}]`));
  return restoreAsked(question.asked, lanes);
}
