import { formatPercent } from '../../../reports/html/number.ts';
import type { Command } from 'commander';
import pc from 'picocolors';
import { type FitnessFinding, isFit } from '../analysis/fitness.ts';
import { type CheckedDevice, checkDevices } from '../app/devices/devices.ts';
import { lookAtMachine } from '../app/devices/machine.ts';
import {
  measureNoiseFloors,
  type NoiseFloor,
  type NoiseFloorOptions,
} from '../app/devices/noise-floor.ts';
import { type ExitCode, exitCodes, FarmError } from '../errors.ts';
import { plain } from '../run/progress/plain-text.ts';
import { type Io, next, note, print, printJson, type Runner } from './io.ts';
import {
  collectNames,
  type JsonOption,
  noWait,
  parseCount,
  parseDuration,
  withDatabase,
  withInventory,
  withJson,
  withTls,
} from './options.ts';
import { concludingCaller } from './run-output.ts';
import { deviceJson } from './text/device-text.ts';
import { readTerminalWidth, drawTable } from './text/draw-table.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

interface Options extends NoiseFloorOptions, JsonOption {
  readonly noise: boolean;
  readonly bundle?: string | true;
  readonly budget?: number;
  readonly lan?: string | true;
}

export function declare(command: Command, run: Runner): void {
  withInventory(command);
  withDatabase(command);
  withTls(command);
  withJson(command, 'print { fit, findings, noiseFloor }')
    .option('--device <ids>', 'devices whose noise to measure', collectNames, [])
    .option('--blocks <number>', 'blocks of the A/A measurement', parseCount, 20)
    .option('--no-repeat', 'do not repeat excluded trials')
    .option(...noWait)
    .option('--no-noise', 'check the machine only; start no browser')
    .option('--bundle [file]', 'try every ability of one device, write a report')
    .option('--budget <duration>', '--bundle: longest A/A measurement (default: 2m)', parseDuration)
    .option('--lan [address]', '--bundle: let a device of the local network join')
    .action((options: Options) =>
      run((io) => {
        if (options.bundle !== undefined) return bundle(options, io);
        refuseBundleOptions(command);
        return examine(options, io);
      }),
    );
}

/** A configuration file may hold them for later. @throws FarmError where one was typed without `--bundle` */
function refuseBundleOptions(command: Command): void {
  const typed = ['lan', 'budget'].filter((name) => command.getOptionValueSource(name) === 'cli');
  if (typed.length === 0) return;
  throw new FarmError('bad-argument', {
    what: `The report of one device takes ${typed.map((name) => `--${name}`).join(' and ')}, and --bundle is missing.`,
    next: 'Name the device, and ask for its report: --device ID --bundle',
  });
}

/** The report of one device is made by a feature. */
async function bundle({ json, device, ...options }: Options, io: Io): Promise<ExitCode> {
  const [id, ...others] = device;
  if (id === undefined || others.length > 0) {
    throw new FarmError('bad-argument', {
      what: '--bundle writes the report of one device.',
      next: 'Name it: --device chromium --bundle',
    });
  }
  if (io.runCommand === undefined) throw new Error('a command runs outside of a command line');
  const { database, inventory, bundle: out, budget, blocks, lan, tlsCert, tlsKey } = options;
  return io.runCommand([
    'device-report',
    ...writeOption('device', id),
    ...writeOption('database', database),
    ...writeOption('inventory', inventory),
    ...writeOption('out', out === true ? undefined : out),
    ...writeOption('budget', budget === undefined ? undefined : `${String(budget)}ms`),
    `--blocks=${String(blocks)}`,
    ...(lan === true ? ['--lan'] : writeOption('lan', lan)),
    ...(options.tls === true ? ['--tls'] : []),
    ...writeOption('tls-cert', tlsCert),
    ...writeOption('tls-key', tlsKey),
    ...(options.wait === false ? ['--no-wait'] : []),
    ...(json ? ['--json'] : []),
  ]);
}

/** In one word: a value may begin with a dash. */
function writeOption(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [`--${name}=${value}`];
}

async function examine({ json, noise, ...options }: Options, io: Io): Promise<ExitCode> {
  const named = options.device.length > 0;
  const devices = named ? await checkDevices(options, io.loadDriver) : [];
  const findings = await lookAtMachine(options.database);
  if (!json) {
    printFindings(findings, io);
    for (const one of devices) printDevice(one, io);
  }
  const noiseFloor = noise ? await measureNoise(json, options, io) : [];
  const fit = isFit(findings);
  if (json) {
    const told = devices.map(({ presence, ownerSteps }) => ({
      ...deviceJson(presence),
      ownerSteps,
    }));
    printJson(io, { fit, findings, noiseFloor, ...(named && { devices: told }) });
  } else {
    await printConclusion(fit, noiseFloor, io);
  }
  if (!fit) return exitCodes.refuted;
  const isMissing = devices.some(({ presence, joins }) => presence.status === 'missing' && !joins);
  return isMissing ? exitCodes.unfinished : exitCodes.fine;
}

/** Prints what the farm sees of a device, and the steps that only its owner can take. */
function printDevice({ presence, joins, ownerSteps }: CheckedDevice, io: Io): void {
  const { device, status } = presence;
  if (status === 'found') {
    const { name, version } = presence.target.browser;
    print(io, `${marks.fine}  ${device.id}: found, ${plain(`${name} ${version}`)}`);
  } else {
    const mark = joins ? marks.caution : pc.red('missing');
    print(io, `${mark}  ${device.id}: ${plain(presence.reason)}`);
    print(io, `      ${pc.dim(plain(presence.remedy))}`);
  }
  if (ownerSteps.length > 0) print(io, '      Only a person at the device can see or do this:');
  for (const step of ownerSteps) print(io, `      - ${step}`);
}

function measureNoise(
  json: boolean,
  options: NoiseFloorOptions,
  io: Io,
): Promise<readonly NoiseFloor[]> {
  return measureNoiseFloors(options, {
    ...concludingCaller(json, io),
    onDevice: (id) => {
      if (!json) note(io, `${id} against itself …`);
    },
  });
}

const marks = { fine: pc.green('fine'), caution: pc.yellow('caution'), unfit: pc.red('unfit') };

function printFindings(findings: readonly FitnessFinding[], io: Io): void {
  for (const { level, what, remedy } of findings) {
    print(io, `${marks[level]}  ${what}${remedy === '' ? '' : `\n      ${pc.dim(remedy)}`}`);
  }
}

async function printConclusion(fit: boolean, floors: readonly NoiseFloor[], io: Io): Promise<void> {
  if (floors.length > 0) {
    const head = ['browser against itself', 'blocks', 'a / b', 'smallest visible effect', 'clock'];
    print(io, await drawTable({ head, rows: floors.map(floorLine) }, readTerminalWidth(io.stdout)));
  }
  print(
    io,
    fit
      ? pc.green('This machine is fit to measure.')
      : pc.red('Numbers measured here now would mislead.'),
  );
  next(
    io,
    fit
      ? { measure: `${npxCrossfarm} run` }
      : { 'mend what is named above, then': `${npxCrossfarm} devices doctor` },
  );
}

function floorLine({
  device,
  blocks,
  low,
  high,
  smallestVisible,
  granuleUs,
  isolated,
}: NoiseFloor): string[] {
  return [
    device,
    String(blocks),
    low === null || high === null ? 'too few blocks' : `${low.toFixed(3)} … ${high.toFixed(3)}`,
    smallestVisible === null ? '—' : formatPercent(smallestVisible, 1),
    granuleUs === null ? '—' : `${String(granuleUs)} µs${isolated ? '' : ', not isolated'}`,
  ];
}
