import { FarmError } from '../../errors.ts';
import { type Benchmark, type Case, mostMetrics } from '../../model/case.ts';
import type { Presence } from '../../model/device.ts';
import type { Plan } from '../../model/plan.ts';
import type { Trial } from '../../model/trial.ts';
import { makePlan } from '../../plan/plan.ts';
import { chooseRules } from '../../plan/catalog/measurement.ts';
import { runPlan } from '../../run/runner.ts';
import type { MeasuringCaller } from '../caller.ts';
import { withEquipment } from '../run/equipment.ts';
import { sessionsFolder } from '../../project.ts';
import type { MeasuringOptions } from '../run/execute-plan.ts';
import { externalFolders } from '../run/external-pages.ts';
import {
  distinctMeasures,
  entryOf,
  keyOf,
  type Measure,
  pageMeasure,
  type PageMeasure,
  repeated,
} from './measures.ts';
import type { Version } from './resolve.ts';
import { versionCases, versionsBenchmark, type Visit } from './benchmark.ts';

const milliseconds = { unit: 'ms', higher: false };

interface Pilot extends Visit {
  readonly versions: readonly Version[];
  /** What was asked for; nothing asks for what the pages offer. */
  readonly asked: readonly Measure[];
}

/** Measures that all versions have, and those that only some have, with their names. */
export interface Offered {
  readonly measures: readonly Measure[];
  readonly onlyIn: readonly { readonly measure: string; readonly versions: readonly string[] }[];
}

/**
 * Opens each version once, in one browser, and finds what there is to measure: what was asked for,
 * else the page's own measures and `bench`, and how it answers input; else how it loads. Nothing of
 * it is stored.
 * @throws FarmError `bad-argument` with the page's own error, if a version gives nothing
 */
export async function lookAtVersions(
  { versions, asked, ...visit }: Pilot,
  { presence, options, caller }: Setting,
): Promise<Offered> {
  const benchmark = versionsBenchmark(versions, {
    measures: [pageMeasure('load', milliseconds)],
    ...visit,
    discover: asked.flatMap((one) => ('reader' in one ? [one.reader] : [])),
  });
  const trials = await pilotTrials(benchmark, { presence, options, caller });
  versions.forEach(({ name }, index) => {
    for (const error of errorsOf(trials[index])) caller.say(`${name} has an error: ${error}`);
  });
  const each = versions.map(({ name }, index) => ({
    name,
    measures: measuresIn(offersOf(name, trials[index]), asked),
  }));
  const all = each.flatMap(({ measures }) => measures);
  const distinct = distinctMeasures(all);
  const holders = (measure: Measure): readonly string[] =>
    each
      .filter(({ measures }) => measures.some((one) => keyOf(one) === keyOf(measure)))
      .map(({ name }) => name);
  const shared = distinct.filter((one) => holders(one).length === versions.length);
  if (shared.length > mostMetrics) {
    throw new FarmError('bad-argument', {
      what: `The pages give ${String(shared.length)} numbers, and ${String(mostMetrics)} are compared at most.`,
      next: 'Choose some with --measure.',
    });
  }
  return {
    measures: withDefaults(shared, { asked, ...visit }),
    onlyIn: distinct
      .filter((one) => holders(one).length < versions.length)
      .map((one) => ({ measure: one.metric.title, versions: holders(one) })),
  };
}

interface Setting {
  readonly presence: Presence;
  readonly options: MeasuringOptions;
  readonly caller: MeasuringCaller;
}

async function pilotTrials(
  benchmark: Benchmark,
  { presence, options, caller }: Setting,
): Promise<readonly Trial[]> {
  const cases = versionCases(benchmark);
  const { signal, say, loadDriver } = caller;
  const equipment = {
    ...options,
    probes: false,
    directory: sessionsFolder(options.database),
    externals: externalFolders({ jobs: cases.map((one) => ({ case: one })) }),
    ...(loadDriver !== undefined && { loadDriver }),
    limits: { attempts: 1 },
    signal,
    say,
  };
  const trials = await withEquipment(equipment, async (open) => {
    // No time that is measured here is kept, so nobody else need leave the cores alone.
    const hasty = { ...open, untilQuiet: () => Promise.resolve(0), listener: {} };
    const look = async (some: readonly Case[]): Promise<readonly Trial[]> => {
      const ended: Trial[] = [];
      const plan = planOfLooks(some, presence, options.measurement);
      for await (const trial of runPlan(plan, hasty)) ended.push(trial);
      return ended;
    };
    return (await Promise.all(queuesOf(cases, presence).map(look))).flat();
  });
  signal.throwIfAborted();
  return cases.flatMap(({ parameters: { version } }) =>
    trials.filter(({ job }) => job.case.parameters['version'] === version),
  );
}

function planOfLooks(
  cases: readonly Case[],
  presence: Presence,
  measurement: MeasuringOptions['measurement'],
): Plan {
  return makePlan({
    seed: 1,
    isolation: 'session',
    blocks: 1,
    measurement: chooseRules(measurement),
    presences: [presence],
    arms: cases.map((one) => ({ deviceId: presence.device.id, case: one })),
    repeatQuarantined: false,
  });
}

/**
 * Two browsers look side by side where the driver starts its own. A server may lend only one at a
 * time, as Safari's does, and a phone has only one.
 */
function queuesOf(cases: readonly Case[], presence: Presence): readonly (readonly Case[])[] {
  const startsItsOwn =
    presence.status === 'found' &&
    presence.target.server === undefined &&
    presence.device.phone === undefined;
  const queues = startsItsOwn ? [0, 1] : [0];
  return queues.map((queue) => cases.filter((_, index) => index % queues.length === queue));
}

function errorsOf(trial: Trial | undefined): readonly string[] {
  return trial?.outcome.kind === 'completed' ? (trial.outcome.result.errors ?? []) : [];
}

function offersOf(name: string, trial: Trial | undefined): Readonly<Record<string, number>> {
  const outcome = trial?.outcome;
  if (outcome?.kind === 'completed') return outcome.result.offers ?? {};
  const why =
    outcome === undefined
      ? 'it was not opened'
      : outcome.kind === 'skipped'
        ? outcome.reason
        : outcome.failure.message;
  throw new FarmError('bad-argument', {
    what: `${name} cannot be measured: ${why}`,
    next: 'Open it by hand, and look into its console; --measure says what is read of it, --begin how it is begun.',
  });
}

/**
 * Offers are named `bench`, `measure:…` and `mark:…`, and `<index>:<key>` of what the page was asked
 * for. What a probe reads needs nothing of the page.
 */
function measuresIn(
  offers: Readonly<Record<string, number>>,
  asked: readonly Measure[],
): readonly Measure[] {
  const names = Object.keys(offers);
  if (asked.length === 0) {
    const own = names.filter((name) => name === 'bench' || name.startsWith('measure:'));
    return own.map((name) => repeated(pageMeasure(name, milliseconds), offers[name] ?? 1));
  }
  const watched = asked.filter((one) => 'watched' in one);
  const ofThePage = asked.filter((one) => 'reader' in one);
  const found = ofThePage.flatMap((measure, index) => {
    const keys = names.flatMap((name) => {
      const [, number, key = ''] = /^(\d+):(.*)$/s.exec(name) ?? [];
      return number === String(index) ? [key] : [];
    });
    if (measure.reader.by !== 'expression') return [repeated(measure, timesIn(offers, measure))];
    return keys.map((key) => (key === '' ? measure : entryOf(measure, key)));
  });
  return [...found, ...watched];
}

function timesIn(offers: Readonly<Record<string, number>>, { reader }: PageMeasure): number {
  const name = reader.by === 'measure' ? `measure:${reader.name}` : reader.by;
  return offers[name] ?? 1;
}

function withDefaults(
  shared: readonly Measure[],
  { asked, input }: Pick<Pilot, 'asked' | 'input'>,
): readonly Measure[] {
  const named = (...names: readonly string[]): readonly Measure[] =>
    names.map((name) => pageMeasure(name, milliseconds));
  if (input !== undefined && asked.length === 0) return [...named('inp'), ...shared];
  return shared.length > 0 ? shared : named('load', 'fcp', 'lcp');
}
