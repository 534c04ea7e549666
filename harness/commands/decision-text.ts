import { median } from 'simple-statistics';
import pc from 'picocolors';
import { pairValues, type Pair } from '../analysis/decisions.ts';
import type { Standing } from '../analysis/sequential.ts';
import { caseName } from '../model/case.ts';
import type { Trial } from '../model/trial.ts';
import { plain } from '../progress/terminal.ts';
import type { Decision } from '../stats/verdict.ts';

/** What a comparison came to, for a person and for a script. */
export interface Told {
  /** Null when not one block held a value of both sides. */
  readonly decision: Decision | null;
  /** The same with quarantined trials counted; null when there were none. */
  readonly counted: Decision | null;
  readonly pair: Pair;
  readonly trials: readonly Trial[];
  readonly seed: number;
  readonly command: string;
  readonly run: number;
  readonly stopped: Standing;
  /** Id under which the finding was saved; null when it was not. */
  readonly anomaly: string | null;
}

/** The shape of `farm compare --json`: a contract with other tools. */
export function comparisonJson(told: Told, margin: number): object {
  const { decision, counted, seed, command, run, pair, stopped, anomaly } = told;
  return {
    ...(decision === null ? noDecision : decisionJson(decision)),
    margin,
    seed,
    command,
    run,
    a: { device: pair.a.deviceId, case: caseName(pair.a.case) },
    b: { device: pair.b.deviceId, case: caseName(pair.b.case) },
    ...(counted === null ? {} : { withQuarantined: decisionJson(counted) }),
    ...(stopped.kind === 'vanished' ? { because: stopped.reason } : {}),
    ...(anomaly === null ? {} : { anomaly }),
  };
}

const noDecision = { verdict: 'undecided', ratio: null, low: null, high: null, blocks: 0 };

function decisionJson(decision: Decision): object {
  const { verdict, ratio, low, high, blocks, significant, relevant, because, moreBlocks } =
    decision;
  return { verdict, ratio, low, high, blocks, significant, relevant, because, moreBlocks };
}

/** The same as text: both sides, the verdict in words, and how to repeat it. */
export function describeDecision(told: Told, margin: number): string {
  const { pair, trials, decision, counted, stopped, seed, run, command, anomaly } = told;
  const values = pairValues(trials, pair);
  const middle = (pick: 'a' | 'b'): string =>
    values.length === 0
      ? 'no value'
      : `median ${median(values.map((one) => one[pick])).toPrecision(3)} ${pair.metric.unit}`;
  const lines = [
    `a  ${pair.a.deviceId}  ${caseName(pair.a.case)}  ${middle('a')}`,
    `b  ${pair.b.deviceId}  ${caseName(pair.b.case)}  ${middle('b')}`,
    '',
    decision === null
      ? pc.yellow('undecided: there is no block of which a ratio can be made')
      : verdictLine(decision),
    ...(counted === null
      ? []
      : [pc.dim(`with quarantined trials counted: ${verdictLine(counted)}`)]),
    ...(stopped.kind === 'vanished' ? [pc.red(plain(stopped.reason))] : []),
    pc.dim(
      `${String(values.length)} blocks, margin ± ${percent(margin)}, seed ${String(seed)}, run ${String(run)}`,
    ),
    `again: ${command}`,
    `see it: npx farm report ${String(run)}`,
    ...(anomaly === null ? [] : [`saved as ${anomaly}: npx farm reproduce ${anomaly}`]),
  ];
  return lines.join('\n');
}

function verdictLine(decision: Decision): string {
  const { verdict, ratio, low, high, confidence } = decision;
  const interval =
    low === null || high === null
      ? 'no interval yet'
      : `${low.toPrecision(4)} … ${high.toPrecision(4)}, ${percent(confidence)} at every look`;
  const figures = `a / b = ${ratio.toPrecision(4)} (${interval})`;
  switch (verdict) {
    case 'faster':
    case 'slower':
      return `${pc.bold(verdict)}: ${figures}${decision.relevant ? '' : '; not shown to be larger than the margin'}`;
    case 'equivalent':
      return `${pc.bold('equivalent')}: ${figures}${decision.significant ? '; there is a difference, smaller than the margin' : ''}`;
    case 'undecided':
      return `${pc.bold('undecided')}: ${figures}; ${whyUndecided(decision)}`;
  }
}

function whyUndecided({ because, moreBlocks }: Decision): string {
  if (because === 'no-constant-ratio') {
    return 'no single ratio fits all blocks: it changed while it was measured';
  }
  if (moreBlocks === null) return 'more blocks cannot be expected to decide it';
  return `about ${String(moreBlocks)} more blocks would`;
}

function percent(share: number): string {
  return `${String(Number((share * 100).toPrecision(3)))} %`;
}
