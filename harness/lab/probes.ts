import { mean } from 'simple-statistics';
import { decidePair } from '../core/analysis/decide.ts';
import { released } from '../core/analysis/series.ts';
import type { Presence } from '../core/model/device.ts';
import type { Plan } from '../core/model/plan.ts';
import type { Trial } from '../core/model/trial.ts';
import { defaultMeasurement } from '../core/plan/catalog/measurement.ts';
import type { Probe } from '../core/probes/probe.ts';
import { runPlan, type Equipment } from '../core/run/runner.ts';
import type { Decision } from '../core/analysis/stats/verdict.ts';
import type { OpenEquipment } from '../core/app/run/equipment.ts';
import { controlCase, disturbedShares, foundDevices, planTwins, withRig } from './rig.ts';
import type { BenchRow } from './row.ts';

/** From the widest to the one that ends the bench. */
const margins = [0.02, 0.015, 0.01, 0.005];
const finest = 0.005;
const mostBlocks = 400;
const blocksPerSession = 10;

/**
 * Compares all default probes on with off, in blocks: a probe must not change what it observes.
 *
 * On and off alternate in random order, on fresh pages of one session, because a machine may run 2
 * % slower in one session than in the next. Durations are compared as measured: their reference
 * work would divide out the probes' effect on both. Nothing is quarantined, because without the
 * probes nothing would be noticed.
 */
export async function probesBench(): Promise<readonly BenchRow[]> {
  return withRig(async (equipment) => {
    const rows: BenchRow[] = [];
    for (const presence of await foundDevices()) {
      if (!canOpenFreshPages(presence)) continue;
      rows.push(await compareProbes(presence, equipment));
    }
    return rows;
  });
}

function canOpenFreshPages({ capabilities }: Presence): boolean {
  return capabilities.some(({ name, supported }) => name === 'freshPage' && supported);
}

async function compareProbes(presence: Presence, equipment: OpenEquipment): Promise<BenchRow> {
  const { id } = presence.device;
  const one = await controlCase({});
  const sizes = { seed: 1, blocks: mostBlocks, measurement: defaultMeasurement };
  const { pair, plan } = planTwins(presence, { a: one, b: one }, sizes);
  const decide = (all: readonly Trial[]) => decidePair(all, pair, { margin: finest, alpha: 0.05 });
  const trials: Trial[] = [];
  /** The blocks after which each margin was reached. */
  const reachedAfter = new Map<number, number>();
  for await (const trial of runPlan(inSharedSessions(plan, id), takingTurns(equipment))) {
    trials.push(released(trial));
    if (trials.length % (2 * blocksPerSession) !== 0) continue;
    const made = decide(trials);
    if (made.kind !== 'decided-on') continue;
    noteReached(reachedAfter, made.decision);
    console.error(`${id}: ${intervalText(made.decision)}`);
    if (made.decision.verdict !== 'undecided') break;
  }
  const made = decide(trials);
  if (made.kind !== 'decided-on') throw new Error(`${id} gave no ratio`);
  const { ratio } = made.decision;
  return {
    bench: 'probes',
    figure: `${id}: probes on / off`,
    value: widthOf(made.decision) * 100,
    unit: '% margin reached',
    ratio,
    detail: `${reachedText(reachedAfter)}; ${intervalText(made.decision)}; iterations set aside as disturbed: ${disturbedText(trials)}`,
  };
}

/**
 * The probes' effect on single iterations would be excluded with the iterations that others slow
 * down.
 */
function disturbedText(trials: readonly Trial[]): string {
  const percent = (twin: string): string => {
    const ofTwin = trials.filter(({ job }) => job.deviceId.endsWith(twin));
    return (100 * mean([...disturbedShares(ofTwin)])).toFixed(1);
  };
  return `${percent('@a')} % with probes, ${percent('@b')} % without`;
}

function intervalText({ blocks, low, high }: Decision): string {
  return `${String(blocks)} blocks, interval ${low?.toFixed(4) ?? '—'} … ${high?.toFixed(4) ?? '—'}`;
}

function reachedText(reachedAfter: ReadonlyMap<number, number>): string {
  const reached = [...reachedAfter].map(
    ([margin, after]) => `± ${String(margin * 100)} % after ${String(after)}`,
  );
  return `equivalent at ${reached.join(', ') || 'no margin'}`;
}

function noteReached(reachedAfter: Map<number, number>, decision: Decision): void {
  for (const margin of margins) {
    const isNew = !reachedAfter.has(margin) && widthOf(decision) <= Math.log1p(margin);
    if (isNew) reachedAfter.set(margin, decision.blocks);
  }
}

/** Returns the margin within which the whole interval lies, as |ln|. */
function widthOf({ low, high }: Decision): number {
  return Math.max(Math.abs(Math.log(low ?? 0)), Math.abs(Math.log(high ?? Infinity)));
}

/** Puts both twins into one session, ten blocks in each. */
function inSharedSessions(plan: Plan, id: string): Plan {
  const jobs = plan.jobs.map((job) => ({
    ...job,
    sessionKey: `${id}/${String(Math.floor(job.block / blocksPerSession))}`,
  }));
  return { ...plan, jobs, isolation: 'page', repeatQuarantined: false };
}

/** Switches the probes on for the trials of the first twin alone. */
function takingTurns(equipment: OpenEquipment): Equipment {
  let watching = false;
  const switched = (probe: Probe): Probe => ({
    name: probe.name,
    supports: () => (watching ? probe.supports() : { supported: false, because: 'it is off' }),
    attach: (session) => probe.attach(session),
  });
  return {
    ...equipment,
    probes: equipment.probes.map(switched),
    listener: { onTrialStarted: ({ job }) => (watching = job.deviceId.endsWith('@a')) },
  };
}
