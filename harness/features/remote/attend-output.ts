import pc from 'picocolors';
import { type Io, note, print } from '../../core/cli/io.ts';
import { watchingCaller } from '../../core/cli/run-output.ts';
import { isLoopback } from '../../core/model/device.ts';
import type { AttendCaller, Invitation } from './attend.ts';

/** A caller that shows each code by which a device can join, and who has joined. */
export function invitingCaller(json: boolean, io: Io): AttendCaller {
  return {
    ...watchingCaller(json, io),
    onInvitation: async (invitation) => {
      if (json) print(io, JSON.stringify({ type: 'invitation', ...invitation }));
      else note(io, await describeInvitation(invitation));
    },
    onJoined: (name) => {
      if (json) print(io, JSON.stringify({ type: 'joined', name }));
      else note(io, `${name} has joined`);
    },
  };
}

/** A phone cannot open an address of this machine alone: a code would lead it nowhere. */
async function describeInvitation({ url, screen, fingerprint }: Invitation): Promise<string> {
  if (isLoopback(new URL(url).hostname)) {
    return `Open it in a browser of this machine: ${url}\nFor a phone, add --lan to the command.`;
  }
  const trust =
    fingerprint === undefined
      ? ''
      : `\nThe page behind it has each device trust the farm’s authority once. Compare its SHA-256 there:\n${fingerprint}`;
  return `${await qrTerminal(url)}\n${url}\nScan it, or show it on a screen: ${screen}${trust}`;
}

/** The address as a code for a terminal. */
async function qrTerminal(address: string): Promise<string> {
  const { toString } = await import('qrcode');
  return toString(address, { type: pc.isColorSupported ? 'terminal' : 'utf8', small: true });
}
