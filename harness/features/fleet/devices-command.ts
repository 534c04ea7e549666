import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../core/errors.ts';
import { type Io, note, print, printJson, type Runner } from '../../core/cli/io.ts';
import { type JsonOption, withJson } from '../../core/cli/options.ts';
import { drawTable, readTerminalWidth } from '../../core/cli/text/draw-table.ts';
import { plain } from '../../core/run/progress/plain-text.ts';
import { type Host, type HostDevice, listHosts } from './hosts.ts';
import { type FarmOption, withFarm } from './options.ts';
import { withServer } from './server.ts';

/** `devices --farm` leads here. */
export function declare(command: Command, run: Runner): void {
  withFarm(command);
  withJson(command, 'print an array of devices, each with its host').action(
    (options: FarmOption & JsonOption) => run((io) => showDevices(options, io)),
  );
}

async function showDevices({ farm, json }: FarmOption & JsonOption, io: Io): Promise<ExitCode> {
  const hosts = await withServer(farm, listHosts);
  const devices = hosts.flatMap((host) => host.facts.inventory.map((device) => ({ host, device })));
  if (json) {
    printJson(
      io,
      devices.map(({ host, device }) => ({ host: host.name, live: host.isLive, ...device })),
    );
  } else if (devices.length === 0) note(io, 'No host of the farm has a device.');
  else print(io, await drawDevices(devices, readTerminalWidth(io.stdout)));
  return exitCodes.fine;
}

function drawDevices(
  devices: readonly { readonly host: Host; readonly device: HostDevice }[],
  width: number,
): Promise<string> {
  const rows = devices.map(({ host, device }) => [
    plain(host.isLive ? host.name : `${host.name} (silent)`),
    plain(device.id),
    plain(device.browser ? `${device.browser.name} ${device.browser.version}` : 'missing'),
    plain(device.driver ?? ''),
    plain(device.status === 'found' ? describeAbilities(device) : (device.reason ?? '')),
  ]);
  return drawTable({ head: ['host', 'device', 'browser', 'driver', 'can'], rows }, width);
}

/** Names what a device can do, in the words of `devices`. */
function describeAbilities({ capabilities }: HostDevice): string {
  return capabilities
    .filter(({ supported }) => supported)
    .map(({ name }) => name)
    .join(', ');
}
