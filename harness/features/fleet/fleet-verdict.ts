import { tableLevels, undecidable } from '../../core/analysis/decide.ts';
import { findStanding, isFailing, parseFailOn } from '../../core/analysis/fail-on.ts';
import { findDeviceDisplay } from '../../core/analysis/displays.ts';
import { groupBy } from '../../core/analysis/grouping.ts';
import {
  comparePair,
  givenBy,
  indexPairs,
  type Pair,
  runCircumstances,
  type Side,
} from '../../core/analysis/pairs.ts';
import {
  asJudged,
  parseErrorRate,
  parseMargin,
  readVersion,
  titlePair,
  versionsSuite,
} from '../../core/analysis/run-pairs.ts';
import { listComparedPairs } from '../../core/analysis/run-verdicts.ts';
import {
  decideHosts,
  type HostComparison,
  isBegun,
  type PooledDecision,
  poolComparisons,
} from '../../core/analysis/stats/pooled-hosts.ts';
import { logDecisiveness } from '../../core/analysis/stats/verdict.ts';
import { caseName } from '../../core/model/case.ts';
import { describeRasteriser } from '../../core/model/display.ts';
import type { Machine, RunRecord } from '../../core/model/run.ts';
import { describeWhere } from './describe-where.ts';

/** The run of one host, as the farm keeps it. */
export interface HostRun {
  readonly host: string;
  readonly job: number;
  readonly record: RunRecord;
}

/** One comparison over all hosts that measured it. */
export interface FleetRow extends PooledDecision {
  /** Such as `chromium: duration`. */
  readonly title: string;
  /** Where hosts draw in different ways: that of this row's hosts. */
  readonly display?: string;
  readonly metric: string;
  readonly unit: string;
  /** The two sides: `a` is compared with `b`. */
  readonly a: string;
  readonly b: string;
  /** Where hosts differ: what those with a difference have, and the others have not. */
  readonly where: readonly string[];
  /** By the `--fail-on` of the command; false without it. */
  readonly fails: boolean;
}

/** A host of the verdict, with what it rests on. */
export interface JudgedHost {
  readonly host: string;
  readonly job: number;
  readonly machine: Machine;
  readonly trials: number;
}

export interface FleetVerdict {
  readonly hosts: readonly JudgedHost[];
  readonly margin: number;
  readonly alpha: number;
  readonly rows: readonly FleetRow[];
}

/**
 * Judges what several hosts compared, pair by pair; hosts whose browsers draw in different ways make
 * separate rows. Of several pairs the expected share of wrong verdicts
 * is at most α, as in the table of one run (`decideTable`).
 */
export function judgeFleet(runs: readonly HostRun[]): FleetVerdict {
  const [command = ''] = runs.map(({ record }) => record.run.command);
  const [margin, alpha] = [parseMargin(command), parseErrorRate(command)];
  const compared = runs.flatMap(compareOn);
  const displays = groupBy(compared, ({ key }) => key);
  const groups = groupBy(compared, ({ key, display }) => `${key}\n${display}`);
  const pairs = [...groups.values()].filter((hosts) =>
    hosts.some(({ comparison }) => isBegun(comparison)),
  );
  const levels = tableLevels(
    pairs.map((hosts) => {
      const begun = hosts.filter(({ comparison }) => isBegun(comparison));
      const pooled = poolComparisons(begun.map(({ comparison }) => comparison));
      return begun.length === 0 ? undecidable : logDecisiveness(pooled, margin);
    }),
    alpha,
  );
  const machines = new Map(runs.map(({ host, record }) => [host, record.run.machine]));
  const rows = pairs.flatMap((hosts, index) => {
    const [first] = hosts;
    if (first === undefined) return [];
    const { key, pair, isVersion, display } = first;
    const isAlone = displays.get(key)?.every((one) => one.display === display) ?? true;
    const described = describePair(pair, isVersion);
    const apart = isAlone ? {} : { title: `${described.title}, ${display}`, display };
    const rules = { better: pair.metric.direction, margin, alpha: levels[index] ?? alpha };
    const decided = decideHosts(hosts, rules);
    const where = decided.differ ? describeWhere(decided.hosts, machines) : [];
    const failOn = parseFailOn(command);
    const fails = failOn !== undefined && isWorse(pair, decided, failOn);
    return [{ ...described, ...apart, ...decided, where, fails }];
  });
  const hosts = runs.map(({ host, job, record }) => {
    return { host, job, machine: record.run.machine, trials: record.trials.length };
  });
  return { hosts, margin, alpha, rows };
}

/** Returns true if every pair has a verdict. A pair in which hosts differ needs no common one: each host decides it. */
export function isFleetDecided({ rows }: FleetVerdict): boolean {
  return rows.length > 0 && rows.every(({ verdict }) => verdict !== 'undecided');
}

/** The ratio of all hosts together is held against the limit, as that of one run is. */
function isWorse(pair: Pair, { verdict, pooled }: PooledDecision, failOn: number): boolean {
  const decision = {
    kind: 'decided-on',
    decision: { ...pooled, verdict },
    blockRatios: [],
  } as const;
  return isFailing(findStanding({ pair, decision, discovery: false }, failOn));
}

interface ComparedOn extends HostComparison {
  /** The same on each host. */
  readonly key: string;
  /** How the browsers of both sides draw, in words. */
  readonly display: string;
  readonly pair: Pair;
  readonly isVersion: boolean;
}

function compareOn({ host, record: stored }: HostRun): readonly ComparedOn[] {
  const record = asJudged(stored);
  const trialsOf = indexPairs(record.trials);
  const circumstances = runCircumstances(record);
  const isVersion = record.run.suite === versionsSuite;
  return listComparedPairs(record).flatMap((pair) => {
    const trials = trialsOf(pair);
    if (givenBy(trials, pair) !== 'both') return [];
    const made = comparePair(trials, pair, circumstances);
    if (made.kind !== 'comparison') return [];
    const display = describeDrawing(record, pair);
    return [{ host, comparison: made.comparison, key: keyOf(pair), display, pair, isVersion }];
  });
}

/**
 * Describes what must be the same on hosts that are pooled. Which GPU it is may differ, as their
 * processors do.
 */
function describeDrawing({ trials, presences }: RunRecord, { a, b }: Pair): string {
  const texts = [a, b].map(({ deviceId }) => {
    const display = findDeviceDisplay(trials, deviceId);
    const phone = presences.find(({ device }) => device.id === deviceId)?.device.phone;
    const erased = phone?.profile === 'erase' ? ['with erased data'] : [];
    if (display === null) return ['drawn by an unknown rasteriser', ...erased].join(', ');
    const { drawnBy, rasteriser, window, scale } = display;
    const what = drawnBy === 'GPU' ? 'a GPU' : describeRasteriser({ drawnBy, rasteriser });
    return [`drawn by ${what}`, window, `scale ${String(scale)}`, ...erased].join(', ');
  });
  return [...new Set(texts)].join(' and ');
}

function keyOf({ a, b, metric }: Pair): string {
  const side = ({ deviceId, case: one }: Side): readonly string[] => [deviceId, caseName(one)];
  return JSON.stringify([...side(a), ...side(b), metric.id]);
}

function describePair(
  pair: Pair,
  isVersion: boolean,
): Pick<FleetRow, 'title' | 'metric' | 'unit' | 'a' | 'b'> {
  const { a, b, metric } = pair;
  const { id, unit } = metric;
  if (isVersion) {
    const title = `${a.deviceId}: ${titlePair(pair)}`;
    return { title, metric: id, unit, a: readVersion(a), b: readVersion(b) };
  }
  const [nameOfA, nameOfB] = [caseName(a.case), caseName(b.case)];
  const isSameCase = nameOfA === nameOfB;
  return {
    title: isSameCase ? `${nameOfA}: ${metric.title}` : metric.title,
    metric: id,
    unit,
    a: isSameCase ? a.deviceId : `${a.deviceId} ${nameOfA}`,
    b: isSameCase ? b.deviceId : `${b.deviceId} ${nameOfB}`,
  };
}
