import type { Device } from '../model/device.ts';
import { findAdb, visitAdb, type AdbVisit, type ListedPhone } from './adb.ts';
import type { Absence } from './driver-server.ts';

const adbRemedy = 'sudo apt-get install --no-install-recommends adb';
const sdkRemedy = `${adbRemedy}; export ANDROID_HOME=/usr/lib/android-sdk`;

export interface AndroidNeeds {
  /** The driver wants the folder of the Android SDK. */
  readonly needsSdk: boolean;
  /** Package of the browser's app; null where it is not known. */
  readonly app: string | null;
}

/** Facts about the browser on a usable phone. */
export interface AppPresence {
  /** Null where the phone does not say. */
  readonly version: string | null;
}

/** Looks whether the phone is connected and answers, and has the browser. */
export async function findOnAndroid(
  device: Device,
  { needsSdk, app }: AndroidNeeds,
): Promise<AppPresence | Absence> {
  const environment = { ...process.env, ...device.environment };
  const sdk = environment['ANDROID_HOME'] ?? environment['ANDROID_SDK_ROOT'];
  if (needsSdk && sdk === undefined) {
    return {
      reason: 'ANDROID_HOME, the folder of the Android SDK, is not set',
      remedy: sdkRemedy,
    };
  }
  const adb = findAdb(environment);
  if (adb === null) return { reason: 'adb is not installed', remedy: adbRemedy };
  return visitAdb(adb, async (visit) => {
    const listed = await visit.phones();
    if (listed === null) return silentAdb(adb);
    const phone = judgePhones(listed, device);
    return 'reason' in phone ? phone : findApp(visit, phone, app);
  });
}

function silentAdb(adb: string): Absence {
  return {
    reason: `${adb} devices gave no list`,
    remedy: `type it yourself: ${adb} kill-server; ${adb} devices`,
  };
}

async function findApp(
  visit: AdbVisit,
  { serial }: ListedPhone,
  app: string | null,
): Promise<AppPresence | Absence> {
  if (app === null) return { version: null };
  const text = (await visit.shell(serial, `dumpsys package ${app}`)) ?? '';
  if (text.includes(`Unable to find package: ${app}`)) {
    return {
      reason: `the Android device ${serial} has no ${app}`,
      remedy: 'install it there, or name another build as "appPackage" in devices.json',
    };
  }
  return { version: /\bversionName=(\d[\w.]{0,50})/.exec(text)?.[1] ?? null };
}

/** Which of the phones is meant, or why none of them can be used. */
export function judgePhones(
  phones: readonly ListedPhone[],
  { id, phone }: Pick<Device, 'id' | 'phone'>,
): ListedPhone | Absence {
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
  return judgeState(first) ?? first;
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

const authorise =
  'unlock it and accept "Allow USB debugging"; if it does not ask, disconnect and connect it again';
const reconnect = 'disconnect it and connect it again; adb reconnect may help';
const restart = 'start it up normally: adb reboot';

const stateAdvice: Readonly<Record<string, readonly [string, string]>> = {
  unauthorized: ['has not authorised this computer', authorise],
  authorizing: ['has not authorised this computer yet', authorise],
  offline: ['is connected but offline', reconnect],
  connecting: ['is being connected', reconnect],
  'no permissions': [
    'may not be used by this user',
    'install android-sdk-platform-tools-common (udev rules) and join the group plugdev',
  ],
  bootloader: ['shows its boot loader', 'start it up normally: fastboot reboot'],
  recovery: ['shows its recovery system', restart],
  sideload: ['waits for an update', restart],
};

/** Why a phone in this state cannot be used; null when it can. */
export function judgeState({ serial, state }: ListedPhone): Absence | null {
  if (state === 'device') return null;
  const [what, remedy] = stateAdvice[state] ?? [
    `is in the state "${state}"`,
    'start it up normally',
  ];
  return { reason: `the Android device ${serial} ${what}`, remedy };
}
