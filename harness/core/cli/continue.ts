import type { Command } from 'commander';
import type { ContinuationOption } from '../app/extensions.ts';
import { type ExitCode, FarmError } from '../errors.ts';
import { type Io, note, type Runner } from './io.ts';
import {
  noWait,
  parseCount,
  parseDuration,
  parseRun,
  withDatabase,
  withJson,
  type DatabaseOption,
  type JsonOption,
} from './options.ts';

interface Options extends DatabaseOption, JsonOption {
  readonly maxBlocks?: number;
  /** In milliseconds. */
  readonly budget?: number;
  readonly takeOver: boolean;
  readonly wait: boolean;
}

export function declare(command: Command, run: Runner): void {
  command
    .argument('[run]', 'number of a stored run (default: newest open one)')
    .addHelpText('after', help);
  withDatabase(command);
  withJson(command, 'print what the continued command prints')
    .option('--max-blocks <number>', 'stop after N further blocks', parseCount)
    .option('--budget <duration>', 'time limit of further blocks', parseDuration)
    .option('--take-over', 'also a run started on another machine', false)
    .option(...noWait)
    .action((which: string | undefined, options: Options) =>
      run((io) => continueRun(which ?? null, options, io)),
    );
}

const help = `
Continues an interrupted run or night, an undecided comparison, or an open claim, with the devices,
pages and options that it began with. Its evidence is kept.`;

async function continueRun(which: string | null, options: Options, io: Io): Promise<ExitCode> {
  const { database, json, wait } = options;
  const { findContinuation } = await import('../app/run/continuation.ts');
  const named = which === null ? null : parseRun(which);
  const { run, what, args, takes } = await findContinuation(named, database);
  const given = listGiven(options);
  const refused = given.find(([name]) => !takes.includes(name));
  if (refused !== undefined) {
    throw new FarmError('bad-argument', {
      what: `${refused[0]} does not apply to ${what}, as run ${String(run)} is.`,
      next: takes.length === 0 ? 'Leave it out.' : `It takes ${takes.join(', ')}.`,
    });
  }
  note(io, `continuing run ${String(run)}, ${what}`);
  const { runCommand } = io;
  if (runCommand === undefined) throw new Error('a command runs outside of a command line');
  return runCommand([
    ...args,
    ...['--database', database],
    ...given.flatMap(([, ...words]) => words),
    ...(json ? ['--json'] : []),
    ...(wait ? [] : ['--no-wait']),
  ]);
}

/** Lists the options for this kind of run, each with the words that a command line has. */
function listGiven({
  maxBlocks,
  budget,
  takeOver,
}: Options): readonly (readonly [ContinuationOption, ...string[]])[] {
  return [
    ...(maxBlocks === undefined
      ? []
      : [['--max-blocks', '--max-blocks', String(maxBlocks)] as const]),
    ...(budget === undefined ? [] : [['--budget', '--budget', `${String(budget)}ms`] as const]),
    ...(takeOver ? [['--take-over', '--take-over'] as const] : []),
  ];
}
