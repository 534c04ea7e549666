import pc from 'picocolors';
import type { Findings, PairVerdict } from '../../../reports/findings.ts';
import { formatQuantity, formatRatioEstimate } from '../../../reports/html/number.ts';
import {
  cpuTimeText,
  pairText,
  rulesText,
  sideText,
  type TextBlock,
} from '../../../reports/wording/comparison-text.ts';
import type { CarryOver, CarryOvers } from '../../analysis/carry-over.ts';
import type { ChosenWindow } from '../../analysis/chosen-window.ts';
import type { Pair } from '../../analysis/decisions.ts';
import type { Standing } from '../../analysis/sequential.ts';
import { describePair } from '../../analysis/verdicts.ts';
import { caseName } from '../../model/case.ts';
import { plain } from '../../run/progress/terminal.ts';
import type { Decision } from '../../analysis/stats/verdict.ts';
import { blocksText } from './text-blocks.ts';

/** What a comparison came to, for a person and for a script. */
export interface Told {
  /** Null when not one block held a value of both sides. */
  readonly decision: Decision | null;
  /** The same with quarantined trials counted; null when there were none. */
  readonly counted: Decision | null;
  readonly pair: Pair;
  readonly seed: number;
  readonly command: string;
  readonly run: number;
  readonly stopped: Standing;
  /** It went on with a stored run. */
  readonly continues: boolean;
  /** By the CPU time of the measuring thread; null where it is not known of both sides. */
  readonly cpuTime: PairVerdict | null;
  /** What trials were timed for after the first round; null where it stayed as it was. */
  readonly window: ChosenWindow | null;
  /** What a trial left behind for the next. */
  readonly carryOver: CarryOvers;
  /** Id under which the finding was saved; null when it was not. */
  readonly anomaly: string | null;
  /** What was seen with a difference, as the report says it; empty where there is none. */
  readonly why: readonly TextBlock[];
}

/** The shape of `farm compare --json`: a contract with other tools. */
export function comparisonJson(told: Told, margin: number): object {
  const { decision, counted, seed, command, run, pair, stopped, continues, anomaly } = told;
  const { why, carryOver, cpuTime, window } = told;
  return {
    ...(decision === null ? noDecision : decisionJson(decision)),
    margin,
    seed,
    command,
    run,
    ...(continues ? { continues: run } : {}),
    a: { device: pair.a.deviceId, case: caseName(pair.a.case) },
    b: { device: pair.b.deviceId, case: caseName(pair.b.case) },
    ...(counted === null ? {} : { withQuarantined: decisionJson(counted) }),
    ...(cpuTime === null ? {} : { cpuTime: decisionJson(cpuTime) }),
    ...(stopped.kind === 'vanished' ? { because: stopped.reason } : {}),
    ...(anomaly === null ? {} : { anomaly }),
    why: why.flatMap(({ lines }) => lines),
    carryOver,
    ...(window === null ? {} : { window }),
  };
}

const noDecision = { verdict: 'undecided', ratio: null, low: null, high: null, blocks: 0 };

function decisionJson(decision: Decision | PairVerdict): object {
  const { verdict, ratio, low, high, blocks, significant, relevant, because, moreBlocks } =
    decision;
  return { verdict, ratio, low, high, blocks, significant, relevant, because, moreBlocks };
}

/** With what the report of the run says: the text takes its numbers from there. */
export interface ToldWithFindings extends Told {
  readonly findings: Findings;
}

/**
 * The same as text: both sides, the verdict in words, what was seen with it, and how to repeat it; the
 * report's own numbers and words.
 */
export function describeDecision(told: ToldWithFindings, columns = Infinity): string {
  const { pair, findings, decision, counted, stopped, seed, run, command, anomaly, why } = told;
  const side = (letter: 'a' | 'b'): string => {
    const { deviceId, case: one } = pair[letter];
    const name = caseName(one);
    const middle = sideText(findings, { targetId: deviceId, caseName: name }, pair.metric.id);
    return `${letter}  ${deviceId}  ${name}  ${middle}`;
  };
  const lines = [
    side('a'),
    side('b'),
    '',
    decision === null
      ? pc.yellow('undecided: there is no block of which a ratio can be made')
      : verdictLine(told, decision),
    ...(counted === null
      ? []
      : [pc.dim(`with quarantined trials counted: ${verdictLine(told, counted)}`)]),
    ...cpuTimeLine(told),
    ...(stopped.kind === 'vanished' ? [pc.red(plain(stopped.reason))] : []),
    ...(why.length === 0 ? [] : [blocksText(why, columns)]),
    pc.dim(
      `${String(decision?.blocks ?? 0)} blocks, ${rulesText(findings.verdicts)}, seed ${String(seed)}, run ${String(run)}`,
    ),
    ...windowLine(told.window),
    ...carryOverLine(told.carryOver),
    `again: ${command}`,
    ...(isOpen(told) ? [`go on: npx farm compare --continue ${String(run)}`] : []),
    `see it: npx farm report ${String(run)}`,
    ...(anomaly === null ? [] : [`saved as ${anomaly}: npx farm reproduce ${anomaly}`]),
  ];
  return lines.join('\n');
}

/**
 * The verdict on the CPU time of a pair, which stands in the report's section on the steady state;
 * null where it is not known of both sides.
 */
export function cpuTimeOfPair({ steady }: Findings, { a, b }: Pair): PairVerdict | null {
  const isSide = (one: PairVerdict['a'], { deviceId, case: own }: Pair['a']): boolean =>
    one.targetId === deviceId && one.caseName === caseName(own);
  const found = steady?.verdicts.find(
    (one) => one.metric === 'CPU time' && isSide(one.a, a) && isSide(one.b, b),
  );
  return found ?? null;
}

function cpuTimeLine({ cpuTime, findings }: ToldWithFindings): readonly string[] {
  if (cpuTime === null) return [];
  const { word, figures } = cpuTimeText(findings, cpuTime);
  return [`CPU time: ${pc.bold(word)}: ${figures}`];
}

function windowLine(window: ChosenWindow | null): readonly string[] {
  if (window === null) return [];
  const text = (ms: number): string => formatQuantity(ms, { unit: 'ms', resolution: 0 });
  const { firstMs, thenMs } = window;
  return [pc.dim(`timed for ${text(firstMs)} in the first round, ${text(thenMs)} then`)];
}

/** Nothing is said of a side that has too few trials of either kind. */
function carryOverLine({ a, b }: CarryOvers): readonly string[] {
  const text = (side: string, other: string, seen: CarryOver | null): readonly string[] => {
    if (seen === null) return [];
    const { ratio, interval } = formatRatioEstimate(seen, 0);
    return [`${side} after ${other} / after itself = ${ratio} (${interval})`];
  };
  const sides = [...text('a', 'b', a), ...text('b', 'a', b)];
  return sides.length === 0 ? [] : [pc.dim(`carry-over: ${sides.join('; ')}`)];
}

/** More blocks could bring a verdict. */
function isOpen({ decision, stopped }: Told): boolean {
  return stopped.kind === 'go-on' && (decision?.verdict ?? 'undecided') === 'undecided';
}

function verdictLine({ pair, findings }: ToldWithFindings, decision: Decision): string {
  // The pair of a comparison is alone, so no other difference can put its own in doubt.
  const alone = { ...describePair(pair, decision), discovery: decision.significant };
  const text = pairText(findings, alone);
  return text === null ? decision.verdict : `${pc.bold(text.word)}: ${text.figures}`;
}
