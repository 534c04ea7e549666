import type { Command } from 'commander';
import pc from 'picocolors';
import { formatThreeDigits } from '../../reports/html/number.ts';
import {
  bisectBuilds,
  type BisectionResult,
  type BisectionStep,
  type BisectOptions,
} from '../app/compare/bisect.ts';
import { type ExitCode, exitCodes } from '../errors.ts';
import { type Io, next, note, print, printJson, type Runner } from './io.ts';
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
  else {
    print(io, describeBisection(bisection));
    const { run } = bisection.steps.at(-1) ?? {};
    if (run !== undefined) next(io, { 'see the last step': `farm report ${String(run)}` });
  }
  if (bisection.found.kind !== 'undecided') return exitCodes.fine;
  return bisection.interrupted ? exitCodes.unfinished : exitCodes.undecided;
}

/** One step as a line. */
function describeStep({ version, against, decision, stopped, run }: BisectionStep): string {
  const figures =
    decision === null
      ? (stopped ?? 'no block in common')
      : `${decision.verdict}, ${formatThreeDigits(decision.ratio)}× in ${String(decision.blocks)} blocks`;
  return `${version} against ${against}: ${figures} (run ${String(run)})`;
}

/** The answer, for a person. */
function describeBisection({ found, builds }: BisectionResult): string {
  const version = (index: number): string => builds[index] ?? '';
  switch (found.kind) {
    case 'no-difference':
      return `${version(0)} and ${version(builds.length - 1)} do not differ: there is nothing to look for.`;
    case 'narrowed':
      return `${pc.bold(`${version(found.last)} → ${version(found.first)}`)}: the difference came between these two builds.`;
    case 'undecided':
      return `Undecided: the difference lies between ${version(found.last)} and ${version(found.first)}, if there is one. More blocks may tell: --max-blocks`;
  }
}

/** The shape of `farm bisect --json`. */
function bisectionJson({ found, builds, steps }: BisectionResult): object {
  const ends = found.kind === 'no-difference' ? { last: 0, first: builds.length - 1 } : found;
  return {
    outcome: found.kind,
    last: builds[ends.last] ?? null,
    first: builds[ends.first] ?? null,
    builds,
    steps: steps.map(({ version, verdict, run, decision, stopped }) => ({
      version,
      verdict,
      run,
      stopped,
      ratio: decision?.ratio ?? null,
      low: decision?.low ?? null,
      high: decision?.high ?? null,
      blocks: decision?.blocks ?? 0,
    })),
  };
}
