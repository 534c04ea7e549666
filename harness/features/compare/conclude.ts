import type { Findings } from '../../core/results/index.ts';
import type { PairVerdict } from '../../core/results/verdicts.ts';
import type { TextBlock } from '../../../reports/comparison-text.ts';
import { cpuTimeBesideOthers, whyNotCounted } from '../../core/analysis/busy-machine.ts';
import { type ChosenWindow, usedWindow } from '../../core/analysis/chosen-window.ts';
import { decidePair, type PairDecision } from '../../core/analysis/decide.ts';
import { type Pair, runCircumstances } from '../../core/analysis/pairs.ts';
import { parseErrorRate } from '../../core/analysis/run-pairs.ts';
import { describeRun } from '../../core/analysis/findings.ts';
import type { StopState } from '../../core/analysis/stopping.ts';
import type { Decision } from '../../core/analysis/stats/verdict.ts';
import { caseName } from '../../core/model/case.ts';
import type { Plan } from '../../core/model/plan.ts';
import { isQuarantined, type Trial } from '../../core/model/trial.ts';
import { farmVersion } from '../../core/project.ts';
import type { Ending } from '../../core/app/run/block-watch.ts';
import { readRecord } from '../../core/app/records.ts';
import { countBlocks } from './ending-text.ts';
import { saveAnomaly } from '../../core/app/anomalies.ts';

/** Two sides as they were measured, in one go or in several. */
interface MeasuredSides {
  readonly run: number;
  readonly interrupted: boolean;
  readonly trials: readonly Trial[];
  readonly plan: Pick<Plan, 'seed' | 'measurement' | 'presences' | 'jobs' | 'firstRound'>;
  readonly pair: Pair;
  /** Null when not one block held a value of both sides. */
  readonly decision: Decision | null;
  /** Repeats all of it. */
  readonly command: string;
  readonly margin: number;
  /** As it was asked for. */
  readonly precision?: number | undefined;
  readonly stopped: StopState;
  readonly ended: Ending;
  /** It continued a stored run. */
  readonly continues: boolean;
}

/** Result of a comparison. */
export interface Comparison extends Omit<MeasuredSides, 'plan' | 'trials'> {
  /** Blocks of which a trial was carried out. */
  readonly blocks: number;
  /** The decision with quarantined trials counted; null when there were none. */
  readonly counted: Decision | null;
  readonly seed: number;
  /** Why most blocks do not count; null where they do. Then CPU time is of quarantined trials, too. */
  readonly notCounted: string | null;
  /** By the CPU time of the measuring thread; null where it is not known of both sides. */
  readonly cpuTime: PairVerdict | null;
  /** How long trials were timed after the first round; null where it stayed as it was. */
  readonly window: ChosenWindow | null;
  /** Id under which the finding was saved; null when it was not. */
  readonly anomaly: string | null;
  /** Observations with a difference, as the report words them; perhaps empty. */
  readonly why: readonly TextBlock[];
  /** Those of the run's report, so that the same numbers are shown. */
  readonly findings: Findings;
}

interface Concluding {
  readonly database: string;
  /** Sentence about the finding, to save it as an anomaly. */
  readonly save?: string | undefined;
}

/** Describes a decision, and what was seen with the difference. */
export async function concludeComparison(
  { plan, trials, ...measured }: MeasuredSides,
  { database, save: sentence }: Concluding,
): Promise<Comparison> {
  const { run, pair, decision, margin, command } = measured;
  const rules = { margin, alpha: parseErrorRate(command), ...runCircumstances(plan) };
  const counted = trials.some(isQuarantined)
    ? decisionOf(decidePair(trials, pair, { ...rules, quarantined: 'counted' }))
    : null;
  const notCounted = whyNotCounted(trials, pair);
  const { seed, measurement, presences } = plan;
  const finding = { pair, decision, run, measurement, presences, database };
  const anomaly = sentence === undefined ? null : await saveAnomaly({ ...finding, sentence });
  const writing = { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
  const findings = describeRun(await readRecord(run, database), writing);
  const { whyText } = await import('../../../reports/comparison-text.ts');
  return {
    ...measured,
    blocks: countBlocks(trials),
    counted,
    seed,
    anomaly,
    findings,
    why: await whyText(findings),
    notCounted,
    cpuTime:
      notCounted === null
        ? cpuTimeOfPair(findings, pair)
        : cpuTimeBesideOthers(trials, pair, rules),
    window: usedWindow(plan, pair, trials),
  };
}

function decisionOf(decided: PairDecision): Decision | null {
  return decided.kind === 'decided-on' ? decided.decision : null;
}

/**
 * Finds the verdict on the CPU time of a pair, which stands in the report's section on the steady
 * state; null where it is not known of both sides.
 */
export function cpuTimeOfPair({ steady }: Findings, { a, b }: Pair): PairVerdict | null {
  const isSide = (one: PairVerdict['a'], { deviceId, case: own }: Pair['a']): boolean =>
    one.targetId === deviceId && one.caseName === caseName(own);
  const found = steady?.verdicts.find(
    (one) => one.metric === 'CPU time' && isSide(one.a, a) && isSide(one.b, b),
  );
  return found ?? null;
}
