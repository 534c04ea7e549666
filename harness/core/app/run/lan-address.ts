import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';
import { FarmError } from '../../errors.ts';

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/**
 * The address under which the local network reaches this machine: the one that is asked for, or the
 * first. @throws FarmError `bad-argument` when it is missing, or not of this machine.
 */
export function lanAddress(
  asked: string | true,
  interfaces: Interfaces = networkInterfaces(),
): string {
  const all = Object.values(interfaces).flatMap((one) => one ?? []);
  const known = all.filter(({ family, internal }) => family === 'IPv4' && !internal);
  const addresses = known.map(({ address }) => address);
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
