import { type Command, Help } from 'commander';
import pc from 'picocolors';
import { formatThreeDigits, plural } from '../../../reports/html/number.ts';
import {
  bisectBuilds,
  type BisectionResult,
  type BisectionStep,
  type BisectOptions,
} from './bisect-builds.ts';
import { reportedRun } from './answer.ts';
import { bisectCommits } from './bisect-commits.ts';
import type { BisectCommitsOptions } from './compare-commits.ts';
import { commitsJson, describeCommits, describeComparison } from './commits-text.ts';
import { parseRange } from './commits.ts';
import { type CommitBisection, type ComparedCommits, isDifferent } from './comparison.ts';
import { type BlameAnswer, callBlame } from '../compare/blame-answer.ts';
import { declareOwnPages } from '../compare/versions-options.ts';
import { defaultMargin } from '../../core/analysis/stats/verdict.ts';
import { loadTrustedInventory } from '../../core/app/trust.ts';
import { type ExitCode, exitCodes } from '../../core/errors.ts';
import { formatDuration } from '../../core/run/progress/time-left.ts';
import { type Io, note, print, printJson, type Runner } from '../../core/cli/io.ts';
import {
  collectParameters,
  type JsonOption,
  parseCount,
  parseDuration,
  parseMargin,
  parseSeed,
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

interface Options
  extends BisectOptions, Omit<BisectCommitsOptions, keyof BisectOptions>, JsonOption, ReportOption {
  readonly blame: boolean;
}

export function declare(command: Command, run: Runner): void {
  command
    .argument('<good>', 'commit or build from before the change, v1.4..HEAD, or a device')
    .argument('[bad]', 'commit or build from after it')
    .addHelpText('after', help);
  withInventory(command);
  withDatabase(command);
  withPages(command);
  withTrialOptions(command);
  withProbes(command);
  withReport(command);
  withJson(command, 'print { between, outcome, changes or builds, steps, … }')
    .option('--bench <id>', 'builds: benchmark to measure', 'fib')
    .option('--param <name=value>', 'builds: parameters of the benchmark', collectParameters, {})
    .option('--from <version>', 'builds: of a device, the one before the change')
    .option('--to <version>', 'builds: of a device, the one after the change')
    .option('--keep-builds <size>', 'builds: size limit of all of them (default: 4 GiB)', parseSize)
    .option('--max-blocks <number>', 'stop a comparison after N blocks', parseCount, 60);
  declareOwnPages(command);
  command
    .option(
      '--margin <share>',
      'commits: smallest difference that matters',
      parseMargin,
      defaultMargin,
    )
    .option(
      '--budget <duration>',
      'commits: time limit of each comparison (default: 3m)',
      parseDuration,
    )
    .option('--seed <number>', 'commits: seed of the order', parseSeed)
    .option('--blame', 'find the functions that made the difference', false)
    .option('--anew', 'commits: do not go on with an interrupted bisection', false)
    .action((good: string, bad: string | undefined, options: Options) =>
      run(async (io) =>
        (await areCommits([good, bad], options))
          ? bisectHistory([good, bad], options, io)
          : narrow([good, bad], options, io),
      ),
    );
  command.configureHelp({
    optionDescription(this: Help, option) {
      return Help.prototype.optionDescription
        .call(this, option)
        .replace(/^versions: /, 'commits: ');
    },
  });
}

const help = `
Of two commits, those between them are built and measured as versions of a page, along first parents,
then inside of a merge. First the two ends: if they do not differ, that is the answer. Then some commits
between them, until the difference lies between two neighbours; these are compared again in fresh
blocks, in every browser, before one is named. A commit that does not build is passed over. The same
command goes on with an interrupted bisection.

Of two builds, all between them that registries have are looked through; each is fetched when its turn
comes. Of a device, those that are here: fetched, or kept by ${npxCrossfarm} nightly. The first step measures the
newest beside the oldest, in blocks, until half of their difference is sure; each further one whether
another build has more than half of it. --blame profiles the first build with it beside the oldest.

What a bisection says is wrong with a probability of 5 % at most.

Examples:
  ${npxCrossfarm} bisect v1.4..HEAD --page bench/index.html --build "npm ci && npm run build"
  ${npxCrossfarm} bisect main~40 main --page bench.html --measure measure:render --browsers chromium,firefox
  ${npxCrossfarm} bisect chromium@103 chromium@153 --bench fib --param function=asyncFib --param n=20
  ${npxCrossfarm} bisect chromium --bench control --from 156.0.8078.79 --to 158.0.8200.1`;

/** Commits, unless the name is that of a device of the devices file or of a browser that has builds. */
async function areCommits(
  [good, bad]: readonly [string, string?],
  { inventory }: Pick<Options, 'inventory'>,
): Promise<boolean> {
  if (good.includes('..')) return true;
  const [name = '', version] = good.split('@');
  const known = await loadTrustedInventory(inventory);
  const isDevice = known.some(({ id, browser }) => id === name || browser === name);
  return !(isDevice && (version !== undefined || bad === undefined));
}

async function bisectHistory(
  [good, bad]: readonly [string, string?],
  { json, report, blame, ...options }: Options,
  io: Io,
): Promise<ExitCode> {
  const range = parseRange(bad === undefined ? [good] : [good, bad]);
  const caller = {
    ...concludingCaller(json, io),
    onStep: (step: ComparedCommits) => {
      if (!json) note(io, describeComparison(step));
    },
  };
  const bisection = await bisectCommits(range, { ...options, repeat: true }, caller);
  const place = { database: options.database, ...(report !== undefined && { report }) };
  const run = reportedRun(bisection);
  const blamed = blame ? await askBlame(bisection, options.database, io) : null;
  const written = run === null ? null : (await writeEndReport(run, place, io)).written;
  if (json) {
    printJson(io, { ...commitsJson(bisection), ...blameField(blamed), ...reportField(written) });
  } else {
    print(io, [describeCommits(bisection, range), ...(blamed?.lines ?? [])].join('\n'));
    if (run !== null) printEndReport(run, written, io);
  }
  if (bisection.interrupted) return exitCodes.unfinished;
  return bisection.outcome === 'undecided' ? exitCodes.undecided : exitCodes.fine;
}

/** Asks for the functions of the commit that was found; null without one, which a note says. */
async function askBlame(
  bisection: CommitBisection,
  database: string,
  io: Io,
): Promise<BlameAnswer | null> {
  const [change] = bisection.changes;
  const run = change?.check.run ?? null;
  if (change?.isVerified !== true || run === null || bisection.interrupted) {
    noteUnblamed(bisection, io);
    return null;
  }
  const browsers = new Set(change.check.rows.filter(isDifferent).map(({ browser }) => browser));
  return callBlame({ run, browsers: [...browsers], database }, io);
}

/** Says why no function is looked for. */
function noteUnblamed(
  { outcome, interrupted }: { readonly outcome: string; readonly interrupted: boolean },
  io: Io,
): void {
  const open = interrupted ? 'the bisection was interrupted' : 'the bisection is undecided';
  const why = outcome === 'no-difference' ? 'there is no difference' : open;
  note(io, `no function is blamed: ${why}`);
}

function blameField(blamed: BlameAnswer | null): object {
  return blamed === null ? {} : { blame: blamed.functions };
}

async function narrow(
  [device, newer]: readonly [string, string?],
  { json, report, blame, ...options }: Options,
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
  const run = findReportedRun(bisection);
  const blamed = blame ? await askBlameOfBuilds(bisection, { run, database }, io) : null;
  const written = run === null ? null : (await writeEndReport(run, place, io)).written;
  if (json) {
    printJson(io, { ...bisectionJson(bisection), ...blameField(blamed), ...reportField(written) });
  } else {
    print(io, [describeBisection(bisection), ...(blamed?.lines ?? [])].join('\n'));
    if (run !== null) printEndReport(run, written, io);
  }
  if (bisection.found.kind !== 'undecided') return exitCodes.fine;
  return bisection.interrupted ? exitCodes.unfinished : exitCodes.undecided;
}

/** The same of the first build with the difference, beside the oldest. */
async function askBlameOfBuilds(
  { found, interrupted }: BisectionResult,
  { run, database }: { readonly run: number | null; readonly database: string },
  io: Io,
): Promise<BlameAnswer | null> {
  if (run !== null && found.kind === 'narrowed' && !interrupted) {
    return callBlame({ run, browsers: [], database }, io);
  }
  noteUnblamed({ outcome: found.kind, interrupted }, io);
  return null;
}

/**
 * Finds the run that compared the first build with the difference with the oldest; else that of the last
 * step, which narrowed it down to where it is.
 */
function findReportedRun({ found, builds, steps }: BisectionResult): number | null {
  const measured = steps.filter(({ run }) => run !== null);
  const first = measured.find(({ build }) => build === builds[found.first]);
  const isNarrowed = found.kind === 'narrowed';
  return (isNarrowed ? first : undefined)?.run ?? measured.at(-1)?.run ?? null;
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
  const cost = `${plural(steps.length, 'step')} over ${String(builds.length)} builds, ${plural(blocks, 'block')}, ${formatDuration(ms)}`;
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
  return `${last.build} differs, by about half of it: it may have come in several steps. Look at each part: ${npxCrossfarm} bisect ${oldest} ${last.build}, and ${npxCrossfarm} bisect ${last.build} ${newest}`;
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

/** The shape of `crossfarm bisect --json`: a contract with other tools. */
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
