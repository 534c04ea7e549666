import { Command, InvalidArgumentError, Option } from 'commander';
import { type NamedNetwork, parseNetwork } from '../app/versions/conditions.ts';
import { wellKnownSuites } from '../app/versions/well-known.ts';
import { collectNames, parseShare } from './options.ts';

/** The options of `farm compare` that are about versions of a page. */
export interface VersionsChoices {
  readonly browsers: readonly string[];
  readonly page?: string;
  readonly root?: string;
  readonly spa: boolean;
  readonly build?: string;
  readonly submodules: boolean;
  readonly despiteErrors: boolean;
  readonly acceptStatus: readonly number[];
  readonly measure: readonly string[];
  readonly suite?: string;
  readonly unit: string;
  readonly higher: boolean;
  readonly begin?: string;
  readonly input?: string;
  readonly network?: NamedNetwork;
  readonly warm: boolean;
  readonly isolation: boolean;
  readonly header: readonly string[];
  readonly cookie: readonly string[];
  readonly basicAuth?: string;
  readonly insecure: boolean;
  readonly ca?: string;
  readonly cpuThrottling?: number;
  readonly markdown: boolean;
  /** A share: a change for the worse that is shown to be larger makes the exit code 1. */
  readonly failOn?: number;
}

export function declareVersions(command: Command): void {
  declarePages(command);
  declareMeasures(command);
  declareConditions(command);
  declareAccess(command);
  command
    .option('--markdown', 'versions: print the table for a pull request', false)
    .option(
      '--fail-on <change>',
      'versions: exit with 1 for slower, or slower=5%, which is the margin, too',
      parseFailOn,
    );
}

function declarePages(command: Command): void {
  command
    .option(
      '--browsers <ids>',
      'versions: the browsers, instead of all that are found',
      collectNames,
      [],
    )
    .option('--page <file>', 'versions: the page of folders, packages and git refs')
    .option(
      '--root <folder>',
      'versions: the folder at / of the pages’ server: of files from here, else from the version’s own',
    )
    .option('--spa', 'versions: an address that names no file is that of index.html', false)
    .option(
      '--build <command>',
      'versions: builds each git ref, in a checkout outside the repository',
    )
    .option(
      '--accept-status <number>',
      'versions: of URLs, an answer from 400 on that is a page all the same; may be repeated',
      (text: string, sofar: readonly number[]): readonly number[] => [...sofar, parseStatus(text)],
      [],
    )
    .option(
      '--despite-errors',
      'versions: compares also pages whose scripts throw, or that lack files',
      false,
    )
    .option('--submodules', 'versions: fetches the submodules of each git ref, too', false);
}

/** @throws InvalidArgumentError for anything but a status of HTTP that says an error. */
function parseStatus(text: string): number {
  const status = Number(text);
  if (Number.isInteger(status) && status >= 400 && status <= 599) return status;
  throw new InvalidArgumentError('It is a number from 400 to 599.');
}

function declareMeasures(command: Command): void {
  const collect = (text: string, sofar: readonly string[]): readonly string[] => [...sofar, text];
  command
    .option(
      '--measure <what>',
      'versions: bench, measure:NAME, mark:NAME, load, fp, fcp, lcp, cls, tbt, inp, transferred, heap, memory, memory-end, cpu, or an expression; may be repeated',
      collect,
      [],
    )
    .addOption(
      new Option('--suite <name>', 'versions: copies of a well-known suite').choices(
        wellKnownSuites,
      ),
    )
    .option('--unit <unit>', 'versions: of expressions', 'ms')
    .option('--higher', 'versions: of expressions more is better', false)
    .option('--begin <expression>', 'versions: begins the work, once the page has loaded')
    .option(
      '--input <file>',
      'versions: clicks, keys and the like, once the page is quiet: a JSON list or a module',
    );
}

function declareConditions(command: Command): void {
  command
    .option(
      '--network <name>',
      'versions: slow-4g, 4g, or latency=<ms>,down=<kbit/s>; of pages that the farm serves',
      parseNetwork,
    )
    .option('--warm', 'versions: with their files in the browser’s cache, not an empty one', false)
    .option(
      '--cpu-throttling <times>',
      'versions: the processor seems so many times slower; Chromium by Playwright',
      parseThrottling,
    );
}

/** What lets a browser in at pages at URLs. */
function declareAccess(command: Command): void {
  const collect = (text: string, sofar: readonly string[]): readonly string[] => [...sofar, text];
  command
    .option(
      '--header <header>',
      'versions: of URLs, "Name: value" to their own origin alone; $NAME is of the environment, @file a file; may be repeated',
      collect,
      [],
    )
    .option('--cookie <cookie>', 'versions: of URLs, name=value; may be repeated', collect, [])
    .option('--basic-auth <user>', 'versions: of URLs, user:password')
    .option('--insecure', 'versions: of URLs, takes any certificate', false)
    .option('--ca <file>', 'versions: of URLs, takes certificates signed by this one (PEM)')
    .option(
      '--no-isolation',
      'versions: serves pages without COOP and COEP, so that they may embed other origins',
    );
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
