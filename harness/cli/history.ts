import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import pc from 'picocolors';
import { formatThreeDigits } from '../../reports/html/number.ts';
import { seriesTitle, type NightChange, type SearchedSeries } from '../analysis/history.ts';
import { exitCodes, FarmError, unknownName, type ExitCode } from '../errors.ts';
import type { Run } from '../model/run.ts';
import { openStore, type Store } from '../store/store.ts';
import { note, print, printJson, type Io, type Runner } from './io.ts';
import {
  collectNames,
  parseCount,
  withDatabase,
  withJson,
  type DatabaseOption,
  type JsonOption,
} from './options.ts';
import { nightsOfHistory, searchStored } from '../app/stored-history.ts';

interface Options extends DatabaseOption, JsonOption {
  readonly suite: string;
  readonly device: readonly string[];
  readonly nights: number;
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
  const { database, suite, device, nights, all } = options;
  const { run, searched } = await withStore(database, suite, async (store) => {
    const newest = await newestRun(store, suite);
    return { run: newest, searched: await searchStored(store, newest, nights) };
  });
  const chosen = searched.filter(
    ({ series }) => device.length === 0 || device.includes(series.deviceId),
  );
  if (options.json) {
    printJson(io, { run: run.id, suite, series: chosen.map(seriesJson) });
    return exitCodes.fine;
  }
  const shown = all ? chosen : chosen.filter(isEventful);
  if (shown.length > 0) print(io, await tableOf(shown));
  note(io, summaryOf(chosen, suite));
  return exitCodes.fine;
}

async function withStore<T>(
  database: string,
  suite: string,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  // Opening would make it, and who only looks must not leave a file behind.
  if (!existsSync(database)) {
    throw new FarmError('unknown-run', {
      what: `There is no history in ${database}: it does not exist.`,
      next: `Make one, night after night: farm run --suite ${suite}`,
    });
  }
  const store = await openStore(database);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function newestRun(store: Store, suite: string): Promise<Run> {
  const runs = await store.listRuns();
  const newest = runs.find((one) => one.suite === suite && one.status === 'finished');
  if (newest !== undefined) return newest;
  const known = [...new Set(runs.map((one) => one.suite))];
  throw unknownName('unknown-suite', { kind: 'finished run of a suite', seen: suite, known });
}

function isEventful({ changes, suspect }: SearchedSeries): boolean {
  return changes.length > 0 || suspect !== null;
}

/** The shape of `farm history --json`: medians in the metric's unit, times in UTC. */
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

function summaryOf(searched: readonly SearchedSeries[], suite: string): string {
  const changes = searched.reduce((sum, one) => sum + one.changes.length, 0);
  const suspects = searched.filter(({ suspect }) => suspect !== null).length;
  const nights = new Set(searched.flatMap(({ series }) => series.nights.map(({ run }) => run.id)));
  return `${count(searched.length, 'series')} over ${count(nights.size, 'run', 's')} of ${suite}: ${count(changes, 'settled change', 's')}, ${count(suspects, 'suspect', 's')}`;
}

function count(number: number, noun: string, plural = ''): string {
  return `${String(number)} ${noun}${number === 1 ? '' : plural}`;
}

async function tableOf(searched: readonly SearchedSeries[]): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const table = new Table({
    head: ['series', 'nights', 'now', 'change', 'since', 'what changed then'],
    colWidths: [44, 8, 12, 18, 18, 34],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const one of searched) table.push(...rowsOf(one));
  return table.toString();
}

function rowsOf({ series, changes, suspect, notSearched }: SearchedSeries): string[][] {
  const { nights, metric, begunBy } = series;
  const now = nights.at(-1)?.median ?? NaN;
  const front = [
    [seriesTitle(series), ...begunBy.map((why) => pc.dim(`since ${why}`))].join('\n'),
    String(nights.length),
    `${formatThreeDigits(now)} ${metric.unit}`,
  ];
  const told = [
    ...changes.map((change) => changeCells(change, '')),
    ...(suspect === null ? [] : [changeCells(suspect, pc.yellow('suspect '))]),
  ];
  const [first = ['', '', notSearched ?? ''], ...rest] = told;
  return [[...front, ...first], ...rest.map((cells) => ['', '', '', ...cells])];
}

function changeCells(change: NightChange, mark: string): string[] {
  const { ratio, run, startedAt, attribution } = change;
  return [
    `${mark}${formatThreeDigits(ratio)}×`,
    `${startedAt.slice(0, 10)}, run ${String(run)}`,
    attribution.text,
  ];
}
