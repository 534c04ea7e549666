import pc from 'picocolors';
import type { Findings } from '../../../reports/findings.ts';
import type { TextBlock } from '../../../reports/wording/comparison-text.ts';
import { verdictOf } from '../../../reports/sections/difference.ts';
import type { WrittenReport } from '../../app/report/report.ts';
import { print, type Io } from '../io.ts';
import { blocksText, wrapped } from './text-blocks.ts';

/** Says where the report of which runs was written. */
export function reportSentence({ path, bytes, runs }: WrittenReport): string {
  const what = `${runs.length === 1 ? 'run' : 'runs'} ${runs.join(', ')}`;
  return `report of ${what}: ${path} (${String(Math.ceil(bytes / 1000))} kB)`;
}

/** Prints the sentences of the report's first screen, and its numbers as tables. */
export async function printFindings(findings: Findings, io: Io): Promise<void> {
  const { comparisonText } = await import('../../../reports/wording/comparison-text.ts');
  const { leadText } = await import('../../../reports/wording/comparison-text.ts');
  const { default: Table } = await import('cli-table3');
  const columns = io.stdout.isTTY ? io.stdout.columns : Infinity;
  print(io, blocksText(await leadText(findings), columns));
  const tables = comparisonText(findings);
  if (tables.length === 0) print(io, '\nThere is no result to compare.');
  for (const text of tables) {
    const table = new Table({
      head: [...text.columns],
      style: { head: [], border: [], compact: true },
    });
    table.push(...text.rows.map((row) => [...row]));
    const drawn = table.toString();
    const fits = drawn.indexOf('\n') <= columns;
    print(io, `\n${pc.bold(wrapped(text.title, columns))}`);
    print(io, fits ? drawn : blocksText(text.rows.map(asItem), columns));
  }
  for (const caution of findings.cautions) {
    print(io, `\n${pc.yellow(wrapped(caution, columns))}`);
  }
}

/** A row of a table that is wider than the terminal: the target, and below it what is known of it. */
function asItem([
  target = '',
  median = '',
  interval = '',
  relation = '',
  trials = '',
]: readonly string[]): TextBlock {
  const measured = interval === '' ? median : `${median}, ${interval}; trials: ${trials}`;
  const lines = [target, measured, relation].filter((line) => line !== '');
  return { kind: 'item', lines };
}

/** The same sentences and numbers for a script. */
export async function findingsJson(findings: Findings): Promise<object> {
  const { leadText } = await import('../../../reports/wording/comparison-text.ts');
  const { runs, verdicts, rows, cautions } = findings;
  const { baselineTargetId, baselineRun, margin, alpha, pairs } = verdicts;
  return {
    runs: runs.map(({ id }) => id),
    inShort: await leadText(findings),
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
