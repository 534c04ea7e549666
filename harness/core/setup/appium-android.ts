import { type Device, findPlatform, findSerial } from '../model/device.ts';
import { type AdbVisit, type ListedDevice, findAdb, visitAdb } from './adb.ts';
import type { Absence } from './driver-server.ts';
import { describeRemedy } from '../system-packages.ts';

/** Debian's adb brings the folder, too. */
function describeSdkRemedy(): string {
  const adb = describeRemedy('adb');
  return adb.includes('apt-get')
    ? `${adb}; export ANDROID_HOME=/usr/lib/android-sdk`
    : 'install the command-line tools of Android Studio, and set ANDROID_HOME to the folder of its SDK';
}

export interface AndroidNeeds {
  /** The driver wants the folder of the Android SDK. */
  readonly needsSdk: boolean;
  /** Package of the browser's app; null where it is not known. */
  readonly app: string | null;
}

/** Facts about the browser on a usable device. */
export interface AppPresence {
  /** Null where the device does not say. */
  readonly version: string | null;
}

/** Looks whether the device is connected and answers, and has the browser. */
export async function findOnAndroid(
  device: Device,
  { needsSdk, app }: AndroidNeeds,
): Promise<AppPresence | Absence> {
  const environment = { ...process.env, ...device.environment };
  const sdk = environment['ANDROID_HOME'] ?? environment['ANDROID_SDK_ROOT'];
  if (needsSdk && sdk === undefined) {
    return {
      reason: 'ANDROID_HOME, the folder of the Android SDK, is not set',
      remedy: describeSdkRemedy(),
    };
  }
  const adb = findAdb(environment);
  if (adb === null) return { reason: 'adb is not installed', remedy: describeRemedy('adb') };
  return visitAdb(adb, async (visit) => {
    const listed = await visit.devices();
    if (listed === null) return silentAdb(adb);
    const listedOne = judgeDevices(listed, { id: device.id, serial: findSerial(device) });
    return 'reason' in listedOne ? listedOne : findApp(visit, listedOne, app);
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
  { serial }: ListedDevice,
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

interface WantedDevice {
  readonly id: string;
  /** Serial number; the only one that is connected when undefined. */
  readonly serial: string | undefined;
}

/** Which of the devices is meant, or why none of them can be used. */
export function judgeDevices(
  devices: readonly ListedDevice[],
  { id, serial: wanted }: WantedDevice,
): ListedDevice | Absence {
  const meant = wanted === undefined ? devices : devices.filter(({ serial }) => serial === wanted);
  const [first, second] = meant;
  if (first === undefined) return absentDevice(devices, wanted);
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

function absentDevice(devices: readonly ListedDevice[], wanted: string | undefined): Absence {
  const connect = 'connect it by USB and allow USB debugging (Settings, Developer options)';
  if (wanted === undefined) {
    return { reason: 'no Android device is connected', remedy: `${connect}; adb devices lists it` };
  }
  const others = devices.map(({ serial }) => serial).join(', ');
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

/** Why a device in this state cannot be used; null when it can. */
function judgeState({ serial, state }: ListedDevice): Absence | null {
  if (state === 'device') return null;
  const [what, remedy] = stateAdvice[state] ?? [
    `is in the state "${state}"`,
    'start it up normally',
  ];
  return { reason: `the Android device ${serial} ${what}`, remedy };
}

/** A connected Android device that the inventory lacks. */
export interface AttachedDevice extends Absence {
  readonly serial: string;
  /** As adb has it: `device`, `unauthorized`, `offline`, … */
  readonly state: string;
  /** Maker and model, such as `Google Pixel 7`; null where it does not tell. */
  readonly model: string | null;
  /** Version of Android. */
  readonly android: string | null;
}

/** A device of the inventory without a serial number takes the only one that there is. */
export async function findAttachedDevices(
  inventory: readonly Device[],
): Promise<readonly AttachedDevice[]> {
  const adb = findAdb();
  if (adb === null) return [];
  return visitAdb(adb, async (visit) => {
    const listed = (await visit.devices()) ?? [];
    const unknown = listed.filter((one) => !isInventoried(one, listed, inventory));
    return Promise.all(unknown.map((one) => describeDevice(one, visit)));
  });
}

function isInventoried(
  { serial }: ListedDevice,
  listed: readonly ListedDevice[],
  inventory: readonly Device[],
): boolean {
  const androids = inventory.filter((device) => findPlatform(device) === 'android');
  return androids
    .map(findSerial)
    .some((known) => (known === undefined ? listed.length === 1 : known === serial));
}

const askCommand =
  'getprop ro.product.manufacturer; getprop ro.product.model; getprop ro.build.version.release';

async function describeDevice(listed: ListedDevice, visit: AdbVisit): Promise<AttachedDevice> {
  const { serial, state } = listed;
  const obstacle = judgeState(listed);
  const answer = obstacle === null ? await visit.shell(serial, askCommand) : null;
  const [maker = '', model = listed.model?.replaceAll('_', ' ') ?? '', android = ''] = (
    answer ?? ''
  )
    .split(/\r?\n/)
    .map((line) => line.trim().slice(0, 100));
  const name = [maker, model].filter((part) => part !== '').join(' ');
  return {
    serial,
    state,
    model: name === '' ? null : name,
    android: android === '' ? null : android,
    ...(obstacle ?? unlisted(serial)),
  };
}

function unlisted(serial: string): Absence {
  const entry = { id: 'android', browser: 'chrome', driver: 'appium', platform: 'android' };
  return {
    reason: 'it is not in devices.json',
    remedy: `add it there: ${JSON.stringify({ ...entry, udid: serial })}`,
  };
}
