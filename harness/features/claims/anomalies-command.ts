import type { Command } from 'commander';
import { listAnomalies, markAnomaly, type AnomalyChange } from '../../core/app/anomalies.ts';
import { exitCodes, FarmError, type ExitCode } from '../../core/errors.ts';
import { anomalyStates } from '../../core/model/anomaly.ts';
import { type Io, next, note, print, printJson, type Runner } from '../../core/cli/io.ts';
import {
  declareList,
  parseSentence,
  withDatabase,
  withJson,
  type DatabaseOption,
  type JsonOption,
} from '../../core/cli/options.ts';
import { anomalyJson, anomalyTable } from './anomaly-text.ts';
import { readTerminalWidth } from '../../core/cli/text/draw-table.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

type Options = DatabaseOption & JsonOption & { readonly because?: string };

/** The marks that a person can give an anomaly, with the resulting states. */
const orders: Readonly<Record<string, AnomalyChange['state']>> = {
  ignore: 'ignored',
  close: 'closed',
};

export function declare(group: Command, run: Runner): void {
  group.addHelpText('after', examples);
  declareList(group, 'list findings; ignore or close one', (command) => {
    declareFindings(command, run);
  });
}

function declareFindings(command: Command, run: Runner): void {
  command
    .argument('[order]', 'ignore or close (default: list them)')
    .argument('[id]', 'id of the finding, such as N1');
  withDatabase(command);
  withJson(command, 'print an array of anomalies')
    .option('--because <reason>', 'why it is ignored or closed', parseSentence)
    .action((order: string | undefined, id: string | undefined, options: Options) =>
      run((io) => (order === undefined ? list(options, io) : mark(order, id, { options, io }))),
    );
}

const examples = `
Examples:
  ${npxCrossfarm} compare chromium firefox --param n=20 --save "asyncFib is slow in Firefox"
  ${npxCrossfarm} findings
  ${npxCrossfarm} findings reproduce N1
  ${npxCrossfarm} findings ignore N1 --because "a known limit of that build"

States: ${anomalyStates.join(', ')}.`;

async function list({ database, json }: Options, io: Io): Promise<ExitCode> {
  const anomalies = await listAnomalies(database);
  if (json) printJson(io, anomalies.map(anomalyJson));
  else if (anomalies.length > 0) {
    print(io, await anomalyTable(anomalies, readTerminalWidth(io.stdout)));
    next(io, {
      'measure one again': `${npxCrossfarm} findings reproduce ${anomalies[0]?.id ?? ''}`,
    });
  } else
    note(
      io,
      `No anomaly was saved yet: ${npxCrossfarm} compare A B --save "what it is" saves one.`,
    );
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
      next: `There are ${Object.keys(orders).join(' and ')}; ${npxCrossfarm} findings lists them, ${npxCrossfarm} findings reproduce N1 measures one again.`,
    });
  }
  const { because } = options;
  if (id === undefined || because === undefined) {
    throw new FarmError('bad-argument', {
      what: `To ${order} an anomaly takes its id and a reason for later readers.`,
      next: `${npxCrossfarm} findings ${order} N1 --because "why"`,
    });
  }
  const anomaly = await markAnomaly(id, { state, reason: because }, options.database);
  if (options.json) printJson(io, anomalyJson(anomaly));
  else print(io, `${anomaly.id} ${anomaly.state}: ${because}`);
  return exitCodes.fine;
}
