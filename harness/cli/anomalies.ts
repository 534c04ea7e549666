import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import pc from 'picocolors';
import { exitCodes, FarmError, type ExitCode } from '../errors.ts';
import { anomalyStates, type Anomaly, type AnomalyState } from '../model/anomaly.ts';
import { openStore, type Store } from '../store/store.ts';
import { note, print, printJson, type Io, type Runner } from './io.ts';
import { withDatabase, withJson, type DatabaseOption, type JsonOption } from './options.ts';
import { parseSentence } from '../app/save-anomaly.ts';

type Options = DatabaseOption & JsonOption & { readonly because?: string };

/** What a person can say of an anomaly, and the state that it then has. */
const orders: Readonly<Record<string, Exclude<AnomalyState, 'untriaged'>>> = {
  ignore: 'ignored',
  close: 'closed',
};

export function declare(command: Command, run: Runner): void {
  command
    .argument('[order]', 'ignore or close; without it they are listed')
    .argument('[id]', 'the anomaly that it is about: N1')
    .addHelpText('after', examples);
  withDatabase(command);
  withJson(command, 'print an array of anomalies')
    .option('--because <reason>', 'why it is ignored or closed', parseSentence)
    .action((order: string | undefined, id: string | undefined, options: Options) =>
      run((io) => (order === undefined ? list(options, io) : mark(order, id, { options, io }))),
    );
}

const examples = `
Examples:
  farm compare chromium firefox --param n=20 --save "asyncFib is slow in Firefox"
  farm anomalies
  farm reproduce N1
  farm anomalies ignore N1 --because "a known limit of that build"

States: ${anomalyStates.join(', ')}.`;

async function list({ database, json }: Options, io: Io): Promise<ExitCode> {
  // Opening would make it, and who only looks must not leave a file behind.
  const anomalies = existsSync(database)
    ? await withStore(database, (store) => store.listAnomalies())
    : [];
  if (json) printJson(io, anomalies.map(anomalyJson));
  else if (anomalies.length > 0) print(io, await tableOf(anomalies));
  else note(io, 'No anomaly was saved yet: farm compare A B --save "what it is" saves one.');
  return exitCodes.fine;
}

interface Marking {
  readonly options: Options;
  readonly io: Io;
}

async function mark(
  order: string,
  id: string | undefined,
  { options, io }: Marking,
): Promise<ExitCode> {
  const state = orders[order];
  if (state === undefined) {
    throw new FarmError('bad-argument', {
      what: `"${order}" is nothing that can be done with an anomaly.`,
      next: `There are ${Object.keys(orders).join(' and ')}; farm anomalies lists them, farm reproduce N1 measures one again.`,
    });
  }
  const { because } = options;
  if (id === undefined || because === undefined) {
    throw new FarmError('bad-argument', {
      what: `To ${order} an anomaly takes its id and a reason, for whoever finds it again.`,
      next: `farm anomalies ${order} N1 --because "why"`,
    });
  }
  requireDatabase(options.database, id);
  const change = { state, reason: because, changedAt: new Date().toISOString() };
  const anomaly = await withStore(options.database, async (store) => {
    await store.changeAnomaly(id, change);
    return store.readAnomaly(id);
  });
  if (options.json) printJson(io, anomalyJson(anomaly));
  else print(io, `${anomaly.id} ${anomaly.state}: ${because}`);
  return exitCodes.fine;
}

/** @throws FarmError `unknown-anomaly` where not even a database is. */
export function requireDatabase(database: string, id: string): void {
  if (existsSync(database)) return;
  throw new FarmError('unknown-anomaly', {
    what: `There is no anomaly ${id}: ${database} does not exist.`,
    next: 'Save one: farm compare A B --save "what it is"',
  });
}

async function withStore<T>(database: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(database);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The shape of `farm anomalies --json`. */
export function anomalyJson(anomaly: Anomaly): object {
  const { id, state, sentence, reason, run, question, targets, createdAt, changedAt } = anomaly;
  return {
    ...{ id, state, sentence, reason, run, createdAt, changedAt },
    published: question.published,
    // Where the build lay: whoever wants to ask again on another machine has to put it there.
    devices: targets.map(({ device, browser, executable }) => ({
      id: device.id,
      browser,
      driver: device.driver,
      executable,
    })),
    command: `npx farm reproduce ${id}`,
  };
}

const colours: Readonly<Partial<Record<AnomalyState, (text: string) => string>>> = {
  untriaged: pc.yellow,
  reproduced: pc.red,
  ignored: pc.dim,
  closed: pc.dim,
};

async function tableOf(anomalies: readonly Anomaly[]): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const table = new Table({
    head: ['id', 'state', 'what', 'found', 'why'],
    colWidths: [6, 16, 44, 44, 36],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const { id, state, sentence, question, createdAt, reason } of anomalies) {
    const colour = colours[state] ?? ((text: string) => text);
    const found = `${createdAt.slice(0, 10)}: ${question.published}`;
    table.push([id, colour(state), sentence, found, reason ?? `farm reproduce ${id}`]);
  }
  return table.toString();
}
