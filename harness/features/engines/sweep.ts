import { randomInt } from 'node:crypto';
import { type Pair, runCircumstances } from '../../core/analysis/pairs.ts';
import { endsRound, stopState } from '../../core/analysis/stopping.ts';
import {
  analyseSweep,
  looksBetween,
  spreadOut,
  stepPairs,
  type SweepPoint,
} from '../../core/analysis/sweep.ts';
import { FarmError } from '../../core/errors.ts';
import { caseName, type Case, type Metric } from '../../core/model/case.ts';
import type { Device } from '../../core/model/device.ts';
import { firstRoundBlocks } from '../../core/model/plan.ts';
import { loadCatalog } from '../../core/plan/catalog/catalog.ts';
import type { Choices } from '../../core/plan/catalog/expansion.ts';
import { chooseRules } from '../../core/plan/catalog/measurement.ts';
import { makePlan } from '../../core/plan/plan.ts';
import type { SweepStep } from '../../core/results/index.ts';
import { isSelected, parseSelector } from '../../core/setup/builds/selector.ts';
import {
  type Candidate,
  findRange,
  type LeftOut,
  UsableBuilds,
} from '../../core/app/builds/build-range.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import { executePlan, type MeasuringOptions } from '../../core/app/run/execute-plan.ts';
import {
  readCircumstances,
  parameterArguments,
  probeArguments,
} from '../../core/app/run/repeat-command.ts';
import { checkMaxBlocks, fewestBlocks } from '../../core/app/run/block-watch.ts';
import { isChange, lookAlpha, Looks, mostLooks } from './looks.ts';
import { oneCase } from '../compare/compare-devices.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

export interface SweepOptions extends MeasuringOptions {
  /** The devices file. */
  readonly inventory: string;
  readonly bench: string;
  readonly param: Choices;
  /** Such as `chromium@103..153`. */
  readonly builds: readonly string[];
  /** Most bytes of the store of builds. */
  readonly keepBuilds?: number;
  /** Build in every block; the newest one when left out. */
  readonly reference?: string;
  /** Builds in the first look; between those that differ others are looked at. */
  readonly coarse: number;
  /** Of each look. */
  readonly maxBlocks: number;
  readonly margin: number;
  readonly seed?: number;
}

/** The outcome of a sweep. */
export interface SweepResult {
  readonly case: string;
  readonly metric: Metric;
  readonly reference: string;
  /** Of every build that was measured, the oldest first. */
  readonly points: readonly SweepPoint[];
  /** Builds between which the case changed. */
  readonly changes: readonly SweepStep[];
  /** Adjacent builds whose comparison is undecided. */
  readonly open: readonly SweepStep[];
  /** Trials that do not count, because the machine was outside its limits. */
  readonly quarantined: number;
  /** Largest of all looks. */
  readonly referenceSpread: number | null;
  readonly leftOut: readonly LeftOut[];
  /** Builds in the range that nothing had to be asked of. */
  readonly notMeasured: readonly string[];
  readonly runs: readonly number[];
  readonly command: string;
  readonly interrupted: boolean;
}

/** Builds that one look adds between two that differ. */
const addedBetween = 3;

/**
 * Measures a case over builds: coarse first, then between those that differ, until the changes lie
 * between builds that follow each other. In every look each block has one trial of each build in
 * random order, the reference build among them.
 * @throws FarmError
 */
export async function sweep(options: SweepOptions, caller: MeasuringCaller): Promise<SweepResult> {
  const one = await oneCase(await loadCatalog(options.pages), options.bench, options.param);
  const [metric] = one.benchmark.metrics;
  if (metric === undefined) throw new TypeError('a benchmark measures something');
  const { device, builds } = await findRange(options.builds.map(parseSelector), options, caller);
  const steps = spreadOut(builds.length, options.coarse).length - 1;
  // One change among all steps of the first look has to be seen.
  checkMaxBlocks(options.maxBlocks, caller, fewestBlocks(lookAlpha / Math.max(1, steps)));
  const seed = options.seed ?? randomInt(2 ** 32);
  const command = sweepCommand(options, seed);
  const sweeping = new Sweep({ one, metric, options, caller, device, command, seed });
  const names = builds.map(({ name }) => name);
  await sweeping.choose(builds);
  await sweeping.measure();
  return { ...sweeping.result(names), command };
}

interface Setting {
  readonly one: Case;
  readonly metric: Metric;
  readonly options: SweepOptions;
  readonly caller: MeasuringCaller;
  readonly device: Device;
  readonly command: string;
  readonly seed: number;
}

/** Places of two builds that differ, with others between them. */
interface Gap {
  readonly from: number;
  readonly to: number;
}

/** A sweep on its way: what is usable, what was seen. */
class Sweep {
  readonly #setting: Setting;
  readonly #usableBuilds: UsableBuilds;
  readonly #looks = new Looks((name) => this.#placeOf(name));
  #builds: readonly Candidate[] = [];
  #reference = '';
  #interrupted = false;

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#usableBuilds = new UsableBuilds(setting.device, setting.caller);
  }

  /** Takes the builds that the reference build is one of. */
  async choose(builds: readonly Candidate[]): Promise<void> {
    const { options } = this.#setting;
    this.#builds = builds;
    const wanted = options.reference === undefined ? null : parseSelector(options.reference);
    const named = wanted && builds.findLast(({ version }) => isSelected(version, wanted));
    if (wanted !== null && named === undefined) {
      throw new FarmError('bad-argument', {
        what: `The reference build ${wanted.text} is not among those that are swept.`,
        next: `They are ${builds.map(({ name }) => name).join(', ')}.`,
      });
    }
    const order = named ? [named] : builds.toReversed();
    for (const build of order) {
      if (!(await this.#usableBuilds.has(build))) continue;
      this.#reference = build.name;
      return;
    }
    throw this.#usableBuilds.nothingRuns();
  }

  /** Looks, coarse first, and then where something changed. */
  async measure(): Promise<void> {
    const { options } = this.#setting;
    const first = spreadOut(this.#builds.length, options.coarse);
    await this.#look(await this.#usable(first));
    for (let look = 2; look <= mostLooks && !this.#interrupted; look += 1) {
      const gaps = this.#gaps();
      const added = gaps.flatMap(({ from, to }) => looksBetween(from, to, addedBetween));
      // An undecided pair is not measured again.
      const unseen = added.filter(
        (place) => !this.#looks.points.has(this.#builds[place]?.name ?? ''),
      );
      const fresh = await this.#usable(unseen);
      if (fresh.length === 0) return;
      const ends = gaps.flatMap(({ from, to }) => [from, to]);
      const ofEnds = await this.#usable(ends);
      const all = [...new Set([...ofEnds, ...fresh])].sort((a, b) => a - b);
      await this.#look(all);
    }
  }

  result(names: readonly string[]): Omit<SweepResult, 'command'> {
    const { one, metric } = this.#setting;
    const without = new Set(this.#usableBuilds.leftOut.map(({ build }) => build));
    return {
      case: caseName(one),
      metric,
      reference: this.#reference,
      points: names.flatMap((name) => this.#looks.points.get(name) ?? []),
      ...this.#looks.summary,
      leftOut: this.#usableBuilds.leftOut,
      notMeasured: names.filter((name) => !this.#looks.points.has(name) && !without.has(name)),
      interrupted: this.#interrupted,
    };
  }

  /** Adjacent measured builds that differ, with unmeasured builds between them. */
  #gaps(): readonly Gap[] {
    const without = new Set(this.#usableBuilds.leftOut.map(({ build }) => build));
    return this.#looks.steps.filter(isChange).flatMap(({ between: [older, newer] }) => {
      const [from, to] = [this.#placeOf(older), this.#placeOf(newer)];
      const inside = this.#builds.slice(from + 1, to);
      return inside.some(({ name }) => !without.has(name)) ? [{ from, to }] : [];
    });
  }

  #placeOf(name: string): number {
    return this.#builds.findIndex((one) => one.name === name);
  }

  async #look(places: readonly number[]): Promise<void> {
    const { one, metric, options, caller, command, seed } = this.#setting;
    const deviceIds = places.map((place) => this.#builds[place]?.name ?? '');
    const ids = [...new Set([...deviceIds, this.#reference])];
    const presences = ids.flatMap((id) => this.#usableBuilds.presenceOf(id) ?? []);
    const plan = makePlan({
      seed: seed + this.#looks.runs.length,
      isolation: 'session',
      blocks: options.maxBlocks,
      firstRound: firstRoundBlocks,
      measurement: chooseRules(options.measurement),
      presences,
      arms: ids.map((deviceId) => ({ deviceId, case: one })),
    });
    const rules = {
      margin: options.margin,
      alpha: lookAlpha,
      ...runCircumstances(plan),
    };
    const of = { case: one, metric };
    const pairs: readonly Pair[] = stepPairs({ deviceIds, of });
    const order = {
      suite: 'sweep',
      command,
      options,
      enough: (trials: Parameters<typeof endsRound>[1]) =>
        endsRound(plan, trials) && stopState(trials, pairs, rules).kind !== 'go-on',
    };
    const { run, trials, interrupted } = await executePlan(plan, order, caller);
    this.#interrupted ||= interrupted;
    this.#looks.note(
      run,
      analyseSweep({ trials, deviceIds, reference: this.#reference, of, rules }),
    );
  }

  /** Those of these places whose builds can be used, in their order. */
  async #usable(places: readonly number[]): Promise<readonly number[]> {
    const usable: number[] = [];
    for (const place of places) {
      const build = this.#builds[place];
      if (build !== undefined && (await this.#usableBuilds.has(build))) usable.push(place);
    }
    if (usable.length === 0 && this.#looks.points.size === 0)
      throw this.#usableBuilds.nothingRuns();
    return usable;
  }
}

function sweepCommand(options: SweepOptions, seed: number): string {
  return [
    `${npxCrossfarm} engines sweep ${options.bench}`,
    ...parameterArguments(options.param),
    `--builds ${options.builds.join(',')}`,
    ...(options.reference === undefined ? [] : [`--reference ${options.reference}`]),
    `--coarse ${String(options.coarse)} --max-blocks ${String(options.maxBlocks)} --margin ${String(options.margin)}`,
    ...probeArguments(options),
    ...readCircumstances(options),
    `--seed ${String(seed)}`,
  ].join(' ');
}
