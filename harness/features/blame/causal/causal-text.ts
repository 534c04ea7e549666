import pc from 'picocolors';
import { formatQuantity, formatThreeDigits } from '../../../../reports/html/number.ts';
import { drawTable } from '../../../core/cli/text/draw-table.ts';
import { plain } from '../../../core/run/progress/plain-text.ts';
import { browserOf } from '../../compare/look-text.ts';
import type { BrowserSlopes, Causal, FunctionSlope } from './causal.ts';
import { nameOfPlace } from './instrument.ts';

/** The slopes for a terminal: a table for each browser, those first whose time costs most. */
export async function describeCausal(
  { browsers, notDelayed, compared }: Causal,
  columns = Infinity,
): Promise<string> {
  const parts = await Promise.all(
    browsers.map(async (found) => {
      const { deviceId, metric, value } = found;
      const rows = bySlope(found).map((one) => [
        plain(nameOfPlace(one.called)),
        formatThreeDigits(one.called.calls),
        formatSlope(one),
        describeSlope(one),
      ]);
      const typical = formatQuantity(value, { unit: metric.unit, resolution: 0 });
      return [
        pc.bold(
          `${plain(metric.title)} in ${browserOf(compared, deviceId)}: ${typical} without a delay`,
        ),
        await drawTable(
          {
            head: ['function', 'calls', `${metric.unit} for each ms in it`, ''],
            rows,
            align: ['left', 'right', 'left', 'left'],
          },
          columns,
        ),
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

function bySlope({ functions }: BrowserSlopes): readonly FunctionSlope[] {
  return functions.toSorted((one, other) => other.value - one.value);
}

function formatSlope({ value, low, high }: FunctionSlope): string {
  const short = (one: number): string => one.toFixed(2).replace('-', '−');
  return low === null || high === null
    ? `${short(value)} (any is possible)`
    : `${short(value)} (${short(low)} … ${short(high)})`;
}

/** A slope that differs from 0 or 1 by no more than this is called none or all. */
const near = 0.1;

function describeSlope({ low, high, isLine, bend, called, blocks }: FunctionSlope): string {
  if (low === null || high === null) return `undecided after ${String(blocks)} blocks`;
  if (!isLine) {
    return (bend?.value ?? 0) > 0
      ? 'no line: it begins to cost once it is slower'
      : 'no line: it costs less once it is slower';
  }
  if (high - low > 4 * near) return 'undecided';
  if (low <= 0 && high >= 0) {
    return called.isInOperation ? 'nothing waits for it' : 'nothing waits for it: called later';
  }
  return Math.abs((low + high) / 2 - 1) <= near ? 'all of its time counts' : '';
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
      functions: bySlope(found).map(({ called, value, low, high, ...one }) => ({
        name: called.name,
        file: called.file,
        line: called.line,
        column: called.column,
        calls: called.calls,
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
