import type { Command } from 'commander';
import pc from 'picocolors';
import { formatThreeDigits } from '../../../reports/html/number.ts';
import {
  listBreaks,
  type NightChange,
  type SearchedSeries,
  seriesTitle,
} from './history/history.ts';
import {
  type HistoryOptions,
  historyCommand,
  nightsOfHistory,
  searchSuite,
  typeDatabase,
} from './search-history.ts';
import { type ExitCode, exitCodes } from '../../core/errors.ts';
import { type Io, next, note, print, printJson, type Runner } from '../../core/cli/io.ts';
import {
  collectNames,
  type JsonOption,
  parseCount,
  withDatabase,
  withJson,
} from '../../core/cli/options.ts';
import { readTerminalWidth, drawTable } from '../../core/cli/text/draw-table.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { plain } from '../../core/run/progress/plain-text.ts';

interface Options extends HistoryOptions, JsonOption {
  /** Also series in which nothing changed. */
  readonly all: boolean;
}

export function declare(command: Command, run: Runner): void {
  command.addHelpText('after', help);
  withDatabase(command);
  withJson(command, 'print { run, suite, series: [{ case, device, metric, nights, changes, … }] }')
    .option('--suite <name>', 'suite whose runs to search', 'nightly')
    .option('--device <ids>', 'only these devices', collectNames, [])
    .option('--nights <number>', 'number of runs to search', parseCount, nightsOfHistory)
    .option('--all', 'also show series without a change', false)
    .action((options: Options) => run((io) => showHistory(options, io)));
}

const help = `
A change is settled when six nights lie on either side of it. A suspect is a change of the last few
nights, which ${npxCrossfarm} nightly measures again, old build beside new, where both can still run.

Examples:
  ${npxCrossfarm} nightly history
  ${npxCrossfarm} nightly history --suite quick --all
  ${npxCrossfarm} nightly history --device chromium --json`;

async function showHistory(options: Options, io: Io): Promise<ExitCode> {
  const { suite, all, json } = options;
  const database = typeDatabase(options.database);
  const { run, searched } = await searchSuite(options);
  if (json) {
    printJson(io, { run, suite, series: searched.map(seriesJson) });
    return exitCodes.fine;
  }
  const shown = all ? searched : searched.filter(isEventful);
  if (shown.length > 0) print(io, await historyTable(shown, readTerminalWidth(io.stdout)));
  note(io, historySummary(searched, suite));
  if (!all) for (const line of describeBreaks(searched)) note(io, line);
  next(io, {
    ...(!all &&
      shown.length < searched.length && {
        'see every series': `${historyCommand(suite)}${database} --all`,
      }),
    'see them in a browser': `${npxCrossfarm} serve${database}`,
  });
  return exitCodes.fine;
}

/** True if a series changed. */
function isEventful({ changes, suspect }: SearchedSeries): boolean {
  return changes.length > 0 || suspect !== null;
}

/** Shapes a series as `farm nightly history --json` prints it: medians in the metric's unit, times in UTC. */
function seriesJson({ series, changes, suspect, notSearched }: SearchedSeries): object {
  const { caseName, deviceId, metric, begunBy, nights } = series;
  return {
    case: caseName,
    device: deviceId,
    metric: metric.id,
    unit: metric.unit,
    direction: metric.direction,
    begunBy,
    nights: nights.map(({ run, target, median, trials }) => ({
      run: run.id,
      startedAt: run.startedAt,
      browser: target.browser,
      median,
      trials,
    })),
    changes: changes.map(changeJson),
    suspect: suspect === null ? null : changeJson(suspect),
    notSearched,
  };
}

function changeJson({ run, startedAt, before, after, ratio, p, attribution }: NightChange): object {
  return { run, startedAt, before, after, ratio, p, cause: attribution };
}

/** Counts the series, changes and suspects of a suite, in one line. */
function historySummary(searched: readonly SearchedSeries[], suite: string): string {
  const changes = searched.reduce((sum, one) => sum + one.changes.length, 0);
  const suspects = searched.filter(({ suspect }) => suspect !== null).length;
  const nights = new Set(searched.flatMap(({ series }) => series.nights.map(({ run }) => run.id)));
  return `${count(searched.length, 'series')} over ${count(nights.size, 'run', 's')} of ${suite}: ${count(changes, 'settled change', 's')}, ${count(suspects, 'suspect', 's')}`;
}

/** Further ones stand at their series. */
const mostBreaks = 3;

/** Since when a device was measured in another way: the newest first. */
function describeBreaks(searched: readonly SearchedSeries[]): readonly string[] {
  return listBreaks(searched.map(({ series }) => series))
    .slice(0, mostBreaks)
    .map(({ targetId, run, differences }) =>
      plain(`${targetId} since run ${String(run)}: ${differences.join(', ')}; not pooled`),
    );
}

function count(number: number, noun: string, plural = ''): string {
  return `${String(number)} ${noun}${number === 1 ? '' : plural}`;
}

/** Draws the changes of each series as a table. A database may hold what another farm, or a page, called its own. */
function historyTable(searched: readonly SearchedSeries[], columns: number): Promise<string> {
  const head = ['series', 'nights', 'now', 'change', 'since', 'what changed then'];
  return drawTable({ head, rows: searched.flatMap(rowsOf), ruled: true }, columns);
}

function rowsOf({ series, changes, suspect, notSearched }: SearchedSeries): string[][] {
  const { nights, metric, begunBy } = series;
  const now = nights.at(-1)?.median ?? NaN;
  const front = [
    [plain(seriesTitle(series)), ...begunBy.map((why) => pc.dim(plain(`since ${why}`)))].join('\n'),
    String(nights.length),
    plain(`${formatThreeDigits(now)} ${metric.unit}`),
  ];
  const cells = [
    ...changes.map((change) => changeCells(change, '')),
    ...(suspect === null ? [] : [changeCells(suspect, pc.yellow('suspect '))]),
  ];
  const [first = ['', '', plain(notSearched ?? '')], ...rest] = cells;
  return [[...front, ...first], ...rest.map((row) => ['', '', '', ...row])];
}

function changeCells(change: NightChange, mark: string): string[] {
  const { ratio, run, startedAt, attribution } = change;
  return [
    `${mark}${formatThreeDigits(ratio)}×`,
    plain(`${startedAt.slice(0, 10)}, run ${String(run)}`),
    plain(attribution.text),
  ];
}
