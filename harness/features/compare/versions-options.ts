import { Command, InvalidArgumentError, Option } from 'commander';
import type { CompareOptions, VersionsOptions } from './options.ts';
import { parseNetwork } from './versions/conditions.ts';
import { wellKnownSuites } from './versions/well-known.ts';
import { collectNames, parseDuration, parseShare } from '../../core/cli/options.ts';
import { measureNames } from '../../core/model/measures.ts';

/** The options of `farm compare` that are about versions of a page. */
export type VersionsChoices = Omit<VersionsOptions, keyof CompareOptions | 'worseBy'> & {
  readonly markdown: boolean;
  /** Functions are blamed for what differs. */
  readonly blame: boolean;
  /** A share: a change for the worse that is shown to be larger makes the exit code 1. */
  readonly failOn?: number;
};

export function declareVersions(command: Command): void {
  declareOwnPages(command);
  command
    .option('--markdown', 'versions: print Markdown for a pull request', false)
    .option('--shared-browser', 'versions: a fresh page per trial, not a browser', false)
    .option('--fail-on <change>', 'versions: exit with 1 on slower or slower=5%', parseFailOn);
}

/** Options about pages of one's own: where they lie, what is measured of them, and how. */
export function declareOwnPages(command: Command): void {
  declarePages(command);
  declareMeasures(command);
  declareConditions(command);
  declareAccess(command);
}

function declarePages(command: Command): void {
  command
    .option(
      '--browsers <ids>',
      'versions: browsers to measure (default: all found)',
      collectNames,
      [],
    )
    .option('--page <file>', 'versions: page inside folders, packages and git refs')
    .option('--root <folder>', 'versions: folder to serve at /')
    .option('--spa', 'versions: serve index.html for unknown addresses', false)
    .option('--build <command>', 'versions: command that builds each git ref and folder')
    .option('--server <command>', 'versions: command that serves each, on {port} or $PORT')
    .option('--url <url>', 'versions: with --server: its page, as http://localhost:{port}/')
    .option(
      '--build-deadline <duration>',
      'versions: time limit of each build (default: 30m)',
      parseDuration,
    )
    .option(
      '--accept-status <number>',
      'versions: HTTP status from 400 to accept; repeatable',
      (text: string, sofar: readonly number[]): readonly number[] => [...sofar, parseStatus(text)],
      [],
    )
    .option('--despite-errors', 'versions: also compare pages with errors', false)
    .option('--submodules', 'versions: also fetch submodules of git refs', false)
    .option(
      '--as <name>',
      'versions: name by which the page imports the packages',
      parsePackageName,
    )
    .option('--dev', 'versions: bundle packages for development', false);
}

/** @throws InvalidArgumentError for what npm would not take, or would take for an option. */
function parsePackageName(text: string): string {
  if (/^(@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*$/i.test(text) && text.length <= 214) return text;
  throw new InvalidArgumentError('It is the name of a package, such as lib.');
}

/** @throws InvalidArgumentError for anything but a status of HTTP that says an error. */
function parseStatus(text: string): number {
  const status = Number(text);
  if (Number.isInteger(status) && status >= 400 && status <= 599) return status;
  throw new InvalidArgumentError('It is a number from 400 to 599.');
}

export function declareMeasures(command: Command): void {
  const otherMeasures = measureNames.filter((name) => name !== 'bench');
  const collect = (text: string, sofar: readonly string[]): readonly string[] => [...sofar, text];
  command
    .option(
      '--measure <what>',
      `versions: bench, measure:NAME, mark:NAME, ${otherMeasures.join(', ')} or an expression; repeatable`,
      collect,
      [],
    )
    .addOption(
      new Option('--suite <name>', 'versions: compare copies of a well-known suite').choices(
        wellKnownSuites,
      ),
    )
    .option('--unit <unit>', 'versions: unit of expressions', 'ms')
    .option('--higher', 'versions: higher is better (expressions)', false)
    .option('--begin <expression>', 'versions: expression that begins the work')
    .option('--input <file>', 'versions: input steps, as JSON or a module');
}

export function declareConditions(command: Command): void {
  command
    .option('--network <name>', 'versions: slow-4g, 4g or latency=<ms>,down=<kbit/s>', parseNetwork)
    .option('--warm', 'versions: load pages from a warm cache', false)
    .option(
      '--cpu-throttling <times>',
      'versions: slow the CPU N times (Chromium, Playwright)',
      parseThrottling,
    );
}

/** Options that let a browser in at pages at URLs. */
function declareAccess(command: Command): void {
  const collect = (text: string, sofar: readonly string[]): readonly string[] => [...sofar, text];
  command
    .option(
      '--header <header>',
      'versions: header "Name: value" for URLs; also $NAME, @file; repeatable',
      collect,
      [],
    )
    .option('--cookie <cookie>', 'versions: cookie name=value for URLs; repeatable', collect, [])
    .option('--basic-auth <user>', 'versions: user:password for URLs')
    .option('--insecure', 'versions: accept any certificate', false)
    .option('--ca <file>', 'versions: accept certificates signed by this one (PEM)')
    .option('--no-isolation', 'versions: serve pages without COOP and COEP');
}

/** At most what `devices.json` allows. */
function parseThrottling(text: string): number {
  const times = Number(text);
  if (times > 1 && times <= 100) return times;
  throw new InvalidArgumentError('It must be more than 1, and 100 at most, such as 4.');
}

/** @throws InvalidArgumentError for anything but `slower` or `slower=<share>`. */
function parseFailOn(text: string): number {
  const match = /^slower(?:=(.+))?$/.exec(text);
  if (match === null) throw new InvalidArgumentError('It must be slower, or slower=5%.');
  const [, share] = match;
  return share === undefined ? 0 : parseShare(share);
}

/** Their names, such as `--measure`. */
export function versionsOptionNames(): ReadonlySet<string> {
  const scratch = new Command();
  declareVersions(scratch);
  return new Set(scratch.options.flatMap(({ long }) => long ?? []));
}
