import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import pc from 'picocolors';
import type { TextBlock } from '../../../reports/comparison-text.ts';
import type { Findings } from '../results/index.ts';
import { findVerdict } from '../../../reports/wording/difference.ts';
import type { ReportOptions } from '../app/report/report.ts';
import { type ExitCode, exitCodes, FarmError } from '../errors.ts';
import { type Io, next, print, printJson, type Runner } from './io.ts';
import { collectNames, type JsonOption, parseRun, withDatabase, withJson } from './options.ts';
import { reportSentence } from './end-report.ts';
import { readTerminalWidth, drawTable } from './text/draw-table.ts';
import { blocksText, wrapped } from './text/text-blocks.ts';
import { npxCrossfarm } from '../model/typed-command.ts';
import { farmVersion, reportsFolder } from '../project.ts';

interface Options extends ReportOptions, JsonOption {
  readonly terminal?: boolean;
  /** The folder of a gallery. */
  readonly gallery?: string;
  /** Other databases that the gallery shows. */
  readonly also?: readonly string[];
  /** A folder or database of results by commit. */
  readonly history?: string;
  /** `true` without a name: the least steady trial of all. */
  readonly warmUp?: string | boolean;
}

type Runs = readonly (number | 'latest')[];

export function declare(command: Command, run: Runner): void {
  command.argument('[runs...]', 'numbers of stored runs (default: the latest)');
  withDatabase(command);
  withJson(command, 'print { path, bytes, runs }; with --terminal what it would print')
    .option('--device <ids>', 'devices to show; firefox@3 is that of run 3', collectNames, [])
    .option('--bench <ids>', 'benchmarks to show', collectNames, [])
    .option('--baseline <name>', 'device, run or device@run to compare with')
    .option('--out <file>', 'output file (default: reports/run-<number>.html next to the database)')
    .option('--terminal', 'print the report here instead of writing it')
    .option('--gallery <folder>', 'write pages of claims, engines and sample reports')
    .option('--also <files>', 'other databases that the gallery shows', collectNames, [])
    .option('--history <path>', 'draw the results of ci --history over commits')
    .option('--warm-up [case]', 'draw the iterations of the least steady trial')
    .addHelpText('after', help)
    .action((named: readonly string[], options: Options) =>
      run((io) => report(named.map(parseRun), options, io)),
    );
}

const help = `
Several runs stand beside each other, and nothing of them is pooled:
  ${npxCrossfarm} report 3 5                     every device in run 5 against itself in run 3
  ${npxCrossfarm} report 3 5 --device firefox    only that one: two builds of it, say
  ${npxCrossfarm} report 3 5 --baseline chromium@3`;

async function report(runs: Runs, options: Options, io: Io): Promise<ExitCode> {
  if (options.gallery !== undefined) await writeGallery(runs, options, io);
  else if (options.history !== undefined) await writeHistory(options.history, options, io);
  else if (options.warmUp !== undefined) await showWarmUp(runs, options, io);
  else if (options.terminal === true) await showFindings(runs, options, io);
  else {
    const { writeReport } = await import('../app/report/report.ts');
    const written = await writeReport(runs, options);
    if (options.json) printJson(io, written);
    else {
      print(io, reportSentence(written));
      next(io, { 'see all runs in a browser': `${npxCrossfarm} serve` });
    }
  }
  return exitCodes.fine;
}

async function writeGallery(
  runs: Runs,
  { gallery: folder = '', also = [], database, json }: Options,
  io: Io,
): Promise<void> {
  if (runs.length > 0) {
    throw new FarmError('bad-argument', {
      what: 'A gallery shows the newest runs of each kind, so none can be named.',
      next: `${npxCrossfarm} report --gallery ${folder}`,
    });
  }
  const gallery = await import('../app/report/gallery.ts');
  const written = await gallery.writeGallery({ databases: [database, ...also], folder });
  if (json) printJson(io, written);
  else {
    const size = `${String(written.pages.length + 1)} pages, ${String(Math.ceil(written.bytes / 1000))} kB`;
    print(io, `gallery: ${written.path} (${size})`);
    for (const sentence of written.leftOut) print(io, `left out: ${sentence}`);
  }
}

async function writeHistory(
  history: string,
  { database, out, json }: Options,
  io: Io,
): Promise<void> {
  const { renderCommits } = await import('../app/extensions.ts');
  const { writeWhole } = await import('../app/records.ts');
  const writing = { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
  const text = await renderCommits({ place: resolve(history), ...writing });
  const path = resolve(out ?? join(reportsFolder(database), 'history.html'));
  await writeWhole(path, text);
  const bytes = Buffer.byteLength(text);
  if (json) printJson(io, { path, bytes });
  else print(io, `history: ${path} (${String(Math.ceil(bytes / 1000))} kB)`);
}

async function showFindings(runs: Runs, options: Options, io: Io): Promise<void> {
  const { readFindings } = await import('../app/report/report.ts');
  const findings = await readFindings(runs, options);
  if (options.json) printJson(io, await findingsJson(findings));
  else await printFindings(findings, io);
}

async function showWarmUp(
  runs: Runs,
  { warmUp, json, out, ...choice }: Options,
  io: Io,
): Promise<void> {
  const { explainRunWarmUp, writeWarmUp } = await import('../app/report/report.ts');
  const caseName = typeof warmUp === 'string' ? warmUp : undefined;
  const facts = await explainRunWarmUp(runs, { ...choice, caseName });
  const { drawWarmUp } = await import('../../../reports/warm-up.ts');
  if (!json) print(io, drawWarmUp(facts));
  if (out === undefined) return;
  const written = await writeWarmUp(facts, out);
  if (json) printJson(io, written);
  else print(io, written.path);
}

/** Prints the sentences of the report's first screen, and its numbers as tables. */
async function printFindings(findings: Findings, io: Io): Promise<void> {
  const { comparisonText } = await import('../../../reports/comparison-text.ts');
  const { leadText } = await import('../../../reports/comparison-text.ts');
  const columns = readTerminalWidth(io.stdout);
  print(io, blocksText(await leadText(findings), columns));
  const tables = comparisonText(findings);
  if (tables.length === 0) print(io, '\nThere is no result to compare.');
  for (const text of tables) {
    const drawn = await drawTable({ head: text.columns, rows: text.rows });
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
async function findingsJson(findings: Findings): Promise<object> {
  const { leadText } = await import('../../../reports/comparison-text.ts');
  const { runs, verdicts, rows, cautions } = findings;
  const { baselineTargetId, baselineRun, margin, alpha, pairs } = verdicts;
  return {
    runs: runs.map(({ id }) => id),
    inShort: await leadText(findings),
    baseline: baselineRun === undefined ? { target: baselineTargetId } : { run: baselineRun },
    margin,
    alpha,
    cases: rows.map(({ caseName, metric, unit, direction, cells }) => ({
      case: caseName,
      metric,
      unit,
      direction,
      targets: cells.map((cell) =>
        cell.kind === 'missing'
          ? { target: cell.targetId, centre: null, why: cell.why }
          : {
              target: cell.targetId,
              centre: cell.centre,
              low: cell.low,
              high: cell.high,
              confidence: cell.confidence,
              trials: cell.trials,
            },
      ),
    })),
    comparisons: pairs.map((pair) => {
      const { a, b, metric, ratio, low, high, mean = null, blocks, unpaired, because } = pair;
      const { trials } = unpaired ?? {};
      // The verdict that the whole table supports: a difference that is not a discovery is
      // undecided.
      return {
        a,
        b,
        metric,
        verdict: findVerdict(pair),
        ratio,
        low,
        high,
        mean,
        blocks,
        trials,
        because,
      };
    }),
    cautions,
  };
}
