import { type Command, InvalidArgumentError } from 'commander';
import type { SweepFindings } from '../../core/results/index.ts';
import { pointTexts, changeSentences, restSentences } from '../../../reports/sweep.ts';
import { sweep, type SweepOptions } from './sweep.ts';
import { writeSweep } from './write-sweep.ts';
import { sweepDefaults } from '../../core/app/defaults.ts';
import { type ExitCode, exitCodes } from '../../core/errors.ts';
import { type Io, note, print, printJson, type Runner } from '../../core/cli/io.ts';
import {
  collectNames,
  collectParameters,
  type JsonOption,
  parseCount,
  parseSeed,
  parseMargin,
  parseSize,
  withDatabase,
  withInventory,
  withJson,
  withPages,
  withProbes,
  withTrialOptions,
} from '../../core/cli/options.ts';
import { type ReportOption, takeReport, withReportOrOut } from '../../core/cli/end-report.ts';
import { concludingCaller } from '../../core/cli/run-output.ts';
import { readTerminalWidth, drawTable } from '../../core/cli/text/draw-table.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

type Options = Omit<SweepOptions, 'bench'> & JsonOption & ReportOption & { readonly out?: string };

export function declare(command: Command, run: Runner): void {
  command.argument('<bench>', 'benchmark to measure').addHelpText('after', help);
  withInventory(command);
  withDatabase(command);
  withPages(command);
  withTrialOptions(command);
  withProbes(command);
  withReportOrOut(command, 'sweep-<numbers>.html');
  withJson(
    command,
    'print { case, points: [{ build, value, ratio, low, high, steadyAfterMs, coresBusy }], changes }',
  )
    .requiredOption(
      '--builds <names>',
      'builds, such as chromium@103..153 or node@10..24',
      collectNames,
      [],
    )
    .option('--param <name=value>', 'parameters of the benchmark', collectParameters, {})
    .option('--reference <build>', 'build of every block (default: the newest)')
    .option(
      '--coarse <number>',
      'builds in the first step; at least 2',
      parseCoarse,
      sweepDefaults.coarse,
    )
    .option(
      '--max-blocks <number>',
      'blocks of one step at most',
      parseCount,
      sweepDefaults.maxBlocks,
    )
    .option(
      '--margin <share>',
      'smallest difference that matters',
      parseMargin,
      sweepDefaults.margin,
    )
    .option('--keep-builds <size>', 'size limit of all builds (default: 4 GiB)', parseSize)
    .option('--seed <number>', 'seed of the order; repeats a sweep', parseSeed)
    .action((bench: string, options: Options) =>
      run((io) => sweepBuilds({ ...options, bench }, io)),
    );
}

/** A change lies between two builds. */
function parseCoarse(text: string): number {
  const count = parseCount(text);
  if (count >= 2) return count;
  throw new InvalidArgumentError('It must be at least 2.');
}

const help = `
Measures one case over builds: some evenly first, then those between neighbours that differ, until each
change lies between two builds that follow each other. A block has one trial of each build in random
order, the reference build among them. Builds that are not here are fetched when they are needed.

Examples:
  ${npxCrossfarm} engines sweep fib --param function=asyncFib --param n=18 --builds chromium@103..153
  ${npxCrossfarm} engines sweep promise --builds node@16..24 --coarse 9`;

async function sweepBuilds(
  { json, report, out, ...options }: Options & Pick<SweepOptions, 'bench'>,
  io: Io,
): Promise<ExitCode> {
  const result = await sweep(options, concludingCaller(json, io));
  const place = takeReport({
    ...(report !== undefined && { report }),
    ...(out !== undefined && { out }),
  });
  const { findings, path } = await writeSweep(result, { ...options, ...place });
  if (json) printJson(io, sweepJson(findings, path));
  else {
    print(io, await drawSweep(findings, io));
    print(io, [...changeSentences(findings), ...restSentences(findings)].join('\n'));
    if (path !== null) note(io, `report: ${path}`);
  }
  return result.interrupted ? exitCodes.unfinished : exitCodes.fine;
}

function drawSweep({ points, metric, unit, reference }: SweepFindings, io: Io): Promise<string> {
  const rows = points.map((point) => [
    point.build,
    ...pointTexts(point, unit),
    String(point.trials),
  ]);
  const steady = ['to steady state', 'cores busy'];
  const head = ['build', metric, `ratio to ${reference}`, ...steady, 'trials'];
  return drawTable({ head, rows }, readTerminalWidth(io.stdout));
}

/** A contract with other tools. */
function sweepJson(findings: SweepFindings, report: string | null): object {
  const { caseName, points, changes, open, ...others } = findings;
  const { unit, reference, quarantined, referenceSpread, leftOut, notMeasured, runs, command } =
    others;
  return {
    case: caseName,
    unit,
    reference,
    points,
    changes,
    open,
    quarantined,
    referenceSpread,
    leftOut,
    notMeasured,
    runs,
    command,
    ...(report !== null && { report }),
  };
}
