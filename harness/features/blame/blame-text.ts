import pc from 'picocolors';
import { formatThreeDigits } from '../../../reports/html/number.ts';
import { codeSpan, escapedMarkdown } from '../../core/cli/text/markdown.ts';
import { plain } from '../../core/run/progress/plain-text.ts';
import type { BlameResult, VersionBlame } from './measure-blame.ts';
import { type BlameRow, othersKey } from './statistics/blame.ts';

/** Rows that are shown; more are counted. */
const mostRows = 8;

/** The functions that made the difference, for a terminal. */
export function describeBlame({ found, notProfiled, profiledRuns }: BlameResult): string {
  const parts = found.map((one) => {
    const settled = one.rows.filter(({ isSettled }) => isSettled);
    const rows = settled.slice(0, mostRows).map((row) => `  ${describeRow(row, one, plain)}`);
    return [
      pc.bold(plain(`${one.after} against ${one.before} in ${one.deviceId}`)),
      `  ${describeTotal(one)}`,
      ...rows,
      `  ${describeRest(settled.length)}`,
    ].join('\n');
  });
  const runs = pc.dim(`profiles: run ${profiledRuns.map(String).join(', ')}`);
  return [...parts, ...notProfiled.map((one) => pc.yellow(plain(one))), runs].join('\n');
}

/** At most three lines for each version, to stand below a verdict. */
export function blameMarkdown({ found }: BlameResult): string {
  return found
    .map((one) => {
      const settled = one.rows.filter(({ isSettled }) => isSettled);
      const [first] = settled;
      const where = escapedMarkdown(`${one.after} in ${one.deviceId}`);
      if (first === undefined)
        return `${where}: no function is settled after ${String(one.blocks)} blocks.`;
      const shown = settled.slice(0, 2).map((row) => describeRow(row, one, codeSpan));
      return [`${where}:`, ...shown.map((line) => `- ${line}`)].join('\n');
    })
    .join('\n');
}

function describeTotal({ total, blocks }: VersionBlame): string {
  const change = total.isDecided ? formatChange(total) : 'not decided';
  return `whole operation: ${change}, ${String(blocks)} profiled blocks`;
}

function describeRest(settled: number): string {
  if (settled === 0) return 'no function is settled';
  return settled > mostRows
    ? `${String(settled - mostRows)} more are settled`
    : 'nothing else is settled';
}

/** Such as `parseRow (table.js:120): +8.1 ms (6.9 … 9.4), 74 % of the difference`. */
function describeRow(
  row: BlameRow,
  { places, shortFunctions }: VersionBlame,
  quote: (text: string) => string,
): string {
  const share =
    row.share === null ? '' : `, ${String(Math.round(100 * row.share))} % of the difference`;
  return `${quote(nameRow(row, places, shortFunctions))}: ${formatChange(row)}${share}`;
}

function nameRow(
  { key, members }: BlameRow,
  places: VersionBlame['places'],
  shortFunctions: number,
): string {
  if (key === othersKey) return `${String(shortFunctions)} short functions together`;
  const place = places.get(key);
  if (place === undefined) return key;
  const { name, url, line, category } = place;
  if (category !== 'script') return kinds[category] ?? category;
  const file = url.split('/').at(-1) ?? url;
  const others = members.length > 1 ? ` with ${String(members.length - 1)} inlined` : '';
  return `${name === '' ? 'anonymous' : name} (${file}:${String(line)})${others}`;
}

const kinds: Readonly<Record<string, string>> = {
  gc: 'garbage collection',
  compiler: 'compiling',
  layout: 'layout',
  style: 'style',
  paint: 'painting',
  native: 'the browser itself',
};

function formatChange({
  changeMs,
  low,
  high,
}: Pick<BlameRow, 'changeMs' | 'low' | 'high'>): string {
  const size = (ms: number): string => `${ms < 0 ? '−' : ''}${formatThreeDigits(Math.abs(ms))}`;
  const interval = low === null || high === null ? '' : ` (${size(low)} … ${size(high)})`;
  return `${changeMs > 0 ? '+' : ''}${size(changeMs)} ms${interval}`;
}

/** The shape of `crossfarm blame --json`: a contract with other tools. */
export function blameJson({ run, profiledRuns, found, notProfiled }: BlameResult): object {
  return {
    run,
    profiledRuns,
    notProfiled,
    comparisons: found.map(({ deviceId, before, after, total, blocks, rows, ...one }) => ({
      browser: deviceId,
      version: after,
      against: before,
      blocks,
      total,
      functions: rows
        .filter((row, index) => row.isSettled || index < mostRows)
        .map((row) => {
          const place = one.places.get(row.key);
          return {
            name: nameRow(row, one.places, one.shortFunctions),
            url: place?.url ?? null,
            line: place?.line ?? null,
            settled: row.isSettled,
            changeMs: row.changeMs,
            low: row.low,
            high: row.high,
            share: row.share,
            beforeMs: row.beforeMs,
            afterMs: row.afterMs,
            members: row.members.length,
          };
        }),
    })),
  };
}
