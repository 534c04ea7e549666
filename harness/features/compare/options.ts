import { accessArguments, type Access, type AccessOptions } from './versions/access.ts';
import type { Conditions } from './versions/conditions.ts';
import type { Version } from './versions/resolve.ts';

import { readCircumstances, probeArguments, shellWord } from '../../core/app/run/repeat-command.ts';
import type { Choices } from '../../core/plan/catalog/expansion.ts';
import type { MeasuringOptions } from '../../core/app/run/execute-plan.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

/** Ids of two devices, which may be the same. */
export interface Sides {
  readonly a: string;
  readonly b: string;
}

export interface CompareOptions extends MeasuringOptions {
  /** The devices file. */
  readonly inventory: string;
  readonly bench: string;
  readonly param: Choices;
  readonly aParam: Choices;
  readonly bParam: Choices;
  readonly aBench?: string;
  readonly bBench?: string;
  readonly aFlag: readonly string[];
  readonly bFlag: readonly string[];
  readonly aExecutable?: string;
  readonly bExecutable?: string;
  readonly aDriver?: string;
  readonly bDriver?: string;
  /** Number of cores of both sides. */
  readonly cores?: number;
  readonly aCores?: number;
  readonly bCores?: number;
  /** A share: a smaller difference does not matter. */
  readonly margin: number;
  /** A share: it goes on until its interval reaches no farther than that. */
  readonly precision?: number;
  /** The probability of a wrong verdict; the usual one when left out. */
  readonly errorRate?: number;
  readonly maxBlocks: number;
  /** Milliseconds. */
  readonly budget?: number;
  /** Repeats an excluded trial once. */
  readonly repeat: boolean;
  readonly seed?: number;
  /** Sentence about the finding, to save it as an anomaly. */
  readonly save?: string;
}

/** Gives the command that repeats this comparison, order and all. */
export function compareCommand(names: Sides, options: CompareOptions, seed: number): string {
  const params = (name: string, choices: Choices): string[] =>
    Object.entries(choices).map(
      ([key, value]) => `--${name} ${shellWord(`${key}=${[value].flat().join(',')}`)}`,
    );
  return [
    `${npxCrossfarm} compare ${names.a} ${names.b}`,
    `--bench ${options.bench}`,
    ...params('param', options.param),
    ...params('a-param', options.aParam),
    ...params('b-param', options.bParam),
    ...one('a-bench', options.aBench),
    ...one('b-bench', options.bBench),
    ...sideArguments(options),
    ...blockArguments(options, seed),
  ].join(' ');
}

interface OpenedPages {
  readonly versions: readonly Version[];
  readonly access: Access;
}

/** Gives the command that repeats a comparison of two devices on a page of one's own. */
export function pageCommand(
  names: Sides,
  options: ComparedPageOptions,
  { versions, access, seed }: OpenedPages & { readonly seed: number },
): string {
  return [
    `${npxCrossfarm} compare ${names.a} ${names.b}`,
    ...one('page', options.page),
    ...sideArguments(options),
    ...pageArguments(versions, { ...options, access }),
    ...blockArguments(options, seed),
  ].join(' ');
}

function one(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [`--${name} ${shellWord(value)}`];
}

function sideArguments(options: CompareOptions): readonly string[] {
  return [
    ...options.aFlag.map((flag) => `--a-flag=${shellWord(flag)}`),
    ...options.bFlag.map((flag) => `--b-flag=${shellWord(flag)}`),
    ...one('a-executable', options.aExecutable),
    ...one('b-executable', options.bExecutable),
    ...one('a-driver', options.aDriver),
    ...one('b-driver', options.bDriver),
    ...one('cores', options.cores?.toString()),
    ...one('a-cores', options.aCores?.toString()),
    ...one('b-cores', options.bCores?.toString()),
  ];
}

type BlockOptions = Pick<
  VersionsOptions,
  'margin' | 'precision' | 'worseBy' | 'errorRate' | 'maxBlocks' | 'repeat' | 'inventory'
> &
  MeasuringOptions;

function blockArguments(options: BlockOptions, seed: number): readonly string[] {
  return [
    `--margin ${String(options.margin)}`,
    ...one('precision', options.precision?.toString()),
    ...failOnOf(options),
    ...one('error-rate', options.errorRate?.toString()),
    `--max-blocks ${String(options.maxBlocks)}`,
    ...probeArguments(options),
    ...(options.repeat ? [] : ['--no-repeat']),
    ...readCircumstances(options),
    `--seed ${String(seed)}`,
  ];
}

/** Gives the command that would have measured all of it in one go. */
export function furtherCommand(
  command: string,
  {
    blocks,
    margin,
    precision,
  }: {
    readonly blocks: number;
    readonly margin: number;
    readonly precision?: number | undefined;
  },
): string {
  const narrow = one('precision', precision?.toString());
  return command
    .replace(/--max-blocks \d+/, `--max-blocks ${String(blocks)}`)
    .replace(
      /--margin \S+(?: --precision \S+)?/,
      [`--margin ${String(margin)}`, ...narrow].join(' '),
    );
}

/** How pages of one's own are opened and read. */
export interface PageOptions extends MeasuringOptions, Conditions, AccessOptions {
  /** Where the pages lie; where the user stands when left out. */
  readonly from?: string;
  /** The devices file. */
  readonly inventory: string;
  /** The folder at `/` of the pages' server; the page's own, or the version, when left out. */
  readonly root?: string;
  /** False for folders without the headers that isolate their pages from other origins. */
  readonly isolation?: boolean;
  /** `index.html` is the page at every address that names no file. */
  readonly spa?: boolean;
  /** The measures, as `parseMeasure` takes them; those that the pages offer when empty. */
  readonly measure: readonly string[];
  /** Of globals and expressions: the unit, and whether more is better. */
  readonly unit: string;
  readonly higher: boolean;
  /** An expression that begins the work of the pages. */
  readonly begin?: string;
  /** A JSON file or module with the list of steps that are done to the pages. */
  readonly input?: string;
  /** Answers of 400 and above that are a page all the same. */
  readonly acceptStatus?: readonly number[];
  /** Pages with errors are measured, too. */
  readonly despiteErrors?: boolean;
}

/** Of a comparison of two devices on a page of one's own. */
export interface ComparedPageOptions extends CompareOptions, PageOptions {
  /** An HTML file, folder or URL. */
  readonly page: string;
}

export interface VersionsOptions extends PageOptions {
  /** Ids of devices; all browsers of the devices file that are found when empty. */
  readonly browsers: readonly string[];
  /** The page of each folder, ref or package. */
  readonly page?: string;
  /** A command of the user's shell that builds each git ref. */
  readonly build?: string;
  /** A command of the user's shell that serves each version; `{port}` stands for its port. */
  readonly server?: string;
  /** The address of the page that these servers give, with `{port}`. */
  readonly url?: string;
  /** Milliseconds that one build may take. */
  readonly buildDeadline?: number;
  /** The submodules of each git ref are fetched, too. */
  readonly submodules?: boolean;
  /** The name under which the page imports each package; its own when left out. */
  readonly as?: string;
  /** Packages run with the checks of their development, not as users have them. */
  readonly dev?: boolean;
  /** A well-known suite, of which the versions are copies: it says what is read, and how. */
  readonly suite?: string;
  /** A share: a smaller difference does not matter. */
  readonly margin: number;
  /** A share: it goes on until each interval reaches no farther than that, with a verdict or without. */
  readonly precision?: number;
  /** A share: of what is slower, whether it is so by more than that is to be shown, too. */
  readonly worseBy?: number | undefined;
  /** The probability of a wrong verdict; the usual one when left out. */
  readonly errorRate?: number;
  readonly maxBlocks: number;
  /** Milliseconds. */
  readonly budget?: number;
  /** Repeats an excluded trial once. */
  readonly repeat: boolean;
  readonly seed?: number;
  /** A trial is a fresh page of a browser that others had, too; a fresh browser when left out. */
  readonly sharedBrowser?: boolean;
}

function failOnOf({ worseBy }: Pick<VersionsOptions, 'worseBy'>): readonly string[] {
  if (worseBy === undefined) return [];
  return [`--fail-on slower${worseBy === 0 ? '' : `=${String(worseBy)}`}`];
}

function secondsOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : `${String(ms / 1000)}s`;
}

/** Gives the command that repeats a comparison of versions, order and all. */
export function versionsCommand(
  versions: readonly Version[],
  options: VersionsOptions & { readonly access: Access },
  seed: number,
): string {
  return [
    `${npxCrossfarm} compare ${versions.map(({ name }) => shellWord(name)).join(' ')}`,
    ...(options.browsers.length > 0 ? [`--browsers ${options.browsers.join(',')}`] : []),
    ...one('suite', options.suite),
    ...one('page', options.page),
    ...one('build', options.build),
    ...one('server', options.server),
    ...one('url', options.url),
    ...one('build-deadline', secondsOf(options.buildDeadline)),
    ...(options.submodules === true ? ['--submodules'] : []),
    ...one('as', options.as),
    ...(options.dev === true ? ['--dev'] : []),
    ...(options.sharedBrowser === true ? ['--shared-browser'] : []),
    ...pageArguments(versions, options),
    ...blockArguments(options, seed),
  ].join(' ');
}

/** Lists the arguments for how pages of one's own are opened and read. */
function pageArguments(
  versions: readonly Version[],
  options: PageOptions & { readonly access: Access },
): readonly string[] {
  return [
    ...one('root', options.root),
    ...(options.spa === true ? ['--spa'] : []),
    ...accessArguments(versions, options),
    ...options.measure.map((text) => `--measure ${shellWord(text)}`),
    ...one('begin', options.begin),
    ...one('input', options.input),
    ...one('network', options.network?.argument),
    ...(options.warm === true ? ['--warm'] : []),
    ...(options.acceptStatus ?? []).map((status) => `--accept-status ${String(status)}`),
    ...(options.despiteErrors === true ? ['--despite-errors'] : []),
    ...one('cpu-throttling', options.cpuThrottling?.toString()),
    ...(options.measure.length > 0 ? one('unit', options.unit) : []),
    ...(options.higher ? ['--higher'] : []),
  ];
}
