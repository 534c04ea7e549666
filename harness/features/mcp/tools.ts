import type { Command, Option } from 'commander';
import { z } from 'zod';

/** A tool of an agent: a command of the farm, with the options that an agent may set. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Its words: `claims reproduce`. */
  readonly command: readonly string[];
  /** Options that it always has. */
  readonly fixed?: readonly string[];
  /** The input that becomes the arguments, and how many there may be. */
  readonly takes?: { readonly name: string; readonly schema: z.ZodType<readonly string[]> };
  /** Long names, without hyphens. One that the command lacks is left out. */
  readonly options: readonly string[];
  /** It starts browsers: one such tool works at a time. */
  readonly measures: boolean;
}

/** Options that run programs of the user's shell. */
const ofPrograms: readonly string[] = ['build', 'server'];

const howLong = ['measurement', 'margin', 'precision', 'budget', 'max-blocks', 'seed'];
const ofPages = ['browsers', 'page', 'measure', 'as', 'spa', 'warm', 'network', 'fail-on'];

/** A word that is no option of a command, and begins no line in a terminal. */
const word = z
  .string()
  .min(1)
  .max(200)
  // Clients in other languages read it, too.
  .regex(/^[^-\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$/, 'must not begin with a hyphen');

const words = (least: number, most: number, what: string) =>
  z.array(word).min(least).max(most).describe(what);

export const tools: readonly Tool[] = [
  {
    name: 'compare',
    title: 'Compare versions',
    description:
      'Measures versions of a page in alternating blocks until each difference is decided, in every browser that is here. Answers verdicts with ratios and intervals. Takes minutes, unless measurement is fast, which is a smoke test.',
    command: ['compare'],
    takes: {
      name: 'versions',
      schema: words(
        2,
        10,
        'HTML files, folders, URLs, git refs or packages such as lit@3, the old one first; or two devices',
      ),
    },
    options: [...ofPages, ...ofPrograms, ...howLong, 'bench', 'param', 'suite', 'save'],
    measures: true,
  },
  {
    name: 'run',
    title: 'Measure',
    description:
      'Measures pages, benchmarks or a suite in every browser that is here, and stores the run. The tool explain tells what was found.',
    command: ['run'],
    takes: {
      name: 'pages',
      schema: words(0, 10, 'HTML files, folders or URLs; none for a suite or benchmarks'),
    },
    options: ['suite', 'bench', 'device', 'param', 'trials', 'until', 'measure', ...howLong],
    measures: true,
  },
  {
    name: 'bisect',
    title: 'Find the commit or build',
    description:
      'Finds the commit of a page, or the build of a browser, that made a difference, and holds it against the one before it.',
    command: ['bisect'],
    takes: {
      name: 'between',
      schema: words(1, 2, 'a range such as v1.4..HEAD, or the good and the bad commit or build'),
    },
    options: [...ofPages, ...ofPrograms, ...howLong, 'bench', 'param', 'from', 'to'],
    measures: true,
  },
  {
    name: 'reproduce',
    title: 'Measure a claim or finding again',
    description: 'Measures a published claim (A3), or a finding that was saved (N1), once more.',
    command: ['claims', 'reproduce'],
    takes: {
      name: 'ids',
      // A name of a file would be a bundle, which brings pages and flags of others.
      schema: z
        .array(z.string().regex(/^[A-Z]\d{1,4}$/, 'must be an id such as A3 or N1'))
        .min(1)
        .max(10),
    },
    options: ['device', 'param', ...howLong],
    measures: true,
  },
  {
    name: 'findings',
    title: 'List findings',
    description: 'Lists the differences that were saved, and what became of each.',
    command: ['findings'],
    options: [],
    measures: false,
  },
  {
    name: 'explain',
    title: 'Explain a verdict',
    description:
      'Tells what a stored run found: verdicts with intervals, tables, and what limits them.',
    command: ['report'],
    fixed: ['--terminal'],
    takes: {
      name: 'runs',
      schema: z
        .array(z.string().regex(/^(latest|\d{1,9})$/, 'must be the number of a run, or latest'))
        .max(5)
        .describe('numbers of stored runs; the latest one when left out'),
    },
    options: ['device', 'bench', 'baseline'],
    measures: false,
  },
];

/** Permissions of the user beyond measuring pages of this machine. */
export interface Allowed {
  /** Commands of the shell: builds and servers of versions. */
  readonly build: boolean;
  /** Pages of other machines. */
  readonly urls: boolean;
}

/** The input of a tool: what it takes, and those options of its command that an agent may set. */
export function makeInput({ takes, options }: Tool, command: Command, allowed: Allowed) {
  const shape: Record<string, z.ZodType> = {};
  if (takes !== undefined) {
    const { schema, name } = takes;
    shape[name] = schema.safeParse([]).success ? schema.optional() : schema;
  }
  for (const option of listOptions(options, command)) {
    if (!allowed.build && ofPrograms.includes(nameOption(option))) continue;
    shape[nameOption(option)] = describeOption(option).optional();
  }
  return z.strictObject(shape);
}

function listOptions(names: readonly string[], command: Command): readonly Option[] {
  return command.options.filter((option) => names.includes(nameOption(option)));
}

function nameOption({ long }: Option): string {
  return (long ?? '').replace(/^--/, '');
}

const mostOfOne = 20;

function describeOption(option: Option): z.ZodType {
  const { flags, required, optional, argChoices, defaultValue } = option;
  const description = option.description.replace(/^(versions|commits|pages|builds): /, '');
  if (!required && !optional) return z.boolean().describe(description);
  const text = z.string().min(1).max(2000);
  const one = argChoices === undefined ? text : z.enum(argChoices);
  const value = flags.includes('<number>') ? z.number() : one;
  const isList = Array.isArray(defaultValue) || description.includes('repeatable');
  const isPairs = flags.includes('=');
  return (isList || isPairs ? z.array(value).max(mostOfOne) : value).describe(description);
}

export type ToolInput = Readonly<Record<string, unknown>>;

/**
 * The words of a tool's command, as a user would type them.
 * @param place options that the user chose for all tools
 */
export function makeWords(
  { command, fixed = [], takes }: Tool,
  input: ToolInput,
  place: readonly string[],
): string[] {
  const { [takes?.name ?? '']: taken = [], ...options } = input;
  const given = Object.entries(options).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((one) => one !== false && one !== undefined)
      .map((one) => (one === true ? `--${name}` : `--${name}=${String(one)}`)),
  );
  // Nothing after the hyphens is an option.
  return [
    ...command,
    ...fixed,
    ...place,
    ...given,
    '--json',
    '--',
    ...(taken as readonly string[]),
  ];
}

/** Why the user of a tool has to be asked first; null where this needs no permission. */
export function findForbidden(tool: Tool, input: ToolInput, allowed: Allowed): string | null {
  const program = ofPrograms.find((name) => input[name] !== undefined);
  if (program !== undefined && !allowed.build) {
    return `${program} runs a command of the shell, and the user allows none: crossfarm mcp --allow-build allows it.`;
  }
  const taken = tool.takes === undefined ? [] : (input[tool.takes.name] ?? []);
  const elsewhere = [taken, input['page'] ?? []].flat().map(String).find(leadsElsewhere);
  if (elsewhere === undefined || allowed.urls) return null;
  return `${elsewhere} is on another machine, and the user allows only pages of this one: crossfarm mcp --allow-urls allows it.`;
}

const ofThisMachine = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** True for URLs of other machines, and for packages from elsewhere than the registry. */
function leadsElsewhere(name: string): boolean {
  const [, version] = /^(?:npm:)?(?:@[^@/]+\/)?[^@:/]+@(.+)$/.exec(name) ?? [];
  if (version !== undefined) return /[:/]/.test(version) && !version.startsWith('file:');
  // One letter is a drive.
  if (!/^[a-z][a-z\d+.-]+:/i.test(name)) return false;
  if (!URL.canParse(name)) return true;
  const { protocol, hostname } = new URL(name);
  return protocol !== 'file:' && !(/^https?:$/.test(protocol) && ofThisMachine.test(hostname));
}
