import { formatPercent } from '../../reports/html/number.ts';
import { decidePair } from '../core/analysis/decide.ts';
import { type Pair, type RunCircumstances, runCircumstances } from '../core/analysis/pairs.ts';
import { stopState } from '../core/analysis/stopping.ts';
import type { Trial } from '../core/model/trial.ts';
import { rateInterval } from '../core/analysis/stats/rate-interval.ts';
import { controlCase, foundDevices, planTwins, runBlocks, withRig } from './rig.ts';
import type { BenchRow } from './row.ts';

const comparisons = 40;
const blocksEach = 20;
const rules = { margin: 0.02, alpha: 0.05 };

/**
 * Measures in real browsers the rate of false alarms (the first found browser against itself, with
 * a look after every block), and the blocks until 10 % more work is found, set by a page parameter,
 * in every engine.
 */
export async function aaBench(): Promise<readonly BenchRow[]> {
  return withRig(async (equipment) => {
    const devices = await foundDevices();
    const same = await controlCase({ rounds: 300_000 });
    const more = await controlCase({ rounds: 300_000, extraPercent: 10 });
    const rows: BenchRow[] = [];

    for (const presence of devices) {
      const { pair, plan } = planTwins(presence, { a: more, b: same }, { seed: 1, blocks: 60 });
      const trials = await runBlocks(
        plan,
        () => equipment,
        (sofar) =>
          stopState(sofar, [pair], { ...rules, ...runCircumstances(plan) }).kind !== 'go-on',
      );
      rows.push(foundRow(presence.device.id, trials, pair));
    }

    const first = devices[0];
    if (first === undefined) return rows;
    let alarms = 0;
    for (let seed = 1; seed <= comparisons; seed += 1) {
      const { pair, plan } = planTwins(first, { a: same, b: same }, { seed, blocks: blocksEach });
      const trials = await runBlocks(
        plan,
        () => equipment,
        () => false,
      );
      if (everAlarmed(trials, pair, runCircumstances(plan))) alarms += 1;
      console.error(`A/A ${String(seed)}/${String(comparisons)}: ${String(alarms)} false alarms`);
    }
    return [...rows, alarmRow(first.device.id, alarms)];
  });
}

/** Returns whether any look reported a difference: a later look does not take an alarm back. */
function everAlarmed(trials: readonly Trial[], pair: Pair, run: RunCircumstances): boolean {
  return Array.from({ length: blocksEach }, (_, look) => look).some((look) => {
    const seen = trials.filter((trial) => trial.job.block <= look);
    const made = decidePair(seen, pair, { ...rules, ...run });
    return made.kind === 'decided-on' && made.decision.significant;
  });
}

function foundRow(device: string, trials: readonly Trial[], pair: Pair): BenchRow {
  const made = decidePair(trials, pair, rules);
  if (made.kind !== 'decided-on') throw new Error(`${device} gave no ratio`);
  const { blocks, verdict, ratio, low, high } = made.decision;
  return {
    bench: 'aa',
    figure: `${device}: 10 % more work`,
    value: blocks,
    unit: 'blocks',
    ratio,
    detail: `${verdict}, interval ${low?.toFixed(3) ?? '—'} … ${high?.toFixed(3) ?? '—'}`,
  };
}

function alarmRow(device: string, alarms: number): BenchRow {
  const { low, high } = rateInterval({ count: alarms, of: comparisons });
  return {
    bench: 'aa',
    figure: `${device} against itself, false alarms`,
    value: (100 * alarms) / comparisons,
    unit: '%',
    ratio: null,
    detail: `${String(alarms)} of ${String(comparisons)} comparisons of ${String(blocksEach)} blocks, 95 % interval ${formatPercent(low, 1)} … ${formatPercent(high, 1)}`,
  };
}
