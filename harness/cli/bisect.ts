import type { Command } from 'commander';
import { bisectBuilds, type BisectOptions } from '../app/compare/bisect.ts';
import { exitCodes, type ExitCode } from '../errors.ts';
import { note, print, printJson, type Io, type Runner } from './io.ts';
import {
  collectParameters,
  type JsonOption,
  parseCount,
  withDatabase,
  withInventory,
  withJson,
  withPages,
  withProbes,
  withTrialOptions,
} from './options.ts';
import { concludingCaller } from './run-output.ts';
import { bisectionJson, describeBisection, describeStep } from './text/bisection-text.ts';

interface Options extends BisectOptions, JsonOption {}

export function declare(command: Command, run: Runner): void {
  command
    .argument('<device>', 'device whose kept builds are looked through')
    .addHelpText('after', help);
  withInventory(command);
  withDatabase(command);
  withPages(command);
  withTrialOptions(command);
  withProbes(command);
  withJson(command, 'print { outcome, last, first, steps: [{ version, verdict, ratio, … }] }')
    .option('--bench <id>', 'the benchmark', 'fib')
    .option('--param <name=value>', 'its parameters', collectParameters, {})
    .option('--from <version>', 'the build from before the change (default: the oldest kept)')
    .option('--to <version>', 'the build from after it (default: the newest kept)')
    .option('--max-blocks <number>', 'give up on a step after so many blocks', parseCount, 60)
    .action((device: string, options: Options) => run((io) => narrow(device, options, io)));
}

const help = `
farm nightly keeps a copy of every build that it measures, as far as the room for them goes. Each
step measures one of them beside the oldest, in blocks, until the sequential test has decided.

Examples:
  farm bisect chromium --bench fib --param function=asyncFib --param n=20
  farm bisect chromium --bench control --from 156.0.8078.79 --to 158.0.8200.1`;

async function narrow(device: string, { json, ...options }: Options, io: Io): Promise<ExitCode> {
  const bisection = await bisectBuilds(device, options, {
    ...concludingCaller(json, io),
    onStep: (step) => {
      if (!json) note(io, describeStep(step));
    },
  });
  if (json) printJson(io, bisectionJson(bisection));
  else print(io, describeBisection(bisection));
  if (bisection.found.kind !== 'undecided') return exitCodes.fine;
  return bisection.interrupted ? exitCodes.unfinished : exitCodes.undecided;
}
