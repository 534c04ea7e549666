import type { Command } from 'commander';
import { nightsOfHistory, searchSuite, type HistoryOptions } from '../app/history.ts';
import { exitCodes, type ExitCode } from '../errors.ts';
import { note, print, printJson, type Io, type Runner } from './io.ts';
import { collectNames, parseCount, withDatabase, withJson, type JsonOption } from './options.ts';
import { historySummary, historyTable, isEventful, seriesJson } from './text/history-text.ts';

interface Options extends HistoryOptions, JsonOption {
  /** Also series in which nothing changed. */
  readonly all: boolean;
}

export function declare(command: Command, run: Runner): void {
  command.addHelpText('after', help);
  withDatabase(command);
  withJson(command, 'print { run, suite, series: [{ case, device, metric, nights, changes, … }] }')
    .option('--suite <name>', 'the suite whose runs are looked at', 'nightly')
    .option('--device <ids>', 'only these devices', collectNames, [])
    .option('--nights <number>', 'look back so many runs', parseCount, nightsOfHistory)
    .option('--all', 'also series in which nothing changed', false)
    .action((options: Options) => run((io) => showHistory(options, io)));
}

const help = `
A change is settled when six nights lie on either side of it. A suspect is a change of the last few
nights, which farm nightly measures again, old build beside new, where both can still run.

Examples:
  farm history
  farm history --suite quick --all
  farm history --device chromium --json`;

async function showHistory(options: Options, io: Io): Promise<ExitCode> {
  const { suite, all, json } = options;
  const { run, searched } = await searchSuite(options);
  if (json) {
    printJson(io, { run, suite, series: searched.map(seriesJson) });
    return exitCodes.fine;
  }
  const shown = all ? searched : searched.filter(isEventful);
  if (shown.length > 0) print(io, await historyTable(shown));
  note(io, historySummary(searched, suite));
  return exitCodes.fine;
}
