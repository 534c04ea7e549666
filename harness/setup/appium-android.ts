import { connect } from 'node:net';
import { join } from 'node:path';
import type { Device } from '../model/device.ts';
import type { Absence } from './driver-server.ts';
import { findOnPath, isExecutable } from './executable.ts';

/** An Android phone as `adb devices` lists it. */
export interface ListedPhone {
  readonly serial: string;
  /** `device` when it can be used; else `unauthorized`, `offline`, `no permissions`, … */
  readonly state: string;
}

const adbRemedy = 'sudo apt-get install --no-install-recommends adb';
const sdkRemedy = `${adbRemedy}; export ANDROID_HOME=/usr/lib/android-sdk`;

/** What keeps an Android phone from being used; null when it is connected and answers. */
export async function findAndroidObstacle(
  device: Device,
  { needsSdk }: { readonly needsSdk: boolean },
): Promise<Absence | null> {
  const environment = { ...process.env, ...device.environment };
  const sdk = environment['ANDROID_HOME'] ?? environment['ANDROID_SDK_ROOT'];
  if (needsSdk && sdk === undefined) {
    return {
      reason: 'ANDROID_HOME, the folder of the Android SDK, is not set',
      remedy: sdkRemedy,
    };
  }
  const adb = findAdb(sdk);
  if (adb === null) return { reason: 'adb is not installed', remedy: adbRemedy };
  const listed = await listPhones(adb);
  if (listed === null) {
    return {
      reason: `${adb} devices gave no list within ${String(adbMs / 1000)} s`,
      remedy: `type it yourself: ${adb} kill-server; ${adb} devices`,
    };
  }
  return judgePhones(listed, device);
}

function findAdb(sdk: string | undefined): string | null {
  const own = sdk === undefined ? null : join(sdk, 'platform-tools', 'adb');
  return own !== null && isExecutable(own) ? own : findOnPath(['adb']);
}

/** Which of the phones is meant, and whether it can be used. */
export function judgePhones(
  phones: readonly ListedPhone[],
  { id, phone }: Pick<Device, 'id' | 'phone'>,
): Absence | null {
  const wanted = phone?.udid;
  const meant = wanted === undefined ? phones : phones.filter(({ serial }) => serial === wanted);
  const [first, second] = meant;
  if (first === undefined) return absentPhone(phones, wanted);
  if (second !== undefined) {
    const serials = meant.map(({ serial }) => serial).join(', ');
    return wanted === undefined
      ? {
          reason: `several Android devices are connected: ${serials}`,
          remedy: `give "${id}" the "udid" of one of them in devices.json`,
        }
      : {
          reason: `two Android devices have the serial number ${wanted}`,
          remedy: 'disconnect one of them',
        };
  }
  return judgeState(first);
}

function absentPhone(phones: readonly ListedPhone[], wanted: string | undefined): Absence {
  const connect = 'connect it by USB and allow USB debugging (Settings, Developer options)';
  if (wanted === undefined) {
    return { reason: 'no Android device is connected', remedy: `${connect}; adb devices lists it` };
  }
  const others = phones.map(({ serial }) => serial).join(', ');
  return {
    reason: `the Android device ${wanted} is not connected${others === '' ? '' : `; there are: ${others}`}`,
    remedy: `${connect}, or correct its "udid" in devices.json`,
  };
}

const stateAdvice: Readonly<Record<string, readonly [string, string]>> = {
  unauthorized: [
    'has not authorised this computer',
    'unlock it and accept "Allow USB debugging"; if it does not ask, disconnect and connect it again',
  ],
  offline: [
    'is connected but offline',
    'disconnect it and connect it again; adb reconnect may help',
  ],
  'no permissions': [
    'may not be used by this user',
    'install android-sdk-platform-tools-common (udev rules) and join the group plugdev',
  ],
};

function judgeState({ serial, state }: ListedPhone): Absence | null {
  if (state === 'device') return null;
  const [what, remedy] = stateAdvice[state] ?? [
    `is in the state "${state}"`,
    'start it up normally',
  ];
  return { reason: `the Android device ${serial} ${what}`, remedy };
}

/** The lines of `adb devices`, at most a hundred. */
export function parsePhones(text: string): readonly ListedPhone[] {
  return text
    .split('\n')
    .slice(0, 100)
    .flatMap((line) => {
      const found = /^([\w.:-]{1,200})\s+(no permissions|\w{1,40})\b/.exec(line.trim());
      const [, serial, state] = found ?? [];
      return serial === undefined || state === undefined || /^List$/.test(serial)
        ? []
        : [{ serial, state }];
    });
}

const adbMs = 10_000;

/** Devices are looked for all at once, and one listing is enough for all of them. */
const underWay = new Map<string, Promise<readonly ListedPhone[] | null>>();

function listPhones(adb: string): Promise<readonly ListedPhone[] | null> {
  const asked =
    underWay.get(adb) ??
    askForPhones(adb).finally(() => {
      underWay.delete(adb);
    });
  underWay.set(adb, asked);
  return asked;
}

/** adb leaves a server running; one that was not there before is not left behind. */
async function askForPhones(adb: string): Promise<readonly ListedPhone[] | null> {
  const { execa } = await import('execa');
  const options = { reject: false, timeout: adbMs, stdin: 'ignore' } as const;
  const wasRunning = await isListening(Number(process.env['ANDROID_ADB_SERVER_PORT'] ?? 5037));
  try {
    const { stdout, failed } = await execa(adb, ['devices'], options);
    return failed ? null : parsePhones(stdout);
  } finally {
    if (!wasRunning) await execa(adb, ['kill-server'], options);
  }
}

function isListening(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  return new Promise((answer) => {
    const tell = (listening: boolean): void => {
      socket.destroy();
      answer(listening);
    };
    socket.setTimeout(1000, () => {
      tell(false);
    });
    socket.once('connect', () => {
      tell(true);
    });
    socket.once('error', () => {
      tell(false);
    });
  });
}
