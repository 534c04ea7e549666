import { decidePair } from '../analysis/decisions.ts';
import type { MeasurementRules } from '../model/case.ts';
import {
  controlCase,
  foundDevices,
  planTwins,
  runBlocks,
  shortRules,
  withLaboratory,
} from './laboratory.ts';
import type { BenchRow } from './row.ts';

const margin = 0.01;
const mostBlocks = 120;

/**
 * A window of a second: the samplers fall into it fifty times, and the machine's own noise of a few
 * milliseconds averages out. (Windows of 20 ms differed by 8 % from session to session in Chromium.)
 */
const measurement: MeasurementRules = { ...shortRules, iterations: 2_000, maxTimedMs: 1_000 };

/** A probe must not change what it observes: all default probes on against off, in blocks. */
export async function probesBench(): Promise<readonly BenchRow[]> {
  return withLaboratory(async (equipment) => {
    const rows: BenchRow[] = [];
    const one = await controlCase({ rounds: 30_000 });
    for (const presence of await foundDevices()) {
      const { id } = presence.device;
      const sizes = { seed: 1, blocks: mostBlocks, measurement };
      const { pair, plan } = planTwins(presence, { a: one, b: one }, sizes);
      const decide = (trials: Parameters<typeof decidePair>[0]) =>
        decidePair(trials, pair, { margin, alpha: 0.05 });
      const trials = await runBlocks(
        plan,
        (deviceId) => (deviceId === pair.a.deviceId ? equipment : { ...equipment, probes: [] }),
        (sofar) => {
          const told = decide(sofar);
          return told.kind === 'decided-on' && told.decision.verdict !== 'undecided';
        },
      );
      const told = decide(trials);
      if (told.kind !== 'decided-on') throw new Error(`${id} gave no ratio`);
      const { blocks, verdict, ratio, low, high } = told.decision;
      const reached = Math.max(Math.abs(Math.log(low ?? 0)), Math.abs(Math.log(high ?? Infinity)));
      rows.push({
        bench: 'probes',
        figure: `${id}: probes on / off`,
        value: reached * 100,
        unit: '% margin reached',
        ratio,
        detail: `${verdict} at ± ${String(margin * 100)} % after ${String(blocks)} blocks, interval ${low?.toFixed(4) ?? '—'} … ${high?.toFixed(4) ?? '—'}`,
      });
    }
    return rows;
  });
}
