import pc from 'picocolors';
import { overviewText, strikingText } from '../../../../reports/comparison-text.ts';
import { plural } from '../../../../reports/html/number.ts';
import { findVerdict } from '../../../../reports/wording/difference.ts';
import { earlyLook } from '../../../../reports/wording/early-look.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';
import type { Findings } from '../../results/index.ts';
import { drawTable } from './draw-table.ts';

const paints: readonly (readonly [string, (text: string) => string])[] = [
  ['▲', pc.green],
  ['▼', pc.red],
  ['=', pc.cyan],
  ['?', pc.yellow],
];

/**
 * Results of a run for a terminal: a table, and the surest difference with the command to verify
 * it.
 */
export async function drawOverview(findings: Findings, columns = Infinity): Promise<string> {
  const overview = overviewText(findings);
  if (overview === null) return 'Nothing was measured.';
  const rows = overview.rows.slice(0, mostRows);
  const table = await drawTable(
    {
      head: overview.columns,
      rows: rows.map((row) => row.map(painted)),
      align: overview.columns.map((_, index) => (index === 1 ? 'right' : 'left')),
    },
    columns,
  );
  const striking = strikingText(findings);
  const lines =
    striking === null ? [] : [pc.bold(striking.sentence), `verify it: ${striking.command}`];
  const look = earlyLook(findings);
  const open = look === null ? [] : [pc.yellow(look.sentence), `  ${look.command}`];
  const more = overview.rows.length - rows.length;
  const rest = more > 0 ? [`${plural(more, 'more case')}: see the report`] : [];
  return [
    table,
    ...rest,
    ...lines,
    ...(isDecided(findings) || look !== null ? [] : [undecided]),
    ...open,
  ].join('\n');
}

/** More cases than this stand in the report alone. */
const mostRows = 40;

const undecided = pc.yellow(
  `Nothing is decided: it takes a quieter machine (${npxCrossfarm} devices doctor), or more trials.`,
);

/** True if a comparison of the run has a verdict, or the run has no comparison. */
export function isDecided({ verdicts: { pairs } }: Findings): boolean {
  return pairs.length === 0 || pairs.some((pair) => findVerdict(pair) !== 'undecided');
}

function painted(cell: string): string {
  const [, paint] = paints.find(([mark]) => cell.startsWith(mark)) ?? [];
  return paint === undefined ? cell : paint(cell);
}
