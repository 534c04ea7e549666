import { type Command, Help, Option } from 'commander';
import type { Verdict } from '../../core/results/verdicts.ts';
import type { Comparison } from './conclude.ts';
import type { CompareOptions, Sides } from './options.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import { compareDefaults } from '../../core/app/defaults.ts';
import { type ExitCode, FarmError } from '../../core/errors.ts';
import { type Io, type Runner } from '../../core/cli/io.ts';
import {
  collectParameters,
  type JsonOption,
  parseCount,
  parseDuration,
  parseRun,
  parseSeed,
  parseSentence,
  parseMargin,
  parseShare,
  withDatabase,
  withInventory,
  withJson,
  withPages,
  withProbes,
  withTrialOptions,
} from '../../core/cli/options.ts';
import { type OpenOption, withLivePage, withOpen } from '../../core/cli/live-page.ts';
import {
  findKind,
  refuseForDevices,
  refuseForVersions,
  refuseOther,
  refuseSides,
} from './comparison-kind.ts';
import { declareVersions, type VersionsChoices } from './versions-options.ts';
import { type ReportOption, withReport } from '../../core/cli/end-report.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

interface Options extends CompareOptions, VersionsChoices, JsonOption, OpenOption, ReportOption {
  readonly expect?: Verdict;
  /** Version of a build of that side's device, of those that are here. */
  readonly aBuild?: string;
  readonly bBuild?: string;
  /** A device whose build is compared under all its drivers, instead of two devices. */
  readonly drivers?: string;
  /** A stored run to continue, instead of a new one. */
  readonly continue?: number | 'latest';
  /** Also one whose farm cannot be seen from here. */
  readonly takeOver?: boolean;
}

export function declare(command: Command, run: Runner): void {
  command
    .argument(
      '[sides...]',
      'two devices, or versions of a page: HTML files, folders, URLs, and with --page packages and git refs',
    )
    .addHelpText('after', examples);
  withInventory(command);
  withDatabase(command);
  withPages(command);
  withTrialOptions(command);
  withProbes(command);
  withOpen(command);
  withReport(command);
  withJson(command, 'print { verdict, ratio, low, high, blocks, margin, seed, command }')
    .option('--bench <id>', 'benchmark to measure', compareDefaults.bench)
    .option('--param <name=value>', 'parameters of both sides', collectParameters, {})
    .option('--cores <number>', 'pin the browser to N cores (Linux)', parseCount)
    .option('--blame', 'find the functions that made a difference', false);
  for (const side of ['a', 'b']) declareSide(command, side);
  declareVersions(command);
  declareRules(command);
  command
    .addOption(
      new Option('--expect <verdict>', 'exit with 1 on any other verdict').choices([
        'faster',
        'slower',
        'equivalent',
      ]),
    )
    .option('--save <sentence>', 'save a difference under this description', parseSentence)
    .option('--seed <number>', 'seed of the order; repeats a run', parseSeed)
    .option('--no-repeat', 'do not repeat excluded trials')
    .option('--drivers <device>', 'compare one build across drivers')
    .option('--continue <run>', 'continue a stored comparison', parseRun)
    .option('--take-over', 'with --continue: also a run started on another machine', false)
    .action((sides: readonly string[], options: Options) =>
      run((io) => {
        const given = optionsOf(command, 'cli');
        const all = { options, given, set: optionsOf(command, 'config') };
        return withLivePage(options, io, (own) => chooseComparison(sides, all, own));
      }),
    );
  shortenHelp(command);
}

/** Limits that end a comparison. */
function declareRules(command: Command): void {
  command
    .option(
      '--margin <share>',
      'smallest difference that matters, such as 2%',
      parseMargin,
      compareDefaults.margin,
    )
    .option('--error-rate <share>', 'probability of a wrong verdict (default: 5%)', parseShare)
    .option(
      '--precision <share>',
      'measure until each interval is this narrow, such as 5%',
      parseShare,
    )
    .option(
      '--max-blocks <number>',
      'stop after N blocks, excluded ones included',
      parseCount,
      compareDefaults.maxBlocks,
    )
    .option(
      '--budget <duration>',
      'stop after this time, but not before five blocks',
      parseDuration,
    );
}

/** Options of most comparisons: help lists these, and all of them with `--all`. */
const usualOptions: ReadonlySet<string | undefined> = new Set([
  '--browsers',
  '--page',
  '--measure',
  '--build',
  '--param',
  '--margin',
  '--budget',
  '--fail-on',
  '--markdown',
  '--json',
  '--help',
]);

/** Groups options by what is compared, and leaves the rare ones to `--help --all`. */
function shortenHelp(command: Command): void {
  for (const option of command.options) option.helpGroup(findGroup(option));
  command.configureHelp({
    visibleOptions(this: Help, shown) {
      const all = Help.prototype.visibleOptions.call(this, shown);
      return isWhole(command) ? all : all.filter(({ long }) => usualOptions.has(long));
    },
    optionDescription(this: Help, option) {
      return Help.prototype.optionDescription.call(this, option).replace(/^versions: /, '');
    },
  });
  command.addHelpText('after', () =>
    isWhole(command) ? '' : `\nAll options: ${npxCrossfarm} compare --help --all`,
  );
}

function findGroup({ long = '', description }: Option): string {
  if (description.startsWith('versions: ')) return 'Versions of a page:';
  return /^--([ab]-|drivers|bench|param|cores)/.test(long) ? 'Two devices:' : 'Options:';
}

/** True if all options were asked for; the arguments are those of the whole program. */
function isWhole({ parent }: Command): boolean {
  const { rawArgs = [] } = (parent ?? {}) as { readonly rawArgs?: readonly string[] };
  return rawArgs.includes('--all');
}

function optionsOf(command: Command, source: 'cli' | 'config'): readonly string[] {
  return command.options
    .filter((option) => command.getOptionValueSource(option.attributeName()) === source)
    .map(({ long }) => long ?? '');
}

function declareSide(command: Command, side: string): void {
  const collect = (text: string, sofar: readonly string[]): readonly string[] => [...sofar, text];
  command
    .option(`--${side}-param <name=value>`, `parameters of ${side} alone`, collectParameters, {})
    .option(`--${side}-bench <id>`, `benchmark of ${side}`)
    .option(`--${side}-flag <flag>`, `launch flag of ${side}; repeatable`, collect, [])
    .option(`--${side}-build <version>`, `local build of ${side}, such as 143`)
    .option(`--${side}-executable <path>`, `path of the build of ${side}`)
    .option(`--${side}-driver <name>`, `driver of ${side}`)
    .option(`--${side}-cores <number>`, `cores to pin ${side} to`, parseCount);
}

const examples = `
Examples:
  ${npxCrossfarm} compare old.html new.html                  (in every browser, what the pages measure themselves)
  ${npxCrossfarm} compare dist-old dist-new --page bench.html --browsers chromium --markdown
  ${npxCrossfarm} compare http://127.0.0.1:8000/ http://127.0.0.1:8001/ --measure lcp
  ${npxCrossfarm} compare old.html new.html --input steps.json      ([{ "click": "#add" }, { "press": "Enter" }])
  ${npxCrossfarm} compare main HEAD --page bench/index.html --build "npm ci && npm run build"
  ${npxCrossfarm} compare lit@2 lit@3 --page bench.html             (bare imports of the page, installed by npm)
  ${npxCrossfarm} compare chromium firefox --page mine.html         (two browsers on a page of your own)
  ${npxCrossfarm} compare chromium firefox --param function=asyncFib --param n=18
  ${npxCrossfarm} compare chromium chromium --b-flag=--js-flags=--single-threaded-gc --param n=20
  ${npxCrossfarm} compare chromium chromium --a-executable /opt/old/chrome --b-executable /opt/new/chrome
  ${npxCrossfarm} compare chromium chromium --bench control --a-param extraPercent=10   (finds 10 %)
  ${npxCrossfarm} compare chromium chromium --a-cores 1 --b-cores 2 --param n=24
  ${npxCrossfarm} compare --drivers chromium --param n=18                               (what drivers change)
  ${npxCrossfarm} compare --continue 7 --max-blocks 50       (50 more blocks of run 7, and a verdict on all)

With --continue everything is as it was: sides, pages, margin, order. --max-blocks and --budget are
those of the further blocks, --margin may be another; the verdict is on all blocks together.`;

async function chooseComparison(
  sides: readonly string[],
  { options, given, set }: GivenOptions,
  io: Io,
): Promise<ExitCode> {
  const kind = await findKind(sides, { inventory: options.inventory, given, set });
  if (kind === 'versions') {
    refuseForVersions(given);
    const { compareVersionsHere } = await import('./versions-output.ts');
    return compareVersionsHere(
      sides,
      { ...options, margin: marginOf({ options, given, set }) },
      io,
    );
  }
  const { drivers, continue: which, json, aBuild, bBuild, ...asked } = options;
  if (which !== undefined) {
    refuseOther([...sides, ...given]);
    const margin = given.includes('--margin') ? asked.margin : undefined;
    const { continueStored } = await import('./devices-output.ts');
    return continueStored(which, { ...options, margin }, io);
  }
  refuseForDevices(kind, given);
  const [a, b] = sides;
  const { concludingCaller } = await import('../../core/cli/run-output.ts');
  const caller = concludingCaller(json, io);
  if (drivers !== undefined && a === undefined) {
    refuseSides(given);
    const { compareDrivers } = await import('./compare-drivers.ts');
    const compared = await compareDrivers(drivers, asked, caller);
    const { concludeDrivers } = await import('./devices-output.ts');
    return concludeDrivers(compared, options, io);
  }
  if (drivers === undefined && a !== undefined && b !== undefined && sides.length === 2) {
    const named = { a: buildOf(a, aBuild), b: buildOf(b, bBuild) };
    const how = kind === 'page' ? asked : { ...asked, page: null };
    const compared = await compareTwo(named, how, caller);
    const { concludeTwo } = await import('./devices-output.ts');
    return concludeTwo(compared, options, io);
  }
  throw new FarmError('bad-argument', {
    what: 'A comparison takes two versions of a page, two devices, or one with --drivers.',
    next: `Such as: ${npxCrossfarm} compare old.html new.html, or ${npxCrossfarm} compare chromium firefox`,
  });
}

type AskedOptions = Omit<Options, 'page' | 'json' | 'drivers' | 'continue'> & {
  readonly page?: string | null;
};

async function compareTwo(
  names: Sides,
  { page = null, ...options }: AskedOptions,
  caller: MeasuringCaller,
): Promise<Comparison> {
  if (page !== null) {
    const { comparePage } = await import('./compare-page.ts');
    return comparePage(names, { ...options, page }, caller);
  }
  const { compare } = await import('./compare-devices.ts');
  return compare(names, options, caller);
}

/** A question about 5 % needs no answer about 2 %. */
function marginOf({ options: { margin, failOn = 0 }, given, set }: GivenOptions): number {
  return failOn === 0 || [...given, ...set].includes('--margin') ? margin : failOn;
}

/** Such as `chromium@143`: that build of the device. */
function buildOf(device: string, version: string | undefined): string {
  return version === undefined ? device : `${device}@${version}`;
}

interface GivenOptions {
  readonly options: Options;
  /** Names of the options on the command line, */
  readonly given: readonly string[];
  /** and of those that a config file has set. */
  readonly set: readonly string[];
}
