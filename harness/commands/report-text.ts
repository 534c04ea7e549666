import pc from 'picocolors';
import type { Findings } from '../../reports/findings.ts';
import { verdictOf } from '../../reports/sections/difference.ts';
import { plain } from '../progress/terminal.ts';
import { print, type Io } from './io.ts';

/** The numbers of the report as tables, and nothing else of it. */
export async function printFindings(findings: Findings, io: Io): Promise<void> {
  const { comparisonText } = await import('../../reports/comparison-text.ts');
  const { default: Table } = await import('cli-table3');
  const tables = comparisonText(findings);
  if (tables.length === 0) print(io, 'There is no result to compare.');
  for (const { title, columns, rows } of tables) {
    const table = new Table({
      head: [...columns],
      style: { head: [], border: [], compact: true },
      ...(io.stdout.isTTY && io.stdout.columns < 100 ? { wordWrap: true } : {}),
    });
    table.push(...rows.map((row) => [...row]));
    print(io, `\n${pc.bold(title)}\n${table.toString()}`);
  }
  for (const caution of findings.cautions) print(io, `\n${pc.yellow(plain(caution))}`);
}

/** The same numbers for a script. */
export function findingsJson({ runs, verdicts, rows, cautions }: Findings): object {
  const { baselineTargetId, baselineRun, margin, alpha, pairs } = verdicts;
  return {
    runs: runs.map(({ id }) => id),
    baseline: baselineRun === undefined ? { target: baselineTargetId } : { run: baselineRun },
    ...{ margin, alpha },
    cases: rows.map(({ caseName, metric, unit, direction, cells }) => ({
      case: caseName,
      ...{ metric, unit, direction },
      targets: cells.map((cell) =>
        cell.kind === 'missing'
          ? { target: cell.targetId, median: null, why: cell.why }
          : {
              target: cell.targetId,
              ...{ median: cell.median, low: cell.low, high: cell.high },
              ...{ confidence: cell.confidence, trials: cell.trials },
            },
      ),
    })),
    comparisons: pairs.map((pair) => {
      const { a, b, metric, ratio, low, high, blocks, unpaired, because } = pair;
      const { trials } = unpaired ?? {};
      // What the table supports: a difference that does not stand among all of them is none.
      return { a, b, metric, verdict: verdictOf(pair), ratio, low, high, blocks, trials, because };
    }),
    cautions,
  };
}
