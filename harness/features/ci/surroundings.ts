import { readFile } from 'node:fs/promises';
import { z } from 'zod';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where comments are written. */
export interface Forge {
  readonly kind: 'github' | 'gitea' | 'gitlab';
  /** Address of its API, without a slash at the end. */
  readonly api: string;
  /** `owner/name`; of GitLab also the number of the project. */
  readonly project: string;
}

/** A version as the surroundings name it. */
export interface NamedVersion {
  readonly branch: string | null;
  /** A name that git knows or can fetch: mostly a hash. */
  readonly ref: string;
}

/** The job that the command runs in. */
export interface Surroundings {
  /** Such as `GitHub Actions`. */
  readonly name: string;
  readonly forge: Forge | null;
  /** Number of the pull request; null for a push. */
  readonly pull: number | null;
  /** Null where only the user knows it. */
  readonly base: NamedVersion | null;
  readonly head: NamedVersion;
  /** The file whose text becomes the summary of the job. */
  readonly summary: string | null;
  /** Variables that may hold a token, the first one first. */
  readonly tokens: readonly string[];
}

const version = z.object({ ref: z.string().max(500), sha: z.string().max(100) });
const event = z.object({
  pull_request: z
    .object({ number: z.number().int().positive(), base: version, head: version })
    .optional(),
  before: z.string().max(100).optional(),
  after: z.string().max(100).optional(),
});

/** Recognises the continuous integration by its variables. */
export async function readSurroundings(environment: Environment): Promise<Surroundings> {
  if (environment['GITHUB_ACTIONS'] === 'true') return readActions(environment);
  if (environment['GITLAB_CI'] === 'true') return readGitLab(environment);
  if (environment['JENKINS_URL'] !== undefined) return readJenkins(environment);
  return {
    name: 'no continuous integration',
    forge: null,
    pull: null,
    base: null,
    head: { branch: null, ref: 'HEAD' },
    summary: null,
    tokens: [],
  };
}

/** GitHub Actions, and those of Gitea and Forgejo, which set the same variables. */
async function readActions(environment: Environment): Promise<Surroundings> {
  const get = reader(environment);
  const isGitea = get('GITEA_ACTIONS') !== null || get('FORGEJO_ACTIONS') !== null;
  const api = get('GITHUB_API_URL') ?? 'https://api.github.com';
  const project = get('GITHUB_REPOSITORY');
  return {
    name: isGitea ? 'Gitea Actions' : 'GitHub Actions',
    forge: project === null ? null : { kind: isGitea ? 'gitea' : 'github', api, project },
    ...(await readEvent(get)),
    summary: get('GITHUB_STEP_SUMMARY'),
    tokens: isGitea ? ['GITEA_TOKEN', 'GITHUB_TOKEN'] : ['GITHUB_TOKEN', 'GH_TOKEN'],
  };
}

/** Reads what the job is about: a pull request, or a push. */
async function readEvent(
  get: (name: string) => string | null,
): Promise<Pick<Surroundings, 'pull' | 'base' | 'head'>> {
  const { pull_request: pull, before, after } = await parseEvent(get('GITHUB_EVENT_PATH'));
  if (pull !== undefined) {
    const name = ({ ref, sha }: typeof pull.base): NamedVersion => ({ branch: ref, ref: sha });
    return { pull: pull.number, base: name(pull.base), head: name(pull.head) };
  }
  const branch = get('GITHUB_REF_NAME');
  const head = { branch, ref: after ?? get('GITHUB_SHA') ?? 'HEAD' };
  return { pull: null, base: findParent(before, branch), head };
}

/** Takes what a file says that is not one of Actions for an event without anything. */
async function parseEvent(path: string | null): Promise<z.infer<typeof event>> {
  if (path === null) return {};
  try {
    return event.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return {};
  }
}

function readGitLab(environment: Environment): Surroundings {
  const get = reader(environment);
  const [api, project] = [get('CI_API_V4_URL'), get('CI_PROJECT_ID')];
  const number = readNumber(get('CI_MERGE_REQUEST_IID'));
  const target = get('CI_MERGE_REQUEST_TARGET_BRANCH_NAME');
  const head = get('CI_MERGE_REQUEST_SOURCE_BRANCH_SHA');
  return {
    name: 'GitLab CI',
    forge: api === null || project === null ? null : { kind: 'gitlab', api, project },
    pull: number,
    base:
      number === null || target === null
        ? findParent(get('CI_COMMIT_BEFORE_SHA'), get('CI_COMMIT_BRANCH'))
        : { branch: target, ref: get('CI_MERGE_REQUEST_TARGET_BRANCH_SHA') ?? target },
    head: {
      branch: get('CI_MERGE_REQUEST_SOURCE_BRANCH_NAME') ?? get('CI_COMMIT_BRANCH'),
      ref: head ?? get('CI_COMMIT_SHA') ?? 'HEAD',
    },
    summary: null,
    tokens: ['GITLAB_TOKEN'],
  };
}

/** Jenkins has no comments: they go to the forge of the pull request. */
function readJenkins(environment: Environment): Surroundings {
  const get = reader(environment);
  const target = get('CHANGE_TARGET');
  const number = readNumber(get('CHANGE_ID'));
  return {
    name: 'Jenkins',
    forge: parseChangeUrl(get('CHANGE_URL')),
    pull: number,
    base:
      target === null
        ? findParent(get('GIT_PREVIOUS_COMMIT'), get('BRANCH_NAME'))
        : { branch: target, ref: target },
    head: {
      branch: get('CHANGE_BRANCH') ?? get('BRANCH_NAME'),
      ref: get('GIT_COMMIT') ?? 'HEAD',
    },
    summary: null,
    tokens: ['GITHUB_TOKEN', 'GITLAB_TOKEN', 'GITEA_TOKEN'],
  };
}

const changePaths = [
  ['github', /^\/([^/]+\/[^/]+)\/pull\/\d+/],
  ['gitea', /^\/([^/]+\/[^/]+)\/pulls\/\d+/],
  ['gitlab', /^\/(.+?)\/-\/merge_requests\/\d+/],
] as const;

/** Finds the forge of a pull request by the form of its address; null for another form. */
function parseChangeUrl(text: string | null): Forge | null {
  if (text === null || !URL.canParse(text)) return null;
  const { origin, protocol, host, pathname } = new URL(text);
  if (!/^https?:$/.test(protocol)) return null;
  for (const [kind, pattern] of changePaths) {
    const project = pattern.exec(pathname)?.[1];
    if (project === undefined) continue;
    const apis = {
      github: host === 'github.com' ? 'https://api.github.com' : `${origin}/api/v3`,
      gitea: `${origin}/api/v1`,
      gitlab: `${origin}/api/v4`,
    };
    return { kind, api: apis[kind], project };
  }
  return null;
}

/** Finds the commit before a push; for a new branch, its parent. */
function findParent(before: string | null | undefined, branch: string | null): NamedVersion {
  const isNew = before === undefined || before === null || /^0*$/.test(before);
  return { branch, ref: isNew ? 'HEAD^' : before };
}

function readNumber(text: string | null): number | null {
  return text !== null && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : null;
}

function reader(environment: Environment): (name: string) => string | null {
  return (name) => {
    const text = environment[name]?.trim() ?? '';
    return text === '' ? null : text;
  };
}

/**
 * The token that may comment; null without one. It leaves the environment, so that no build, page or
 * browser sees it. A build that needs the forge's own token keeps it where ours is `CROSSFARM_TOKEN`.
 */
export function takeToken(
  environment: Record<string, string | undefined>,
  names: readonly string[],
): string | null {
  for (const name of ['CROSSFARM_TOKEN', ...names]) {
    const token = environment[name]?.trim() ?? '';
    if (token === '') continue;
    Reflect.deleteProperty(environment, name);
    return token;
  }
  return null;
}

/** Inputs of `action.yml` that are options of the command. */
export interface ActionInputs {
  readonly options: Readonly<
    Partial<
      Record<'page' | 'build' | 'browsers' | 'budget' | 'failOn' | 'history' | 'name', string>
    >
  > & { readonly measure?: readonly string[] };
  /** More words of compare. */
  readonly more: readonly string[];
}

const optionsOfInputs = {
  page: 'page',
  build: 'build',
  browsers: 'browsers',
  budget: 'budget',
  'fail-on': 'failOn',
  history: 'history',
  name: 'name',
} as const;

/**
 * Takes the inputs of the action, as JSON in `CROSSFARM_INPUTS`; an empty one counts as none. They leave
 * the environment, because the token is among them: it goes where `takeToken` finds it.
 * @throws z.ZodError, SyntaxError for what the action never writes
 */
export function takeInputs(environment: Record<string, string | undefined>): ActionInputs {
  const text = environment['CROSSFARM_INPUTS'] ?? '{}';
  Reflect.deleteProperty(environment, 'CROSSFARM_INPUTS');
  const { token = '', ...inputs } = z.record(z.string(), z.string()).parse(JSON.parse(text));
  if (token.trim() !== '') environment['CROSSFARM_TOKEN'] = token;
  const lines = (name: string): readonly string[] =>
    (inputs[name] ?? '').split('\n').flatMap((line) => line.trim() || []);
  const measure = lines('measure');
  const options = Object.entries(optionsOfInputs).flatMap(([name, option]) => {
    const value = inputs[name]?.trim() ?? '';
    return value === '' ? [] : [[option, value] as const];
  });
  return {
    options: { ...Object.fromEntries(options), ...(measure.length > 0 && { measure }) },
    more: lines('options'),
  };
}
