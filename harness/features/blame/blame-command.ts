import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../core/errors.ts';
import { type Io, makeCaller, print, printJson, type Runner } from '../../core/cli/io.ts';
import {
  collectNames,
  type DatabaseOption,
  type JsonOption,
  parseCount,
  parseDuration,
  parseRun,
  withDatabase,
  withJson,
} from '../../core/cli/options.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

interface Options extends DatabaseOption, JsonOption {
  readonly browsers: readonly string[];
  readonly maxBlocks: number;
  readonly budget?: number;
  readonly markdown: boolean;
}

export function declare(command: Command, run: Runner): void {
  command
    .argument('<run>', 'comparison of versions or of two devices, or latest', parseRun)
    .addHelpText('after', help);
  withDatabase(command);
  withJson(command, 'print { comparisons: [{ functions: [{ name, changeMs, … }] }], … }')
    .option('--browsers <ids>', 'browsers to profile (default: those of the run)', collectNames, [])
    .option('--max-blocks <number>', 'stop after N profiled blocks', parseCount, 36)
    .option('--budget <duration>', 'begin no further blocks after this time', parseDuration)
    .option('--markdown', 'print Markdown for a pull request', false)
    .action((which: number | 'latest', options: Options) => run((io) => blame(which, options, io)));
}

const help = `
Both sides are measured again, from the same folder, with a profiler in blocks of their own. A function is
settled when its self time changed for certain: at most 5 % of those shown are wrong on average, or the
--error-rate of the comparison. Garbage collection, compiling, style, layout and painting are rows of their
own, and so is an inlined function: engines time it apart, and do not mark it.

Examples:
  ${npxCrossfarm} compare old.html new.html --browsers chromium && ${npxCrossfarm} blame latest
  ${npxCrossfarm} compare chromium@140 chromium@143 --bench fib && ${npxCrossfarm} blame latest`;

async function blame(which: number | 'latest', options: Options, io: Io): Promise<ExitCode> {
  const { callCommand } = io;
  if (callCommand === undefined) throw new TypeError('a command can call others');
  const { measureBlame } = await import('./measure-blame.ts');
  const { blameJson, blameMarkdown, describeBlame, makeBlameFacts } =
    await import('./blame-text.ts');
  const { say, signal } = makeCaller(io);
  const { keepAnswer } = await import('./profile/kept-answers.ts');
  const result = await measureBlame(which, options, { callCommand, signal, say });
  await keepAnswer('blame', makeBlameFacts(result), options.database);
  if (options.json) printJson(io, blameJson(result));
  else print(io, options.markdown ? blameMarkdown(result) : describeBlame(result));
  if (signal.aborted) return exitCodes.unfinished;
  const isSettled = result.found.some(({ rows }) => rows[0]?.isSettled === true);
  return isSettled ? exitCodes.fine : exitCodes.undecided;
}
