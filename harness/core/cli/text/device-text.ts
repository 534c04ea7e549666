import pc from 'picocolors';
import {
  describeEmulation,
  describePassedOver,
  describeRemote,
  type Device,
  isInsecure,
  pagesOf,
  type Presence,
} from '../../model/device.ts';
import { plain } from '../../run/progress/plain-text.ts';
import type { AttachedDevice } from '../../setup/appium-android.ts';
import { readTerminalWidth, drawTable } from './draw-table.ts';

/** Shapes an attached device that is not in the inventory as a device that is missing. */
export function attachedJson({
  serial,
  state,
  model,
  android,
  reason,
  remedy,
}: AttachedDevice): object {
  return {
    id: `android:${serial}`,
    name: model ?? serial,
    status: 'missing',
    driver: 'appium',
    browser: null,
    capabilities: [],
    automatic: false,
    reason,
    remedy,
    attached: { serial, state, model, android },
  };
}

/** Shapes a device as `farm devices --json` prints it: a contract with other tools. */
export function deviceJson(presence: Presence): object {
  const { device, capabilities } = presence;
  const base = {
    id: device.id,
    name: device.name,
    status: presence.status,
    driver: device.driver,
    ...(device.emulation === undefined ? {} : { emulated: device.emulation }),
  };
  if (presence.status === 'missing') {
    const { reason, remedy } = presence;
    return { ...base, browser: null, capabilities, automatic: device.automatic, reason, remedy };
  }
  const { browser, executable, node } = presence.target;
  const { passedOver = [] } = presence;
  return {
    ...base,
    browser,
    executable,
    capabilities,
    passedOver,
    automatic: device.automatic,
    ...(device.remote === undefined ? {} : { server: device.server, node: node ?? null }),
  };
}

/** Draws devices, and attached ones that are not among them, as a table for a stream. */
export async function drawDevices(
  presences: readonly Presence[],
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>,
  attached: readonly AttachedDevice[] = [],
): Promise<string> {
  const head = ['device', 'status', 'browser', 'driver', 'what to know'];
  const rows = [...presences.map(deviceLine), ...attached.map(attachedLine)];
  return drawTable({ head, rows }, readTerminalWidth(stream));
}

function attachedLine({ serial, model, android, reason, remedy }: AttachedDevice): string[] {
  const name = [model ?? '', android === null ? '' : `Android ${android}`]
    .filter(Boolean)
    .join(', ');
  return [plain(serial), pc.yellow('attached'), plain(name), '', plain(`${reason}; ${remedy}`)];
}

function describeInsecurity(device: Device): string {
  const remedy = pagesOf(device) === 'lan' ? '; measure with --tls to have both' : '';
  return `pages over plain HTTP: a coarser clock, no shared memory${remedy}`;
}

/** A line of the table. Text of a device may quote a program or another machine: escapes are left out. */
function deviceLine(presence: Presence): string[] {
  const { device } = presence;
  if (presence.status === 'missing') {
    const advice = plain(`${presence.reason}; ${presence.remedy}`);
    return [plain(device.id), pc.yellow('missing'), device.browser, device.driver, advice];
  }
  const { browser, node } = presence.target;
  const emulated = describeEmulation(device);
  const cannot = presence.capabilities.filter((one) => !one.supported).map((one) => one.name);
  const notes = [
    describeRemote(device, node) ?? '',
    isInsecure(device) ? describeInsecurity(device) : '',
    device.automatic ? '' : 'only when named by --device',
    cannot.length === 0 ? '' : `cannot: ${cannot.join(', ')}`,
    ...describePassedOver(presence),
  ].filter((text) => text !== '');
  const build = `${browser.name} ${browser.version}${emulated === null ? '' : ` (emulated: ${emulated})`}`;
  const about = plain(notes.join('; '));
  return [plain(device.id), pc.green('found'), plain(build), device.driver, about];
}
