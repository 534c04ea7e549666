import { errorText } from '../shared/step.ts';
import { setTimeout as rest } from 'node:timers/promises';
import type { Browser } from 'webdriverio';
import { DriverError, type GridNode } from '../driver.ts';
import {
  fittingSlots,
  nodeCapability,
  readStatus,
  whyNoSlot,
  type Slot,
  type WantedSlot,
} from '../shared/grid-status.ts';
import { endAtNode, endOrphan } from '../shared/orphaned-sessions.ts';
import type { Ending } from '../shared/step.ts';

/** A session in a Selenium Grid needs more than the protocol: a free slot, and its node. */

const lookMs = 500;

interface Waiting {
  /** How long a slot is waited for. */
  readonly patienceMs: number;
  readonly abandoned: AbortSignal;
  /** Names of sessions without an owner: those that hold a slot are ended. */
  readonly lost: ReadonlySet<string>;
}

/**
 * Waits until a slot is free that fits. A grid would queue the request by itself, but would start a
 * browser without an owner if the farm gave up meanwhile. A hub that does not answer may be
 * restarting, so this waits for it, too; not for a node that is gone, because its hub lists it for
 * minutes.
 * @returns whether the server is a grid.
 * @throws DriverError `timed-out`, or `launch-failed` for such a node, with what was missing.
 */
export async function awaitSlot(
  address: string,
  wanted: WantedSlot,
  { patienceMs, abandoned, lost }: Waiting,
): Promise<boolean> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const { obstacle, isGrid } = await look(address, wanted, { abandoned, lost });
    if (obstacle === null) return isGrid;
    if (performance.now() + lookMs > until) {
      const seconds = String(Math.round(patienceMs / 1000));
      throw new DriverError('timed-out', `No session within ${seconds} s: ${obstacle}`);
    }
    await rest(lookMs, undefined, { signal: abandoned });
  }
}

interface Look {
  /** The reason why no slot is free now, half a sentence. */
  readonly obstacle: string | null;
  readonly isGrid: boolean;
}

async function look(
  address: string,
  wanted: WantedSlot,
  { abandoned, lost }: Omit<Waiting, 'patienceMs'>,
): Promise<Look> {
  try {
    const { slots } = await readStatus(address, abandoned);
    if (slots === null) return { obstacle: null, isGrid: false };
    const fitting = fittingSlots(slots, wanted);
    await refuseGone(fitting, abandoned);
    await endLost(address, fitting, lost);
    return { obstacle: whyNoSlot(slots, wanted), isGrid: true };
  } catch (error) {
    abandoned.throwIfAborted();
    if (error instanceof DriverError) throw error;
    return { obstacle: errorText(error), isGrid: false };
  }
}

/** Their slots are seen free at the next look. */
async function endLost(
  server: string,
  slots: readonly Slot[],
  lost: ReadonlySet<string>,
): Promise<void> {
  for (const { session, sessionName, node } of slots) {
    if (session === null || sessionName === null || !lost.has(sessionName)) continue;
    const orphan = { kind: 'webdriver', server, session, nodeUri: node.uri } as const;
    await endOrphan(orphan, { patienceMs: 0 });
  }
}

/** Only a machine that refuses the connection says for certain that its node is gone. */
async function refuseGone(fitting: readonly Slot[], abandoned: AbortSignal): Promise<void> {
  const [uri, ...others] = new Set(fitting.map(({ node }) => node.uri));
  if (uri === undefined || others.length > 0) return;
  const why = await whySilent(uri, abandoned);
  if (why?.includes('ECONNREFUSED') !== true) return;
  throw new DriverError('launch-failed', `the hub lists a node that is gone: ${why}`);
}

async function whySilent(uri: string, signal: AbortSignal): Promise<string | null> {
  try {
    await readStatus(uri, signal);
    return null;
  } catch (error) {
    signal.throwIfAborted();
    return errorText(error);
  }
}

/** The hub lists a session some milliseconds after it has handed it out. */
const landingTries = 10;

/** The node on which a session is; null where the server is not a grid, or does not list it. */
export async function findNode(
  address: string,
  session: string,
  abandoned: AbortSignal,
): Promise<GridNode | null> {
  for (let tries = 1; tries <= landingTries; tries += 1) {
    const { slots } = await readStatus(address, abandoned);
    if (slots === null) return null;
    const slot = slots.find((one: Slot) => one.session === session);
    if (slot !== undefined) return slot.node;
    await rest(lookMs / 5, undefined, { signal: abandoned });
  }
  return null;
}

/**
 * A grid hands out any node that does not contradict the request, also one that declares nothing:
 * trials on the wrong node would be stored as those of another machine.
 */
export function refuseWrongNode(node: GridNode | null, wanted: string | undefined): void {
  if (wanted === undefined || node?.name === wanted) return;
  const where = node === null ? 'the server is no grid' : `the session landed on ${node.uri}`;
  throw new DriverError(
    'launch-failed',
    `"${wanted}" was asked for, and ${where}: its node must declare "${nodeCapability}": "${wanted}" in its stereotypes`,
  );
}

const watchMs = 5000;

/**
 * Looks every five seconds whether the node still answers, and reports when it does not twice in a
 * row. The browser itself is not asked: a command would reach into the page while it is timed. A
 * node that this machine cannot reach directly is not watched.
 */
export function watchNode(
  { uri }: GridNode,
  ending: Ending,
  { everyMs = watchMs }: { readonly everyMs?: number } = {},
): () => void {
  const stop = new AbortController();
  void watch(uri, ending, { everyMs, signal: stop.signal }).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  return () => {
    stop.abort();
  };
}

interface Watching {
  readonly everyMs: number;
  readonly signal: AbortSignal;
}

async function watch(uri: string, ending: Ending, { everyMs, signal }: Watching): Promise<void> {
  let silent = (await whySilent(uri, signal)) === null ? 0 : null;
  while (silent !== null) {
    await rest(everyMs, undefined, { signal, ref: false });
    silent = (await whySilent(uri, signal)) === null ? 0 : silent + 1;
    if (silent < 2) continue;
    ending.tell(`the node at ${uri} does not answer any more`);
    return;
  }
}

/**
 * Ends a session by its hub or, when that was restarted and no longer knows it, by its node, which
 * would otherwise hold its slot for minutes.
 * @throws the hub's error when neither worked.
 */
export async function endSession(browser: Browser, node: GridNode | null): Promise<void> {
  const { sessionId } = browser;
  try {
    await browser.deleteSession({ shutdownDriver: false });
  } catch (error) {
    if (node === null || (await endAtNode(node.uri, sessionId)) !== 'done') throw error;
  }
}
