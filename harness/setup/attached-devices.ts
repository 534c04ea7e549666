import type { Device } from '../model/device.ts';
import { findAdb, visitAdb, type AdbVisit, type ListedPhone } from './adb.ts';
import { judgeState } from './appium-android.ts';
import type { Absence } from './driver-server.ts';

/** A connected Android phone that the inventory lacks. */
export interface AttachedDevice extends Absence {
  readonly serial: string;
  /** As adb has it: `device`, `unauthorized`, `offline`, … */
  readonly state: string;
  /** Maker and model, such as `Google Pixel 7`; null where it does not tell. */
  readonly model: string | null;
  /** Version of Android. */
  readonly android: string | null;
}

/** A phone of the inventory without a serial number takes the only one that there is. */
export async function findAttachedDevices(
  inventory: readonly Device[],
): Promise<readonly AttachedDevice[]> {
  const adb = findAdb();
  if (adb === null) return [];
  return visitAdb(adb, async (visit) => {
    const listed = (await visit.phones()) ?? [];
    const unknown = listed.filter((phone) => !isInventoried(phone, listed, inventory));
    return Promise.all(unknown.map((phone) => describePhone(phone, visit)));
  });
}

function isInventoried(
  { serial }: ListedPhone,
  listed: readonly ListedPhone[],
  inventory: readonly Device[],
): boolean {
  const androids = inventory.filter(({ phone }) => phone?.platform === 'android');
  return androids.some(({ phone }) =>
    phone?.udid === undefined ? listed.length === 1 : phone.udid === serial,
  );
}

const askCommand =
  'getprop ro.product.manufacturer; getprop ro.product.model; getprop ro.build.version.release';

async function describePhone(phone: ListedPhone, visit: AdbVisit): Promise<AttachedDevice> {
  const { serial, state } = phone;
  const obstacle = judgeState(phone);
  const answer = obstacle === null ? await visit.shell(serial, askCommand) : null;
  const [maker = '', model = phone.model?.replaceAll('_', ' ') ?? '', android = ''] = (answer ?? '')
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
  const entry = { id: 'phone', browser: 'chrome', driver: 'appium', platform: 'android' };
  return {
    reason: 'it is not in devices.json',
    remedy: `add it there: ${JSON.stringify({ ...entry, udid: serial })}`,
  };
}
