import type { MachineKind, OtherMachines } from '../../../core/app/other-machines.ts';
import type { Device } from '../../../core/model/device.ts';
import type { ClockAlignment } from '../../../core/model/trial.ts';
import type { Probe } from '../../../core/probes/probe.ts';
import { parseUptime } from '../../../core/procfs.ts';
import { openAgent } from './agent-client.ts';
import { type NodeLine, NodeUnreadable, parseFrame, parseNumber } from './frame.ts';
import { nodeProbes } from './node-readings.ts';
import { openSsh } from './ssh.ts';

/**
 * The probes of a session on another machine, or half a sentence with the reason why they are
 * missing.
 */
type Outlook =
  | { readonly probes: readonly Probe[]; readonly clock: ClockAlignment }
  | { readonly unseen: string };

interface KnownNode {
  readonly line: NodeLine;
  readonly ticksPerSecond: Promise<number>;
}

/** The remote machines whose CPU is read, each through one line that stays open. */
export class Nodes {
  readonly #known = new Map<string, KnownNode>();
  readonly #open: (device: Device) => NodeLine | null;

  constructor(open: (device: Device) => NodeLine | null = openLine) {
    this.#open = open;
  }

  /**
   * Looks at a device's machine, right before its session is asked for. Null where the inventory
   * says no way to. An unreadable machine does not fail a session: its trials are timed all the
   * same.
   */
  async lookAt(device: Device, signal: AbortSignal): Promise<Outlook | null> {
    const { ssh, agent } = device.remote ?? {};
    const key = ssh ?? agent;
    if (key === undefined) return null;
    const hangUp = (): void => void this.close();
    signal.addEventListener('abort', hangUp, { once: true });
    try {
      return await look(this.#living(key) ?? this.#connect(key, device));
    } catch (error) {
      if (error instanceof NodeUnreadable) return { unseen: error.message };
      throw error;
    } finally {
      signal.removeEventListener('abort', hangUp);
    }
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#known.values(), ({ line }) => line.close()));
  }

  #living(key: string): KnownNode | null {
    const known = this.#known.get(key);
    return known === undefined || known.line.ended ? null : known;
  }

  #connect(key: string, device: Device): KnownNode {
    const line = this.#open(device);
    if (line === null) throw new TypeError(`there is no line to ${key}`);
    const ticksPerSecond = line.ask('ticks').then((answer) => parseNumber(answer, 'ticks'));
    const known = { line, ticksPerSecond };
    this.#known.set(key, known);
    return known;
  }
}

/** Reads the machine of each remote device that says how it is reached. */
export const openNodes: Awaited<ReturnType<MachineKind>> = ({ signal }) =>
  machinesOf(new Nodes(), signal);

export function machinesOf(nodes: Nodes, signal: AbortSignal): OtherMachines {
  return {
    equip: async ({ device }, start) => {
      // Before the session begins: what runs there already is not of it.
      const outlook = await nodes.lookAt(device, signal);
      return { ...(await start()), ...outlook };
    },
    close: () => nodes.close(),
  };
}

async function look({ line, ...known }: KnownNode): Promise<Outlook> {
  const ticksPerSecond = await known.ticksPerSecond;
  const clock = await alignClock(line);
  const bornAfter = Math.floor((await readUptime(line)) * ticksPerSecond);
  return { probes: nodeProbes({ line, ticksPerSecond, bornAfter }), clock };
}

function openLine({ remote = {} }: Device): NodeLine | null {
  if (remote.ssh !== undefined) return openSsh(remote.ssh);
  return remote.agent === undefined ? null : openAgent(remote.agent);
}

async function readUptime(line: NodeLine): Promise<number> {
  const { files } = parseFrame(await line.ask('files /proc/uptime'));
  const uptime = parseUptime(files.read('/proc/uptime') ?? '');
  if (uptime !== null) return uptime;
  throw new NodeUnreadable('the machine has no /proc/uptime: it is no Linux');
}

/** Number of round trips of which the quickest is taken: it met the least delay. */
const roundTrips = 9;

/**
 * `Date.now()` shows whole milliseconds, here and in an agent: each instant lies within half of one
 * around its middle.
 */
const stepMs = 1;

/**
 * How the clock of another machine differs from this one's, by Cristian's method (1989): the other
 * clock was read somewhere between question and answer, so its reading belongs to their middle, and
 * no further than half of the round trip from it. The quickest trip bounds the error best.
 * @throws NodeUnreadable
 */
export async function alignClock(line: NodeLine, now = Date.now): Promise<ClockAlignment> {
  let best: ClockAlignment | null = null;
  for (let trip = 0; trip < roundTrips; trip += 1) {
    const sentAt = now();
    const answer = await line.ask('clock');
    const halfMs = (answer.receivedMs - answer.sentMs) / 2;
    const there = parseNumber(answer, 'clock') / 1e6;
    const errorMs = halfMs + stepMs;
    if (best !== null && best.errorMs <= errorMs) continue;
    best = { offsetMs: there - (sentAt + stepMs / 2 + halfMs), errorMs, roundTrips };
  }
  if (best === null) throw new TypeError('a clock was read no time');
  return {
    ...best,
    offsetMs: toMicroseconds(best.offsetMs),
    errorMs: toMicroseconds(best.errorMs),
  };
}

function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
