import type { Command } from 'commander';
import pc from 'picocolors';
import { listRuns, type StoredRun } from '../app/stored-runs.ts';
import { type ExitCode, exitCodes } from '../errors.ts';
import { plain } from '../run/progress/plain-text.ts';
import { type Io, next, note, print, printJson, type Runner } from './io.ts';
import {
  declareList,
  type DatabaseOption,
  type JsonOption,
  parseCount,
  withDatabase,
  withJson,
} from './options.ts';
import { readTerminalWidth, drawTable } from './text/draw-table.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

interface Options extends DatabaseOption, JsonOption {
  readonly limit: number;
}

const defaultLimit = 10;

export function declare(group: Command, run: Runner): void {
  group.addHelpText('after', examples);
  declareList(group, 'list stored runs', (command) => {
    declareRuns(command, run);
  });
}

function declareRuns(command: Command, run: Runner): void {
  withDatabase(command);
  withJson(command, 'print { runs: [{ run, name, status, cells, outcome, … }], more }')
    .option('--limit <number>', 'show the newest N runs', parseCount, defaultLimit)
    .action((options: Options) => run((io) => showRuns(options, io)));
}

const examples = `
Examples:
  ${npxCrossfarm} db
  ${npxCrossfarm} db --limit 100 --json
  ${npxCrossfarm} report 3 5      (two of them beside each other)`;

async function showRuns({ database, limit, json }: Options, io: Io): Promise<ExitCode> {
  const { runs, more } = await listRuns(database, limit);
  if (json) {
    printJson(io, { runs: runs.map(runJson), more });
    return exitCodes.fine;
  }
  const [newest, older] = runs;
  if (newest === undefined) {
    note(io, `No run is stored in ${database}.`);
    next(io, {
      'a first run': `${npxCrossfarm} start`,
      'your own page': `${npxCrossfarm} compare old.html new.html`,
    });
    return exitCodes.fine;
  }
  const head = ['run', 'began (UTC)', 'what it measured', 'what it found', 'trials'];
  print(io, await drawTable({ head, rows: runs.map(makeRow) }, readTerminalWidth(io.stdout)));
  const unfinished = runs.find(({ status }) => status === 'interrupted');
  next(io, {
    'see one': `${npxCrossfarm} report ${String(newest.id)}`,
    ...(older !== undefined && {
      'see two beside each other': `${npxCrossfarm} report ${String(older.id)} ${String(newest.id)}`,
    }),
    ...(unfinished !== undefined && {
      'go on with one': `${npxCrossfarm} continue ${String(unfinished.id)}`,
    }),
    ...(more && { 'list more': `${npxCrossfarm} db --limit ${String(limit * 5)}` }),
    'see all in a browser': `${npxCrossfarm} serve`,
  });
  return exitCodes.fine;
}

function makeRow(run: StoredRun): string[] {
  const { id, startedAt, name, preset } = run;
  const began = startedAt.slice(0, 16).replace('T', ' ');
  const what = preset === undefined ? name : `${name} (smoke test)`;
  // A stored name may be another farm's, and hold what moves a terminal's cursor.
  return [String(id), plain(began), plain(what), found(run), describeTrials(run)];
}

function found({ status, outcome }: StoredRun): string {
  if (status === 'running') return pc.yellow('it is going on');
  if (outcome === null) return pc.dim('its report says it');
  const { headline } = outcome;
  return headline === null ? pc.dim('nothing was compared') : plain(headline);
}

function describeTrials({ counts, status }: StoredRun): string {
  const { planned, completed, failed, timedOut } = counts;
  const bad = failed + timedOut;
  return [
    completed === planned ? String(planned) : `${String(completed)} of ${String(planned)}`,
    ...(bad > 0 ? [pc.red(`${String(bad)} failed`)] : []),
    ...(status === 'interrupted' ? [pc.yellow('interrupted')] : []),
  ].join(', ');
}

/** Shapes a run as `farm db --json` prints it. */
function runJson({
  id,
  name,
  suite,
  preset,
  status,
  startedAt,
  finishedAt,
  counts,
  outcome,
}: StoredRun): object {
  const verdicts = outcome && {
    headline: outcome.headline,
    faster: outcome.faster,
    slower: outcome.slower,
    equivalent: outcome.equivalent,
    undecided: outcome.undecided,
  };
  return {
    run: id,
    name,
    suite,
    preset,
    status,
    startedAt,
    finishedAt,
    cells: counts,
    outcome: verdicts,
  };
}
