import type { GridNode } from '../driver.ts';
import { pick, readServerStatus } from './server-status.ts';

/**
 * The status of a WebDriver server, from `/status`. A hub of Selenium Grid 4 lists its nodes and
 * their slots there, each with the session that it holds; other servers say that they are ready.
 * https://www.selenium.dev/documentation/grid/advanced_features/endpoints/
 */
export interface ServerStatus {
  /** Null: the server is not a grid. */
  readonly slots: readonly Slot[] | null;
}

/** A place for one session on one node. */
export interface Slot {
  readonly node: GridNode;
  readonly browserName: string;
  /** The session that it holds now; null when it is free. */
  readonly session: string | null;
  /** Name that the session was requested with; null without one. */
  readonly sessionName: string | null;
}

/** Requirements of a slot. */
export interface WantedSlot {
  readonly browserName: string;
  readonly node: string | null;
}

/** The capability of Selenium Grid that names a session; the hub's status shows the name. */
export const nameCapability = 'se:name';

/** The capability that says in a node's stereotypes how the inventory calls the node. */
export const nodeCapability = 'crossfarm:node';

/** @throws an Error whose message says why the status is missing, half a sentence. */
export function readStatus(address: string, signal?: AbortSignal): Promise<ServerStatus> {
  return readServerStatus(address, { kind: 'WebDriver', signal, read: parseStatus });
}

/** @throws an Error when it is not a WebDriver server's status. */
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
