import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';
import { FarmError } from '../../errors.ts';

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/** Names of interfaces that lead to no device of the local network: VPNs, containers, virtual machines. */
const virtual =
  /^(docker|br-|veth|virbr|vmnet|vboxnet|tun|tap|utun|wg|ppp|ipsec|tailscale|zt|nordlynx|bridge|awdl|llw)|vEthernet|WSL|Hyper-V|VPN|TAP-|VirtualBox|VMware/i;

/** Addresses of this machine for other devices, those of real networks first. */
export function listLanAddresses(interfaces: Interfaces = networkInterfaces()): readonly string[] {
  const all = Object.entries(interfaces).flatMap(([name, entries = []]) =>
    entries
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => ({ address, isVirtual: virtual.test(name) })),
  );
  const real = all.filter(({ isVirtual }) => !isVirtual);
  return [...real, ...all.filter(({ isVirtual }) => isVirtual)].map(({ address }) => address);
}

/**
 * The address under which the local network reaches this machine: the one that is asked for, or the
 * first. @throws FarmError `bad-argument` when it is missing, or not of this machine.
 */
export function lanAddress(asked: string | true, interfaces?: Interfaces): string {
  const addresses = listLanAddresses(interfaces);
  if (asked !== true) {
    if (addresses.includes(asked)) return asked;
    throw new FarmError('bad-argument', {
      what: `${asked} is not an address of this machine in a local network.`,
      next: addresses.length === 0 ? 'It has none.' : `It has ${addresses.join(', ')}.`,
    });
  }
  const [first] = addresses;
  if (first !== undefined) return first;
  throw new FarmError('bad-argument', {
    what: 'This machine has no address in a local network.',
    next: 'Connect it, or leave --lan out: browsers of this machine can join all the same.',
  });
}

/**
 * The address of this machine that another host sees, by the system's own table of routes; nothing
 * is sent. The usual one where the host's name or the route to it is not known.
 */
export async function lanAddressTowards(host: string): Promise<string> {
  const { createSocket } = await import('node:dgram');
  const socket = createSocket('udp4');
  try {
    const own = await new Promise<string>((resolve, reject) => {
      socket.once('error', reject);
      // Any port will do: a connected socket of UDP has an address before its first packet.
      socket.connect(9, host, () => {
        resolve(socket.address().address);
      });
    });
    return listLanAddresses().includes(own) ? own : lanAddress(true);
  } catch {
    return lanAddress(true);
  } finally {
    socket.close();
  }
}
