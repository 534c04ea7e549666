/** How a browser explains a difference, in the words of terminal, Markdown and report. */
import type {
  ExplainedMeasure,
  ExplainedPartChange,
  FrameEvidence,
} from '../../harness/core/results/explanations.ts';
import type { Verdict } from '../../harness/core/results/verdicts.ts';
import { npxCrossfarm } from '../../harness/core/model/typed-command.ts';
import { formatThreeDigits, plural } from '../html/number.ts';
import { formatMsChange } from './change.ts';
import type { EarlyLook } from './early-look.ts';

/** How texts of a page are written: escaped, or as code. */
type Quote = (text: string) => string;

/** True where a reader asks for an explanation: the measure differs, or a part of it does. */
export function isNotable(
  { parts }: Pick<ExplainedMeasure, 'parts'>,
  verdict: Verdict | undefined,
): boolean {
  return verdict === 'faster' || verdict === 'slower' || parts.some((part) => part.isSettled);
}

/** Such as `+62 ms (50 … 71)`. */
export function describePartChange(part: ExplainedPartChange): string {
  return part.isSettled ? formatMsChange(part) : 'not settled';
}

/** Counts the blocks without which no part can be settled; 0 where one is, or may be. */
export function countLackingBlocks({ parts, blocks, fewestBlocks }: ExplainedMeasure): number {
  const isOpen = parts.length > 0 && parts.every((part) => !part.isSettled);
  return isOpen ? Math.max(0, fewestBlocks - blocks) : 0;
}

/** Says how many more blocks may settle a part, and what measures them. */
export function adviseMoreBlocks(found: ExplainedMeasure, run: number): EarlyLook | null {
  const more = countLackingBlocks(found);
  if (more === 0) return null;
  const sentence = `${plural(more, 'more block')} may settle a part:`;
  return { sentence, command: `${npxCrossfarm} continue ${String(run)}` };
}

/** Such as `12 → 74 ms`. */
export function describePartLevels({ beforeMs, afterMs }: ExplainedPartChange): string {
  return `${wholeMs(beforeMs)} → ${wholeMs(afterMs)} ms`;
}

/** Describes the element, the input, and the longest frame with its scripts. */
export function describeEvidence(
  { before, after }: Pick<ExplainedMeasure, 'before' | 'after'>,
  quote: Quote,
): readonly string[] {
  const [old, fresh] = [before, after].map(({ element, resource }) =>
    element === null && resource === null
      ? null
      : [element, resource === null ? null : `(${resource})`]
          .filter((one) => one !== null)
          .join(' '),
  );
  const { event } = after;
  const element = joinSides(old ?? null, fresh ?? null, quote);
  const input = event === null ? 'element' : `${quote(event)} on`;
  return [
    ...(element === null ? [] : [`${input} ${element}`]),
    ...describeFrames(before.frame, after.frame, quote),
  ];
}

function joinSides(before: string | null, after: string | null, quote: Quote): string | null {
  if (before === after || before === null || after === null) {
    const one = after ?? before;
    return one === null ? null : quote(one);
  }
  return `${quote(before)} → ${quote(after)}`;
}

/** From this ratio on the frames of both versions are shown. */
const leastChange = 1.1;

function describeFrames(
  before: FrameEvidence | null,
  after: FrameEvidence | null,
  quote: Quote,
): readonly string[] {
  if (after === null) {
    return before === null ? [] : [`no long frame (before ${wholeMs(before.ms)} ms)`];
  }
  const ratio = before === null ? Infinity : after.ms / before.ms;
  const isChanged = ratio >= leastChange || ratio <= 1 / leastChange;
  const was = before === null ? 'none before' : `before ${wholeMs(before.ms)} ms`;
  const counts =
    after.trials < after.of ? ` in ${String(after.trials)} of ${String(after.of)} trials` : '';
  const length = `longest frame ${wholeMs(after.ms)} ms${counts}${isChanged ? ` (${was})` : ''}`;
  return [[length, ...describeScripts(after, quote)].join(', ')];
}

/** The script with most time; of a frame without any, the browser itself did the work. */
function describeScripts({ scripts }: FrameEvidence, quote: Quote): readonly string[] {
  const [first] = scripts;
  if (first === undefined) return ['no script in it'];
  const { name, invoker, ms, layoutMs } = first;
  const caller = invoker === null || name === invoker ? '' : `, called by ${quote(invoker)}`;
  const layout =
    layoutMs >= 1 ? `, ${wholeMs(layoutMs)} ms of that style and layout that it forced` : '';
  return [`${wholeMs(ms)} ms of it in ${quote(name)}${caller}${layout}`];
}

/** Browsers round these times to milliseconds, or more. */
function wholeMs(ms: number): string {
  return ms < 10 ? formatThreeDigits(Number(ms.toFixed(1))) : ms.toFixed(0);
}
