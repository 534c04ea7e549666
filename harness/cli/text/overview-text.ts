import pc from 'picocolors';
import Table from 'cli-table3';
import { overviewText, strikingText } from '../../../reports/comparison-text.ts';
import type { Findings } from '../../../reports/findings/index.ts';
import { verdictOf } from '../../../reports/wording/difference.ts';

const paints: readonly (readonly [string, (text: string) => string])[] = [
  ['▲', pc.green],
  ['▼', pc.red],
  ['=', pc.cyan],
  ['?', pc.yellow],
];

/** What a run found, for a terminal: a table, and the surest difference with how to verify it. */
export function drawOverview(findings: Findings): string {
  const overview = overviewText(findings);
  if (overview === null) return 'There is nothing to compare: one target was measured.';
  const table = new Table({
    head: [...overview.columns],
    style: { head: [], border: [], compact: true },
    colAligns: overview.columns.map((_, index) => (index === 1 ? 'right' : 'left')),
  });
  for (const row of overview.rows) table.push(row.map(painted));
  const striking = strikingText(findings);
  const lines =
    striking === null ? [] : [pc.bold(striking.sentence), `verify it: ${striking.command}`];
  return [table.toString(), ...lines, ...(isDecided(findings) ? [] : [undecided])].join('\n');
}

const undecided = pc.yellow(
  'Nothing is decided: it takes a quieter machine (npx farm doctor), or more trials.',
);

/** Whether any comparison of the run has a verdict, or there is none to have one. */
export function isDecided(findings: Findings): boolean {
  const isOne = overviewText(findings) === null;
  return isOne || findings.verdicts.pairs.some((pair) => verdictOf(pair) !== 'undecided');
}

function painted(cell: string): string {
  const [, paint] = paints.find(([mark]) => cell.startsWith(mark)) ?? [];
  return paint === undefined ? cell : paint(cell);
}
