import { setTimeout as rest } from 'node:timers/promises';
import { removeReverse } from './adb-reverse.ts';
import type { Orphan } from '../driver.ts';
import { readStatus } from './grid-status.ts';
import { firstLine } from './step.ts';

/** Ends what a session left elsewhere when its farm was killed. */

export interface Patience {
  /** How long a server that does not answer is asked again: it may be restarting. */
  readonly patienceMs?: number;
  readonly everyMs?: number;
}

/**
 * Ends it, if it is still there.
 * @returns null when it is gone; otherwise a sentence: what could not be ended, and why. Never throws.
 */
export async function endOrphan(
  orphan: Orphan,
  { patienceMs = 10_000, everyMs = 500 }: Patience = {},
): Promise<string | null> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const obstacle = await tryToEnd(orphan).catch(firstLine);
    if (obstacle === null) return null;
    if (performance.now() + everyMs > until) return `${describe(orphan)}: ${obstacle}`;
    await rest(everyMs);
  }
}

function describe(orphan: Orphan): string {
  switch (orphan.kind) {
    case 'webdriver':
      return `session ${orphan.session} of ${orphan.server} could not be ended`;
    case 'grid':
      return `sessions "${orphan.name}" of ${orphan.server} could not be looked for`;
    case 'adb-reverse':
      return `port ${orphan.port} of ${orphan.udid ?? 'the phone'} still leads to this machine`;
  }
}

/** Half a sentence: why it may still be there; null when it is not. */
function tryToEnd(orphan: Orphan): Promise<string | null> {
  switch (orphan.kind) {
    case 'webdriver':
      return endSessionBy(orphan);
    case 'grid':
      return endNamed(orphan);
    case 'adb-reverse':
      return takeBackPort(orphan);
  }
}

type Of<Kind extends Orphan['kind']> = Extract<Orphan, { readonly kind: Kind }>;

/**
 * Ends a session by its server or, when that was restarted and no longer knows it, by its node,
 * which would otherwise hold its slot for minutes.
 */
async function endSessionBy({ server, session, nodeUri }: Of<'webdriver'>): Promise<string | null> {
  const path = `/session/${encodeURIComponent(session)}`;
  const byServer = await askToDelete(`${server.replace(/\/+$/, '')}${path}`);
  if (byServer === 'done') return null;
  const last = nodeUri === undefined ? byServer : await endAtNode(nodeUri, session);
  return typeof last === 'string' ? null : last.refusal;
}

/** Ends a session by its name, which the hub lists even if the id never reached a farm. */
async function endNamed({ server, name }: Of<'grid'>): Promise<string | null> {
  const { slots } = await readStatus(server);
  const ours = (slots ?? []).filter((slot) => slot.sessionName === name);
  for (const { session, node } of ours) {
    if (session === null) continue;
    const kind = 'webdriver';
    const obstacle = await endSessionBy({ kind, server, session, nodeUri: node.uri });
    if (obstacle !== null) return obstacle;
  }
  return null;
}

/** `unknown`: the server answers, and has no such session. */
export type Deletion = 'done' | 'unknown' | { readonly refusal: string };

/** A browser that hangs is killed by its driver before it answers. */
const deletionMs = 10_000;

/** https://www.selenium.dev/documentation/grid/advanced_features/endpoints/#delete-session */
export async function endAtNode(uri: string, session: string): Promise<Deletion> {
  const deletion = await askToDelete(`${uri}/se/grid/node/session/${encodeURIComponent(session)}`);
  // A machine that refuses the connection has no node any more, and so no session.
  const isGone = typeof deletion !== 'string' && deletion.refusal.includes('ECONNREFUSED');
  return isGone ? 'unknown' : deletion;
}

async function askToDelete(address: string): Promise<Deletion> {
  try {
    const { ok, status } = await fetch(address, {
      method: 'DELETE',
      headers: { 'X-REGISTRATION-SECRET': '' },
      signal: AbortSignal.timeout(deletionMs),
      redirect: 'error',
    });
    if (ok) return 'done';
    return status === 404 ? 'unknown' : { refusal: `${address} answers ${String(status)}` };
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return { refusal: firstLine(cause) };
  }
}

async function takeBackPort({
  udid,
  port,
  environment,
}: Of<'adb-reverse'>): Promise<string | null> {
  const variables = Object.entries({ ...process.env, ...environment });
  const known = variables.filter((one): one is [string, string] => one[1] !== undefined);
  try {
    await removeReverse({ udid, environment: Object.fromEntries(known) }, port);
    return null;
  } catch (error) {
    const why = firstLine(error);
    // It was not made yet, or went with the connection to the phone.
    return /listener .*not found|device .*not found|no devices/.test(why) ? null : why;
  }
}
