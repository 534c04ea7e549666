import type { GridNode } from '../driver.ts';
import { firstLine } from './step.ts';

/**
 * What a WebDriver server says of itself at `/status`. A hub of Selenium Grid 4 lists its nodes and
 * their slots there, each with the session that it holds; other servers say that they are ready.
 * https://www.selenium.dev/documentation/grid/advanced_features/endpoints/
 */
export interface ServerStatus {
  /** Null: the server is no grid. */
  readonly slots: readonly Slot[] | null;
}

/** A place for one session on one node. */
export interface Slot {
  readonly node: GridNode;
  readonly browserName: string;
  /** The session that it holds now; null when it is free. */
  readonly session: string | null;
  /** How whoever asked for that session called it; null when it has no name. */
  readonly sessionName: string | null;
}

/** What a slot must have. */
export interface WantedSlot {
  readonly browserName: string;
  readonly node: string | null;
}

/** The capability of Selenium Grid's that gives a session a name, which its hub tells. */
export const nameCapability = 'se:name';

/** The capability that says in a node's stereotypes how the inventory calls the node. */
export const nodeCapability = 'crossfarm:node';

const patienceMs = 5000;

/** A hub of a hundred slots was seen to say 60 kB. */
const longestStatus = 4 * 1024 * 1024;

/** @throws an Error whose message is half a sentence: why there is no status. */
export async function readStatus(address: string, signal?: AbortSignal): Promise<ServerStatus> {
  const timeout = AbortSignal.timeout(patienceMs);
  try {
    const answer = await fetch(`${address.replace(/\/+$/, '')}/status`, {
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      redirect: 'error',
    });
    return parseStatus(await readBounded(answer));
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(`no WebDriver server answers at ${address} (${reasonOf(error)})`, {
      cause: error,
    });
  }
}

/** `fetch failed` says nothing: the reason is its cause. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return `silent for ${String(patienceMs / 1000)} s`;
  }
  const code = pick(error instanceof Error ? error.cause : undefined, 'code');
  return typeof code === 'string' ? code : firstLine(error);
}

async function readBounded({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of body ?? []) {
    text += decoder.decode(piece as Uint8Array, { stream: true });
    if (text.length > longestStatus) throw new Error('its status has no end');
  }
  return text;
}

/** @throws an Error when it is no status of a WebDriver server. */
export function parseStatus(text: string): ServerStatus {
  const value = pick(JSON.parse(text), 'value');
  if (typeof pick(value, 'ready') !== 'boolean') {
    throw new Error('what answers is no WebDriver server');
  }
  const nodes = pick(value, 'nodes');
  return { slots: Array.isArray(nodes) ? nodes.flatMap(slotsOf) : null };
}

function slotsOf(node: unknown): readonly Slot[] {
  const [id, uri, slots] = [pick(node, 'id'), pick(node, 'uri'), pick(node, 'slots')];
  if (typeof id !== 'string' || typeof uri !== 'string' || !Array.isArray(slots)) return [];
  return slots.map((slot: unknown) => {
    const stereotype = pick(slot, 'stereotype');
    const [browserName, name] = [pick(stereotype, 'browserName'), pick(stereotype, nodeCapability)];
    const session = pick(pick(slot, 'session'), 'sessionId');
    const sessionName = pick(pick(pick(slot, 'session'), 'capabilities'), nameCapability);
    return {
      node: { id, uri, ...(typeof name === 'string' && { name }) },
      browserName: typeof browserName === 'string' ? browserName : '',
      session: typeof session === 'string' ? session : null,
      sessionName: typeof sessionName === 'string' ? sessionName : null,
    };
  });
}

function pick(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

/** The slots that can serve what is wanted, taken or not. */
export function fittingSlots(slots: readonly Slot[], wanted: WantedSlot): readonly Slot[] {
  return slots.filter(
    ({ node, browserName }) =>
      browserName.toLowerCase() === wanted.browserName.toLowerCase() &&
      (wanted.node === null || node.name === wanted.node),
  );
}

/** Half a sentence: why nothing of a grid can serve what is wanted now; null when a slot is free. */
export function whyNoSlot(slots: readonly Slot[], wanted: WantedSlot): string | null {
  const fitting = fittingSlots(slots, wanted);
  const { browserName, node } = wanted;
  const where = node === null ? 'the grid' : `node "${node}" of the grid`;
  if (fitting.some(({ session }) => session === null)) return null;
  if (fitting.length > 0) return `${where} has no free slot for ${browserName}`;
  if (node === null || slots.some((slot) => slot.node.name === node)) {
    return `${where} offers no ${browserName}`;
  }
  return `no node of the grid declares "${nodeCapability}": "${node}"`;
}
