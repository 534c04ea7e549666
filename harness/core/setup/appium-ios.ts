import { z } from 'zod';
import { type Device, findSerial } from '../model/device.ts';
import { askProgram } from './ask-program.ts';
import type { Absence } from './driver-server.ts';
import { findOnPath } from './executable.ts';

/** Part of what `devicectl list devices` answers (Xcode 15 or later). */
const deviceList = z.object({
  result: z.object({
    devices: z
      .array(
        z.object({
          connectionProperties: z
            .object({ pairingState: z.string(), tunnelState: z.string() })
            .partial()
            .optional(),
          deviceProperties: z
            .object({
              name: z.string(),
              osVersionNumber: z.string(),
              developerModeStatus: z.string(),
            })
            .partial()
            .optional(),
          hardwareProperties: z
            .object({ udid: z.string(), platform: z.string() })
            .partial()
            .optional(),
        }),
      )
      .max(1000),
  }),
});

type ListedIphone = z.infer<typeof deviceList>['result']['devices'][number];

/**
 * Looks, on a Mac, whether the iPhone is connected and allows to be moved. Remote Automation, Web
 * Inspector and UI Automation are switches that no program can read: the first session shows them.
 * @returns the version of iOS, which is that of its Safari; null where it is not told.
 */
export async function findOnIos(
  device: Device,
): Promise<{ readonly version: string | null } | Absence> {
  const xcrun = findOnPath(['xcrun']);
  if (xcrun === null) {
    return {
      reason: 'Xcode is not installed',
      remedy: 'install Xcode from the App Store, open it once',
    };
  }
  const args = ['devicectl', 'list', 'devices', '--quiet', '--json-output', '-'];
  const { stdout, failed, why } = await askProgram(xcrun, args, { timeoutMs: 20_000 });
  const listed = failed ? null : parseIphones(stdout);
  if (listed === null) {
    return {
      reason: `xcrun devicectl gave no list of iPhones${failed ? ` (${why.slice(0, 200)})` : ''}`,
      remedy: 'install Xcode 15 or later: xcode-select -p shows which one is used',
    };
  }
  return judgeIphones(listed, { id: device.id, udid: findSerial(device) });
}

/** iPhones and iPads of the list; null for an answer of another form. */
export function parseIphones(text: string): readonly ListedIphone[] | null {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return null;
  }
  const parsed = deviceList.safeParse(answer);
  if (!parsed.success) return null;
  return parsed.data.result.devices.filter(({ hardwareProperties }) =>
    ['iOS', 'iPadOS', undefined].includes(hardwareProperties?.platform),
  );
}

/** Which of them is meant, or why none of them can be used. */
export function judgeIphones(
  listed: readonly ListedIphone[],
  { id, udid }: { readonly id: string; readonly udid: string | undefined },
): { readonly version: string | null } | Absence {
  const meant =
    udid === undefined
      ? listed.filter(isConnected)
      : listed.filter(({ hardwareProperties }) => hardwareProperties?.udid === udid);
  const [first, second] = meant;
  if (first === undefined) {
    return {
      reason: udid === undefined ? 'no iPhone is connected' : `the iPhone ${udid} is not connected`,
      remedy: 'connect it by cable, unlock it, and tap "Trust" on it',
    };
  }
  if (second !== undefined) {
    const udids = meant.map(({ hardwareProperties }) => hardwareProperties?.udid ?? '?').join(', ');
    return {
      reason: `several iPhones are connected: ${udids}`,
      remedy: `give "${id}" the "udid" of one of them in devices.json`,
    };
  }
  return judgeIphone(first);
}

/** The list has those that were paired once, too. */
function isConnected({ connectionProperties }: ListedIphone): boolean {
  return connectionProperties?.tunnelState !== 'unavailable';
}

function judgeIphone(iphone: ListedIphone): { readonly version: string | null } | Absence {
  const { connectionProperties: connection, deviceProperties: facts } = iphone;
  const name = `the iPhone ${facts?.name ?? iphone.hardwareProperties?.udid ?? ''}`.trim();
  if (!isConnected(iphone)) {
    return { reason: `${name} is not connected`, remedy: 'connect it by cable and unlock it' };
  }
  if (connection?.pairingState === 'unpaired') {
    return { reason: `${name} does not trust this Mac`, remedy: 'unlock it and tap "Trust" on it' };
  }
  if (facts?.developerModeStatus === 'disabled') {
    return {
      reason: `${name} has Developer Mode off`,
      remedy: 'switch it on there: Settings, Privacy & Security, Developer Mode; it restarts',
    };
  }
  return { version: facts?.osVersionNumber ?? null };
}
