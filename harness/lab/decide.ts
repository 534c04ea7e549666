import { mkdir, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { median, standardDeviation } from 'simple-statistics';
import { chooseWindow } from '../core/analysis/chosen-window.ts';
import { decidePair } from '../core/analysis/decide.ts';
import {
  type Pair,
  pairValues,
  type RunCircumstances,
  runCircumstances,
} from '../core/analysis/pairs.ts';
import { endsRound } from '../core/analysis/stopping.ts';
import { isCompleted, withoutQuarantined } from '../core/analysis/series.ts';
import { findBenchmark, loadCatalog } from '../core/plan/catalog/catalog.ts';
import { expandCases, type Choices } from '../core/plan/catalog/expansion.ts';
import { defaultMeasurement } from '../core/plan/catalog/measurement.ts';
import type { OpenEquipment } from '../core/app/run/equipment.ts';
import type { Case } from '../core/model/case.ts';
import type { Presence } from '../core/model/device.ts';
import { firstRoundBlocks } from '../core/model/plan.ts';
import { trialValue } from '../core/model/trial-value.ts';
import type { Trial } from '../core/model/trial.ts';
import { pagesFolder } from '../core/project.ts';
import { measurementByRound } from '../core/run/rounds.ts';
import { runPlan } from '../core/run/runner.ts';
import { timeSameWork } from '../core/setup/surroundings.ts';
import type { Decision } from '../core/analysis/stats/verdict.ts';
import { disturbedShares, foundDevices, planTwins, withRig } from './rig.ts';
import type { BenchRow } from './row.ts';
import { unsteadyRows } from './steady.ts';

const levels = { margin: 0.02, alpha: 0.05 };

const aaCases: readonly (readonly [string, string, Choices])[] = [
  ['control', 'control', {}],
  ['syncFib(23)', 'fib', { function: 'syncFib', n: 23 }],
  ['syncBusyFib(6)', 'fib', { function: 'syncBusyFib', n: 6 }],
  ['asyncFib(20)', 'fib', { function: 'asyncFib', n: 20 }],
];

const aaBlocks = 12;
const added = [
  { percent: 10, blocks: 20 },
  { percent: 5, blocks: 20 },
  { percent: 2, blocks: 40 },
] as const;

/**
 * Measures in every engine how soon the farm decides: each case against itself, and `control` with
 * a known amount added; how far trials of one case spread; and how many trials are called steady
 * though ruptures finds a change in their window. CROSSFARM_DECIDE_DEVICES names the devices.
 */
export async function decideBench(): Promise<readonly BenchRow[]> {
  const wanted = process.env['CROSSFARM_DECIDE_DEVICES']?.split(',') ?? [];
  const devices = await foundDevices(wanted);
  const trials: Trial[] = [];
  const rows = await withRig(async (equipment) => {
    const found: BenchRow[] = [];
    for (const presence of devices) {
      found.push(await machineRow(presence.device.id));
      for (const [name, benchmark, choices] of aaCases) {
        const one = await caseOf(benchmark, choices);
        const seen = await compareTwins(presence, equipment, { a: one, b: one, most: aaBlocks });
        trials.push(...seen.trials);
        found.push(...aaRows(presence.device.id, name, seen));
        console.error(describe(found.slice(-2)));
      }
      for (const { percent, blocks } of added) {
        const a = await caseOf('control', { extraPercent: percent });
        const b = await caseOf('control', {});
        const seen = await compareTwins(presence, equipment, { a, b, most: blocks, stop: true });
        trials.push(...seen.trials);
        found.push(foundRow(`${presence.device.id}: control + ${String(percent)} %`, seen));
        console.error(describe(found.slice(-1)));
      }
    }
    return found;
  });
  await keepSeries(trials);
  return [...rows, ...(await unsteadyRows('decide', trials))];
}

/** Measures the noise of the machine itself, to compare the spread of the trials with. */
async function machineRow(device: string): Promise<BenchRow> {
  const tenths = [...(await timeSameWork())];
  return {
    bench: 'decide',
    figure: `this machine, before ${device}: the same work`,
    ratio: null,
    value: 100 * standardDeviation(tenths.map(Math.log)),
    unit: '% (sd of the log)',
    detail: `${String(tenths.length)} tenths of a second, slowest ${(Math.max(...tenths) / Math.min(...tenths)).toFixed(2)}× the fastest`,
  };
}

function describe(rows: readonly BenchRow[]): string {
  return rows
    .map(
      ({ figure, value, unit, detail }) => `${figure}: ${value.toPrecision(3)} ${unit}, ${detail}`,
    )
    .join('\n');
}

async function caseOf(benchmark: string, choices: Choices): Promise<Case> {
  const [one] = expandCases(findBenchmark(await loadCatalog(pagesFolder()), benchmark), choices);
  if (one === undefined) throw new TypeError(`${benchmark} has no such case`);
  return one;
}

interface Comparison {
  readonly a: Case;
  readonly b: Case;
  readonly most: number;
  /** Stops at the verdict, as `farm compare` does; else all blocks are measured. */
  readonly stop?: boolean;
}

interface FirstDecision {
  readonly pair: Pair;
  readonly trials: readonly Trial[];
  readonly run: RunCircumstances;
  /** The decision of the first look that decided; of the last one if none did. */
  readonly decision: Decision;
  /** From the start of the first trial to that look. */
  readonly seconds: number;
}

async function compareTwins(
  presence: Presence,
  equipment: OpenEquipment,
  { a, b, most, stop = false }: Comparison,
): Promise<FirstDecision> {
  const sizes = { seed: 1, blocks: most, firstRound: firstRoundBlocks };
  const { pair, plan } = planTwins(
    presence,
    { a, b },
    { ...sizes, measurement: defaultMeasurement },
  );
  const began = performance.now();
  const trials: Trial[] = [];
  // As in `farm compare`: the trials of the first round say how long to time in later ones.
  const measurementOf = measurementByRound(plan, trials, {
    window: (sofar) => chooseWindow(plan, pair, sofar),
    listener: {},
  });
  let decided: Pick<FirstDecision, 'decision' | 'seconds'> | null = null;
  const run = runCircumstances(plan);
  for await (const trial of runPlan(plan, { ...equipment, listener: {}, measurementOf })) {
    // One that is quarantined late comes a second time.
    const place = trials.findIndex(({ job }) => job.ordinal === trial.job.ordinal);
    if (place === -1) trials.push(trial);
    else trials[place] = trial;
    if (place !== -1 || !endsRound(plan, trials) || decided !== null) continue;
    const made = decidePair(trials, pair, { ...levels, ...run });
    if (made.kind !== 'decided-on') continue;
    const isLast = trial.job.block === most - 1;
    if (made.decision.verdict === 'undecided' && !isLast) continue;
    decided = { decision: made.decision, seconds: (performance.now() - began) / 1000 };
    if (stop) break;
  }
  if (decided === null) throw new Error(`${presence.device.id} gave no ratio`);
  return { pair, trials, run, ...decided };
}

function aaRows(device: string, name: string, seen: FirstDecision): readonly BenchRow[] {
  const asMeasured = withoutQuarantined(seen.trials)
    .filter(isCompleted)
    .map(({ outcome }) => Math.log(trialValue(outcome.result, seen.pair.metric.id) ?? NaN));
  const pairs = pairValues(seen.trials, seen.pair, seen.run);
  const atOneSpeed = pairs.flatMap(({ a, b }) => [Math.log(a), Math.log(b)]);
  // Of the blocks that were timed for as long as the first round called for.
  const ofBlocks = pairs
    .filter(({ block }) => block >= firstRoundBlocks)
    .map(({ a, b }) => Math.log(a / b));
  const percent = (logValues: readonly number[]): number => 100 * standardDeviation([...logValues]);
  return [
    foundRow(`${device}: ${name} against itself`, seen),
    {
      bench: 'decide',
      figure: `${device}: ${name}, spread between trials`,
      value: percent(atOneSpeed),
      unit: '% (sd of the log)',
      ratio: null,
      detail: `${String(atOneSpeed.length)} trials at one speed of the machine, ${percent(asMeasured).toFixed(2)} % as measured; log ratio of a block after the first round ${percent(ofBlocks).toFixed(2)} %; the machine disturbed ${(100 * median([...disturbedShares(seen.trials)])).toFixed(0)} % of the iterations`,
    },
  ];
}

function foundRow(figure: string, { decision, seconds, trials }: FirstDecision): BenchRow {
  const { verdict, ratio, low, high, blocks } = decision;
  const counted = trials.filter(isCompleted);
  const quarantined = counted.filter(({ outcome }) => outcome.quarantine.length > 0).length;
  return {
    bench: 'decide',
    figure,
    value: blocks,
    unit: 'blocks',
    ratio,
    detail: `${verdict}, ${low?.toFixed(4) ?? '—'} … ${high?.toFixed(4) ?? '—'}, ${seconds.toFixed(1)} s${quarantined > 0 ? `, ${String(quarantined)} trials quarantined` : ''}`,
  };
}

/** Stores the series of every trial for other tools. */
async function keepSeries(trials: readonly Trial[]): Promise<void> {
  const path = resolve('.farm', 'decide-series.json');
  await mkdir(resolve('.farm'), { recursive: true });
  const series = trials.filter(isCompleted).map((trial) => ({
    device: trial.job.deviceId,
    benchmark: trial.job.case.benchmark.id,
    parameters: trial.job.case.parameters,
    quarantine: trial.outcome.quarantine,
    result: trial.outcome.result,
  }));
  await writeFile(path, JSON.stringify(series));
}
