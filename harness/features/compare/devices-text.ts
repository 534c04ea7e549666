import pc from 'picocolors';
import { cpuTimeText, pairText, rulesText, sidesText } from '../../../reports/comparison-text.ts';
import type { DriverVerdict, Findings } from '../../core/results/index.ts';
import type { CarryOver, Course, PairVerdict } from '../../core/results/verdicts.ts';
import { formatQuantity, formatRatioEstimate, formatShare } from '../../../reports/html/number.ts';
import { driverFigures } from '../../../reports/sections/targets.ts';
import { verdictText } from '../../../reports/wording/verdicts.ts';
import type { ChosenWindow } from '../../core/analysis/chosen-window.ts';
import type { Decision } from '../../core/analysis/stats/verdict.ts';
import { describePair } from '../../core/analysis/decide.ts';
import type { DriverComparison } from './compare-drivers.ts';
import type { Comparison } from './conclude.ts';
import { describeEnding, type EndedComparison, precisionJson } from './ending-text.ts';
import { caseName } from '../../core/model/case.ts';
import { plain } from '../../core/run/progress/plain-text.ts';
import { blocksText } from '../../core/cli/text/text-blocks.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

/** A comparison as it is printed. */
type ShownComparison = Omit<Comparison, 'interrupted' | 'margin'>;

/** The shape of `farm compare --json`: a contract with other tools. */
export function comparisonJson(shown: ShownComparison, margin: number): object {
  const { decision, counted, seed, command, run, pair, stopped, continues, anomaly } = shown;
  const { why, cpuTime, window, findings, notCounted } = shown;
  return {
    ...(decision === null ? noDecision : decisionJson(decision)),
    margin,
    seed,
    command,
    run,
    ...(continues ? { continues: run } : {}),
    ...presetJson(findings),
    a: { device: pair.a.deviceId, case: caseName(pair.a.case) },
    b: { device: pair.b.deviceId, case: caseName(pair.b.case) },
    ...(counted === null ? {} : { withQuarantined: decisionJson(counted) }),
    ...(cpuTime === null
      ? {}
      : { cpuTime: { ...decisionJson(cpuTime), quarantined: notCounted !== null } }),
    ...(notCounted === null ? {} : { notCounted }),
    ended: shown.ended,
    ...precisionJson(endedDevices(shown)),
    ...(stopped.kind === 'vanished' ? { because: stopped.reason } : {}),
    ...(anomaly === null ? {} : { anomaly }),
    why: why.flatMap(({ lines }) => lines),
    carryOver: carryOverOf(findings),
    disturbed: disturbedOf(shown),
    ...(window === null ? {} : { window }),
  };
}

function presetJson({ runs }: Findings): object {
  const preset = runs[0]?.preset;
  return preset === undefined ? {} : { preset };
}

const noDecision = { verdict: 'undecided', ratio: null, low: null, high: null, blocks: 0 };

function decisionJson(decision: Decision | PairVerdict): object {
  const { verdict, ratio, low, high, blocks, significant, relevant, because, moreBlocks } =
    decision;
  return { verdict, ratio, low, high, blocks, significant, relevant, because, moreBlocks };
}

/**
 * The same as text: both sides, the verdict in words, what was seen with it, and how to repeat it; the
 * report's own numbers and words.
 */
export function describeDecision(shown: ShownComparison, columns = Infinity): string {
  const { pair, findings, decision, counted, seed, run, command, anomaly, why } = shown;
  const sideOf = ({ deviceId, case: one }: ShownComparison['pair']['a']) => ({
    targetId: deviceId,
    caseName: caseName(one),
  });
  const sides = { a: sideOf(pair.a), b: sideOf(pair.b) };
  const levels = sidesText(findings, sides, pair.metric.id);
  const side = (letter: 'a' | 'b'): string =>
    [letter, sides[letter].targetId, sides[letter].caseName, levels[letter]].join('  ');
  const lines = [
    side('a'),
    side('b'),
    '',
    decision === null
      ? pc.yellow(
          `undecided: there is no block of which a ratio can be made, because ${plain(whyNone(shown))}`,
        )
      : verdictLine(shown, decision),
    ...(counted === null
      ? []
      : [pc.dim(`with excluded trials counted: ${verdictLine(shown, counted)}`)]),
    ...cpuTimeLine(shown),
    ...stoppedLine(shown),
    ...(why.length === 0 ? [] : [blocksText(why, columns)]),
    pc.dim(
      `${String(decision?.blocks ?? 0)} blocks, ${rulesText(findings.verdicts)}, seed ${String(seed)}, run ${String(run)}`,
    ),
    pc.dim(plain(describeEnding(endedDevices(shown)))),
    ...windowLine(shown.window),
    ...disturbedLine(shown),
    ...carryOverLine(carryOverOf(findings)),
    `again: ${command}`,
    ...(isOpen(shown) ? [`go on: ${npxCrossfarm} continue ${String(run)}`] : []),
    ...(anomaly === null
      ? []
      : [`saved as ${anomaly}: ${npxCrossfarm} findings reproduce ${anomaly}`]),
  ];
  return lines.join('\n');
}

function endedDevices(shown: ShownComparison): EndedComparison {
  const { stopped, decision } = shown;
  const because = stopped.kind === 'vanished' ? stopped.reason : null;
  return { ...shown, because, decisions: decision === null ? [] : [decision] };
}

/** Why no more blocks were measured, unless the line of the verdict has it. */
function stoppedLine({ decision, stopped }: ShownComparison): readonly string[] {
  if (stopped.kind !== 'vanished' || decision === null) return [];
  return [pc.red(plain(stopped.reason))];
}

/** Says why no block has a value of both sides. */
function whyNone({ notCounted, stopped }: ShownComparison): string {
  if (notCounted !== null) return notCounted;
  return stopped.kind === 'vanished' ? stopped.reason : 'no two trials of one block completed';
}

function cpuTimeLine({ cpuTime, findings, notCounted }: ShownComparison): readonly string[] {
  if (cpuTime === null) return [];
  const { word, figures } = cpuTimeText(findings, cpuTime);
  const beside =
    notCounted === null
      ? ''
      : `, with the excluded trials (${String(cpuTime.blocks)} blocks), as it leaves out the work of others`;
  return [`CPU time${beside}: ${pc.bold(word)}: ${figures}`];
}

function windowLine(window: ChosenWindow | null): readonly string[] {
  if (window === null) return [];
  const text = (ms: number): string => formatQuantity(ms, { unit: 'ms', resolution: 0 });
  const { firstMs, thenMs } = window;
  return [pc.dim(`timed for ${text(firstMs)} in the first round, ${text(thenMs)} then`)];
}

function carryOverOf({ verdicts }: Findings): Course['carryOver'] {
  return verdicts.course?.carryOver ?? { a: null, b: null };
}

/**
 * Share of each side's timed iterations that do not count, because the machine ran slower than it
 * can; null where no steady state was searched for.
 */
function disturbedOf({
  pair,
  findings,
}: ShownComparison): Readonly<Record<'a' | 'b', number | null>> {
  const of = ({ deviceId, case: one }: ShownComparison['pair']['a']): number | null =>
    findings.steady?.cells.find(
      (cell) => cell.targetId === deviceId && cell.caseName === caseName(one),
    )?.disturbed ?? null;
  return { a: of(pair.a), b: of(pair.b) };
}

/** Much more of one side would mean that its own threads slow it down. */
function disturbedLine(shown: ShownComparison): readonly string[] {
  const { a, b } = disturbedOf(shown);
  if (a === null || b === null || Math.max(a, b) === 0) return [];
  const shares = `${formatShare(a)} of a, ${formatShare(b)} of b`;
  return [pc.dim(`iterations that the machine slowed down, and that do not count: ${shares}`)];
}

/** Leaves out a side that has too few trials of either kind. */
function carryOverLine({ a, b }: Course['carryOver']): readonly string[] {
  const text = (side: string, other: string, seen: CarryOver | null): readonly string[] => {
    if (seen === null) return [];
    const { ratio, interval } = formatRatioEstimate(seen, 0);
    return [`${side} after ${other} / after itself = ${ratio} (${interval})`];
  };
  const sides = [...text('a', 'b', a), ...text('b', 'a', b)];
  return sides.length === 0 ? [] : [pc.dim(`carry-over: ${sides.join('; ')}`)];
}

/** More blocks of this run could bring a verdict. */
function isOpen({ decision, stopped, precision }: ShownComparison): boolean {
  const isUndecided = (decision?.verdict ?? 'undecided') === 'undecided';
  return stopped.kind === 'go-on' && (isUndecided || precision !== undefined);
}

function verdictLine({ pair, findings }: ShownComparison, decision: Decision): string {
  // The pair of a comparison is alone, so no other difference can put its own in doubt.
  const alone = { ...describePair(pair, decision), discovery: decision.significant };
  const text = pairText(findings, alone);
  return text === null ? decision.verdict : `${pc.bold(text.word)}: ${text.figures}`;
}

interface Row {
  readonly driver: string;
  readonly headless: boolean;
  /** Device id of the same build without automation. */
  readonly against: string;
  readonly verdict: DriverVerdict['verdict'];
  readonly ratio: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly blocks: number;
}

/** The shape of `farm compare --drivers … --json`: a contract with other tools. */
export function driversJson(compared: DriverComparison, margin: number): object {
  const { device, found, missing, seed, command, run } = compared;
  const [first] = found;
  return {
    device,
    browser: first?.target.browser ?? null,
    executable: first?.target.executable ?? null,
    drivers: rowsOf(compared),
    missing: missing.map(({ device: one, reason, remedy }) => ({
      driver: one.driver,
      headless: one.headless,
      reason,
      remedy,
    })),
    margin,
    seed,
    command,
    run,
  };
}

function rowsOf({ entries, found }: DriverComparison): readonly Row[] {
  const devices = new Map(found.map(({ device }) => [device.id, device]));
  return entries.map(({ pair: { a, b }, decision }) => {
    const device = devices.get(a.deviceId);
    const facts = {
      driver: device?.driver ?? a.deviceId,
      headless: device?.headless ?? false,
      against: b.deviceId,
    };
    if (decision.kind !== 'decided-on') {
      return { ...facts, verdict: 'undecided', ratio: null, low: null, high: null, blocks: 0 };
    }
    const { verdict, ratio, low, high, blocks } = decision.decision;
    return { ...facts, verdict, ratio, low, high, blocks };
  });
}

/** The same as a table, with what was left out and how to repeat it. */
export function describeDrivers(compared: DriverComparison, margin: number): string {
  const { found, missing, seed, run, command } = compared;
  const browser = found[0]?.target.browser;
  const rows = rowsOf(compared);
  const width = Math.max(...rows.map(({ driver }) => driver.length));
  return [
    `${browser?.name ?? ''} ${browser?.version ?? ''}, one build under each driver, against the same without automation:`,
    ...rows.map((row) => `  ${row.driver.padEnd(width)}  ${figuresOf(row)}`),
    ...missing.map(({ device, reason }) =>
      pc.yellow(`  ${device.driver.padEnd(width)}  ${shownAs(device.headless)}  ${plain(reason)}`),
    ),
    pc.dim(`margin ± ${String(margin * 100)} %, seed ${String(seed)}, run ${String(run)}`),
    `again: ${command}`,
  ].join('\n');
}

/** As the report's column _Against no automation_ has it. */
function figuresOf({ headless, verdict, ratio, ...bounds }: Row): string {
  const figures = ratio === null ? 'no value' : driverFigures({ ratio, ...bounds });
  return `${shownAs(headless)}  ${pc.bold(verdictText(verdict))}  ${figures.replaceAll('\u00a0', ' ')}`;
}

function shownAs(headless: boolean): string {
  return headless ? 'headless' : 'headed  ';
}
