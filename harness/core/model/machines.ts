import { isLoopback, type Presence } from './device.ts';
import type { Plan } from './plan.ts';

/** Where the farm itself runs. */
export const thisMachine = 'this machine';

/**
 * On which machine each device's trials use the cores, by device id. Trials on one machine disturb
 * each other, so they never run at one time; those on different machines may.
 *
 * A phone is a machine, and so is a node of a Selenium Grid that its device names. A device that
 * names no phone or node may get any of them: then all of that place count as one machine. With
 * contention allowed each device passes for a machine.
 */
export function assignMachines({
  presences,
  allowContention = false,
}: Pick<Plan, 'presences' | 'allowContention'>): ReadonlyMap<string, string> {
  if (allowContention) return new Map(presences.map(({ device: { id } }) => [id, id]));
  const places = new Map(presences.map((presence) => [presence.device.id, locate(presence)]));
  const open = new Set(
    [...places.values()].filter(({ name }) => name === undefined).map(({ within }) => within),
  );
  return new Map(
    Array.from(places, ([id, { within, name }]) => [
      id,
      name === undefined || open.has(within) ? within : `${name} of ${within}`,
    ]),
  );
}

interface Place {
  /** A place that has several machines, or is one. */
  readonly within: string;
  /** The one of them that is meant. */
  readonly name?: string;
}

function locate(presence: Presence): Place {
  const { id, driver, phone, remote, server } = presence.device;
  if (phone !== undefined) {
    const name = driver === 'attended' ? id : phone.udid;
    return { within: `${phone.platform} phones`, ...(name !== undefined && { name }) };
  }
  const address = presence.status === 'found' ? presence.target.server : server;
  const within = hostOfAddress(address);
  return remote?.node === undefined ? { within } : { within, name: `node ${remote.node}` };
}

/** Several servers of one host share its cores, whichever their ports. A path is a program here. */
function hostOfAddress(address = ''): string {
  if (!/^(https?|wss?):\/\//.test(address)) return thisMachine;
  const { hostname } = new URL(address);
  return isLoopback(hostname) ? thisMachine : hostname;
}
