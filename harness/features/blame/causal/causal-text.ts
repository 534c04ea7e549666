import pc from 'picocolors';
import { formatQuantity, formatThreeDigits } from '../../../../reports/html/number.ts';
import { drawTable } from '../../../core/cli/text/draw-table.ts';
import { plain } from '../../../core/run/progress/plain-text.ts';
import type { CausalFacts } from '../../../core/results/index.ts';
import { browserOf } from '../../compare/look-text.ts';
import type { Causal } from './causal.ts';
import { nameOfPlace } from '../profile/sources/instrument.ts';
import { formatSlope, wantedPrecision } from './slope.ts';
import type { BrowserSlopes, FunctionSlope } from './versions.ts';

/** The slopes for a terminal: a table for each browser, those first that can save most. */
export async function describeCausal(
  { browsers, notDelayed, compared }: Causal,
  columns = Infinity,
): Promise<string> {
  const parts = await Promise.all(
    browsers.map(async (found) => {
      const { deviceId, metric, value } = found;
      const isProfiled = found.functions.some(({ called }) => called.selfMs !== null);
      const rows = byGain(found).map((one) => [
        plain(nameOfPlace(one.called)),
        formatThreeDigits(one.called.calls),
        ...(isProfiled ? [`${formatThreeDigits(one.called.selfMs ?? 0)} ms`] : []),
        formatSlope(one),
        describeSlope(one),
      ]);
      const head = ['function', 'calls', ...(isProfiled ? ['own time'] : [])];
      const typical = formatQuantity(value, { unit: metric.unit, resolution: 0 });
      return [
        pc.bold(
          `${plain(metric.title)} in ${browserOf(compared, deviceId)}: ${typical} without a delay`,
        ),
        await drawTable(
          {
            head: [...head, `${metric.unit} for each ms in it`, ''],
            rows,
            align: ['left', ...head.slice(1).map(() => 'right' as const), 'left', 'left'],
          },
          columns,
        ),
        ...describeMisleading(found),
      ].join('\n');
    }),
  );
  const rest =
    notDelayed > 0
      ? [
          pc.dim(
            `${String(notDelayed)} other functions are called; --function chooses them by name`,
          ),
        ]
      : [];
  return [...parts, ...rest].join('\n');
}

/** Computes the gain of a function that takes no time, if its slope stays; its slope without a profile. */
function computeGain({ called, value }: FunctionSlope): number {
  return value * (called.selfMs ?? 1);
}

function byGain({ functions }: BrowserSlopes): readonly FunctionSlope[] {
  return functions.toSorted((one, other) => computeGain(other) - computeGain(one));
}

/** A profile shows the time of a function, and not whether anything waits for it. */
function describeMisleading({ functions }: BrowserSlopes): readonly string[] {
  const busy = functions.toSorted((a, b) => (b.called.selfMs ?? 0) - (a.called.selfMs ?? 0));
  const [first, ...others] = busy;
  const counts = ({ low }: FunctionSlope): boolean => low !== null && low > wantedPrecision;
  const isIdle = typeof first?.high === 'number' && first.high < 2 * wantedPrecision;
  if (first === undefined || first.called.selfMs === null || !isIdle || !others.some(counts)) {
    return [];
  }
  return [
    `A profile shows ${plain(first.called.name)} first, and a faster one would bring nothing.`,
  ];
}

function describeSlope({ low, high, isLine, bend, called, blocks }: FunctionSlope): string {
  if (low === null || high === null) return `undecided after ${String(blocks)} blocks`;
  if (!isLine) {
    return (bend?.value ?? 0) > 0
      ? 'no line: it begins to cost once it is slower'
      : 'no line: it costs less once it is slower';
  }
  if (high - low > 4 * wantedPrecision) return 'undecided';
  if (low <= 0 && high >= 0) {
    return called.isInOperation ? 'nothing waits for it' : 'nothing waits for it: called later';
  }
  return Math.abs((low + high) / 2 - 1) <= wantedPrecision ? 'all of its time counts' : '';
}

/** Picks what the report of the run shows. */
export function makeCausalFacts(
  { browsers, compared, notDelayed }: Causal,
  page: string,
): CausalFacts {
  return {
    run: compared.run,
    command: compared.command,
    page,
    notDelayed,
    browsers: browsers.map((found) => ({
      browser: found.deviceId,
      measure: found.metric.title,
      unit: found.metric.unit,
      value: found.value,
      functions: byGain(found).map((one) => ({
        name: nameOfPlace(one.called),
        calls: one.called.calls,
        selfMs: one.called.selfMs,
        slope: one.value,
        low: one.low,
        high: one.high,
        isLine: one.isLine,
        meaning: describeSlope(one),
        points: one.points,
      })),
    })),
  };
}

/** The shape of `crossfarm causal --json`: a contract with other tools. */
export function causalJson({ browsers, compared, notDelayed, unread }: Causal): object {
  const { run, command, seed } = compared;
  return {
    run,
    seed,
    command,
    notDelayed,
    unread,
    browsers: browsers.map((found) => ({
      browser: found.deviceId,
      measure: found.metric.title,
      unit: found.metric.unit,
      value: found.value,
      functions: byGain(found).map(({ called, value, low, high, ...one }) => ({
        name: called.name,
        file: called.file,
        line: called.line,
        column: called.column,
        calls: called.calls,
        selfMs: called.selfMs,
        slope: value,
        low,
        high,
        isLine: one.isLine,
        bend: one.bend,
        delaysMs: one.delaysMs,
        blocks: one.blocks,
      })),
    })),
  };
}
