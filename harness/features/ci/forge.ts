import { z } from 'zod';
import type { Forge } from './surroundings.ts';

/** A refusal of the forge, as a sentence without secrets. */
export class ForgeError extends Error {
  readonly status: number | null;
  constructor(what: string, status: number | null) {
    super(what);
    this.name = 'ForgeError';
    this.status = status;
  }
}

export interface ForgeAccess {
  readonly forge: Forge;
  readonly token: string;
  readonly signal: AbortSignal;
  /** Milliseconds before the first repetition of a request; then twice as many. */
  readonly waitMs?: number;
}

/** How a commit did, for the list of checks of its pull request. */
export interface CommitCheck {
  readonly name: string;
  readonly commit: string;
  readonly conclusion: 'success' | 'failure' | 'neutral';
  /** One line. */
  readonly title: string;
  /** Markdown. */
  readonly summary: string;
}

const comment = z.object({
  id: z.number().int(),
  body: z.string().nullish(),
  html_url: z.string().optional(),
  user: z.object({ id: z.number(), type: z.string().optional() }).nullish(),
  author: z.object({ id: z.number() }).nullish(),
});
type StoredComment = z.infer<typeof comment>;

/** Comments of a page, and pages that are read. */
const [perPage, mostPages] = [100, 50];
const [mostTries, deadlineMs] = [4, 30_000];

/**
 * Writes the comment of a pull request that begins with this marker: changes the one that is there,
 * or adds it. Only a comment of the token's own account counts, because anybody can write the marker.
 * @returns whether it is new
 * @throws ForgeError with the permission that the token lacks
 */
export async function putComment(
  access: ForgeAccess,
  pull: number,
  { marker, body }: { readonly marker: string; readonly body: string },
): Promise<'added' | 'changed'> {
  const { kind } = access.forge;
  const isOwn = await readOwner(access);
  const list =
    kind === 'gitlab' ? `merge_requests/${String(pull)}/notes` : `issues/${String(pull)}/comments`;
  const found = await findComment(
    access,
    list,
    (one) => isOwn(one) && (one.body ?? '').startsWith(marker),
  );
  const text = { body: `${marker}\n${body}` };
  if (found === null) {
    await ask(access, 'POST', list, text);
    return 'added';
  }
  const id = String(found.id);
  if (kind === 'gitlab') await ask(access, 'PUT', `${list}/${id}`, text);
  else await ask(access, 'PATCH', `issues/comments/${id}`, text);
  return 'changed';
}

/** Finds the account of a token, to know its own comments. GitHub's token of a job has no account: it is a bot. */
async function readOwner(access: ForgeAccess): Promise<(one: StoredComment) => boolean> {
  try {
    const { id } = z.object({ id: z.number() }).parse(await ask(access, 'GET', '/user'));
    return ({ user, author }) => (user ?? author)?.id === id;
  } catch (error) {
    if (!(error instanceof ForgeError) || ![401, 403].includes(error.status ?? 0)) throw error;
    return ({ user }) => user?.type === undefined || user.type === 'Bot';
  }
}

async function findComment(
  access: ForgeAccess,
  list: string,
  isMeant: (one: StoredComment) => boolean,
): Promise<StoredComment | null> {
  const seen = new Set<number>();
  for (let page = 1; page <= mostPages; page += 1) {
    const query = `?per_page=${String(perPage)}&page=${String(page)}`;
    const comments = z.array(comment).parse(await ask(access, 'GET', `${list}${query}`));
    const found = comments.find(isMeant);
    if (found !== undefined) return found;
    // Gitea ignores the page and gives all comments.
    const isNew = comments.some(({ id }) => !seen.has(id));
    if (!isNew || comments.length < perPage) return null;
    for (const { id } of comments) seen.add(id);
  }
  return null;
}

/** Adds a check of GitHub with its summary, elsewhere the status of the commit. @throws ForgeError */
export async function putCheck(access: ForgeAccess, check: CommitCheck): Promise<void> {
  const { kind } = access.forge;
  const { name, commit, conclusion, title, summary } = check;
  if (kind === 'github') {
    const output = { title, summary };
    const facts = { name, head_sha: commit, status: 'completed', conclusion, output };
    await ask(access, 'POST', 'check-runs', facts);
    return;
  }
  const state = conclusion === 'failure' ? 'failure' : 'success';
  const description = title.slice(0, 140);
  if (kind === 'gitea')
    await ask(access, 'POST', `statuses/${commit}`, { context: name, state, description });
  else {
    const facts = { name, state: state === 'failure' ? 'failed' : 'success', description };
    await ask(access, 'POST', `statuses/${commit}`, facts);
  }
}

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT';

async function ask(
  access: ForgeAccess,
  method: Method,
  path: string,
  body?: object,
): Promise<unknown> {
  const { waitMs = 1_000, signal } = access;
  for (let tries = 1; ; tries += 1) {
    const { answer, error } = await askOnce(access, method, path, body);
    if (error === null) return answer;
    const isPassing = error.status === null || error.status === 429 || error.status >= 500;
    if (!isPassing || tries === mostTries) throw error;
    const { setTimeout: wait } = await import('node:timers/promises');
    await wait(waitMs * 2 ** (tries - 1), undefined, { signal });
  }
}

async function askOnce(
  { forge, token, signal }: ForgeAccess,
  method: Method,
  path: string,
  body?: object,
): Promise<{ readonly answer: unknown; readonly error: ForgeError | null }> {
  const { kind, api, project } = forge;
  const folder = kind === 'gitlab' ? `projects/${encodeURIComponent(project)}` : `repos/${project}`;
  const url = path.startsWith('/') ? `${api}${path}` : `${api}/${folder}/${path}`;
  try {
    const response = await fetch(url, {
      method,
      // A token goes nowhere but to the API.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]),
      headers: {
        ...(kind === 'gitlab' ? { 'private-token': token } : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        accept: 'application/json',
        'user-agent': 'crossfarm',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { ok, status } = response;
    if (ok) return { answer: await response.json(), error: null };
    await response.body?.cancel();
    return { answer: null, error: new ForgeError(explain(kind, status, path), status) };
  } catch (error) {
    signal.throwIfAborted();
    const { cause, message } = error as Error & { readonly cause?: { readonly code?: string } };
    const why = cause?.code ?? message;
    return {
      answer: null,
      error: new ForgeError(`${new URL(url).host} did not answer (${why})`, null),
    };
  }
}

const permissions = {
  github: { comment: 'pull-requests: write', check: 'checks: write' },
  gitea: { comment: 'issues: write', check: 'repository: write' },
  gitlab: { comment: 'scope api, role Reporter', check: 'scope api, role Developer' },
} as const;

function explain(kind: Forge['kind'], status: number, path: string): string {
  const what = /check-runs|statuses/.test(path) ? 'check' : 'comment';
  switch (status) {
    case 401:
      return 'the token is not valid (401)';
    case 403:
    case 404:
      return `the token may not write a ${what}: it needs “${permissions[kind][what]}”; tokens of forks have less (${String(status)})`;
    default:
      return `the API answered with ${String(status)}`;
  }
}
