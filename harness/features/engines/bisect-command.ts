import type { Command } from 'commander';
import pc from 'picocolors';
import { formatThreeDigits } from '../../../reports/html/number.ts';
import {
  bisectBuilds,
  type BisectionResult,
  type BisectionStep,
  type BisectOptions,
} from './bisect.ts';
import { type ExitCode, exitCodes } from '../../core/errors.ts';
import { formatDuration } from '../../core/run/progress/time-left.ts';
import { type Io, note, print, printJson, type Runner } from '../../core/cli/io.ts';
import {
  collectParameters,
  type JsonOption,
  parseCount,
  parseSize,
  withDatabase,
  withInventory,
  withJson,
  withPages,
  withProbes,
  withTrialOptions,
} from '../../core/cli/options.ts';
import {
  printEndReport,
  reportField,
  type ReportOption,
  withReport,
  writeEndReport,
} from '../../core/cli/end-report.ts';
import { concludingCaller } from '../../core/cli/run-output.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

interface Options extends BisectOptions, JsonOption, ReportOption {}

export function declare(command: Command, run: Runner): void {
  command
    .argument('<device>', 'older build, such as chromium@103, or a device')
    .argument('[newer]', 'newer build (default: search all local builds)')
    .addHelpText('after', help);
  withInventory(command);
  withDatabase(command);
  withPages(command);
  withTrialOptions(command);
  withProbes(command);
  withReport(command);
  withJson(command, 'print { between, outcome, builds, steps: [{ build, verdict, blocks, … }] }')
    .option('--bench <id>', 'benchmark to measure', 'fib')
    .option('--param <name=value>', 'parameters of the benchmark', collectParameters, {})
    .option('--from <version>', 'with a device: build before the change')
    .option('--to <version>', 'with a device: build after the change')
    .option('--keep-builds <size>', 'size limit of all builds (default: 4 GiB)', parseSize)
    .option('--max-blocks <number>', 'stop a step after N blocks', parseCount, 60)
    .action((device: string, newer: string | undefined, options: Options) =>
      run((io) => narrow([device, newer], options, io)),
    );
}

const help = `
Of two builds, all between them that registries have are looked through; each is fetched when its turn
comes. Of a device, those that are here: fetched, or kept by ${npxCrossfarm} nightly. The first step measures the
newest beside the oldest, in blocks, until half of their difference is sure; each further one whether
another build has more than half of it. All steps together are wrong with a probability of 5 % at most.

Examples:
  ${npxCrossfarm} engines bisect chromium@103 chromium@153 --bench fib --param function=asyncFib --param n=20
  ${npxCrossfarm} engines bisect chromium --bench control --from 156.0.8078.79 --to 158.0.8200.1`;

async function narrow(
  [device, newer]: readonly [string, string?],
  { json, report, ...options }: Options,
  io: Io,
): Promise<ExitCode> {
  const bisection = await bisectBuilds([device, newer], options, {
    ...concludingCaller(json, io),
    onStep: (step) => {
      if (!json) note(io, describeStep(step));
    },
  });
  const { database } = options;
  const place = { database, ...(report !== undefined && { report }) };
  // That of the last step, which narrowed it down to where it is.
  const run = bisection.steps.findLast((step) => step.run !== null)?.run ?? null;
  const written = run === null ? null : (await writeEndReport(run, place, io)).written;
  if (json) printJson(io, { ...bisectionJson(bisection), ...reportField(written) });
  else {
    print(io, describeBisection(bisection));
    if (run !== null) printEndReport(run, written, io);
  }
  if (bisection.found.kind !== 'undecided') return exitCodes.fine;
  return bisection.interrupted ? exitCodes.unfinished : exitCodes.undecided;
}

/** One step, and the command that repeats it. */
function describeStep(step: BisectionStep): string {
  const { build, against, verdict, decision, stopped, command } = step;
  const figures =
    decision === null
      ? (stopped ?? 'no block in common')
      : `${verdict === 'as-the-newest' ? decision.verdict : verdict.replaceAll('-', ' ')}, ${formatThreeDigits(decision.ratio)}× in ${String(decision.blocks)} blocks`;
  return [
    `${build} against ${against}: ${figures}`,
    ...(command === null ? [] : [`  ${command}`]),
  ].join('\n');
}

/** The answer, for a person. */
function describeBisection({ found, builds, steps }: BisectionResult): string {
  const name = (index: number): string => builds[index] ?? '';
  const ms = steps.reduce((sum, step) => sum + step.ms, 0);
  const blocks = steps.reduce((sum, { decision }) => sum + (decision?.blocks ?? 0), 0);
  const cost = `${String(steps.length)} steps over ${String(builds.length)} builds, ${String(blocks)} blocks, ${formatDuration(ms)}`;
  const halfWay = found.kind === 'undecided' ? severalSteps(steps, builds) : null;
  const isSure = steps[0]?.verdict === 'as-the-newest';
  return [makeAnswer(found, name, isSure), ...(halfWay === null ? [] : [halfWay]), cost].join('\n');
}

/** Advice after an undecided step whose build differs from the oldest: look at each part. */
function severalSteps(steps: readonly BisectionStep[], builds: readonly string[]): string | null {
  const [[first], last] = [steps, steps.at(-1)];
  if (last === undefined || first === last || last.decision?.verdict !== first?.decision?.verdict)
    return null;
  const [oldest = '', newest = ''] = [builds[0], builds.at(-1)];
  return `${last.build} differs, by about half of it: it may have come in several steps. Look at each part: ${npxCrossfarm} engines bisect ${oldest} ${last.build}, and ${npxCrossfarm} engines bisect ${last.build} ${newest}`;
}

function makeAnswer(
  found: BisectionResult['found'],
  name: (index: number) => string,
  isSure: boolean,
): string {
  switch (found.kind) {
    case 'no-difference':
      return `${name(0)} and ${name(found.first)} do not differ: there is nothing to look for.`;
    case 'narrowed':
      return `${pc.bold(`Between ${name(found.last)} and ${name(found.first)}`)}: there the difference came.`;
    case 'undecided':
      return `Undecided: the difference lies between ${name(found.last)} and ${name(found.first)}${isSure ? '' : ', if there is one'}. More blocks may tell: --max-blocks`;
  }
}

/** The shape of `farm engines bisect --json`: a contract with other tools. */
function bisectionJson({ found, builds, steps }: BisectionResult): object {
  const [last = null, first = null] = [builds[found.last], builds[found.first]];
  return {
    between: found.kind === 'narrowed' ? [last, first] : null,
    outcome: found.kind,
    last,
    first,
    builds,
    steps: steps.map(({ build, verdict, run, decision, stopped, command, ms }) => ({
      build,
      verdict,
      run,
      stopped,
      ratio: decision?.ratio ?? null,
      low: decision?.low ?? null,
      high: decision?.high ?? null,
      margin: decision?.margin ?? null,
      blocks: decision?.blocks ?? 0,
      command,
      ms: Math.round(ms),
    })),
  };
}
