import type { Command } from 'commander';
import pc from 'picocolors';
import { loadDriver } from '../../drivers/index.ts';
import { type FitnessFinding, judgeFitness } from '../analysis/fitness.ts';
import type { NoiseFloor } from '../app/doctor/noise-floor.ts';
import { type ExitCode, exitCodes } from '../errors.ts';
import type { EnvironmentReading } from '../model/reading.ts';
import { loadInventory, selectDevices } from '../plan/inventory/inventory.ts';
import { defaultProbes } from '../probes/index.ts';
import { type CgroupHome, findCgroupHome } from '../session/cgroup.ts';
import { describeMachine, otherBrowsers } from '../setup/machine.ts';
import { findDevices } from '../setup/presence.ts';
import { freeDiskBytes, timeSameWork } from '../setup/surroundings.ts';
import { type Io, note, print, printJson, type Runner } from './io.ts';
import {
  collectNames,
  type DatabaseOption,
  type InventoryOption,
  type JsonOption,
  parseCount,
  withDatabase,
  withInventory,
  withJson,
} from './options.ts';

interface Options extends DatabaseOption, InventoryOption, JsonOption {
  readonly device: readonly string[];
  readonly blocks: number;
  readonly noise: boolean;
  readonly repeat: boolean;
}

export function declare(command: Command, run: Runner): void {
  withInventory(command);
  withDatabase(command);
  withJson(command, 'print { fit, findings, noiseFloor }')
    .option('--device <ids>', 'only these devices for the noise floor', collectNames, [])
    .option('--blocks <number>', 'blocks of the A/A measurement', parseCount, 20)
    .option('--no-repeat', 'do no trial once more that the machine’s state spoilt')
    .option('--no-noise', 'look at the machine only, start no browser')
    .action((options: Options) => run((io) => examine(options, io)));
}

/** Is this machine fit to measure; and how small a difference could be seen here. */
async function examine(options: Options, io: Io): Promise<ExitCode> {
  const findings = await lookAtMachine(options.database);
  if (!options.json) printFindings(findings, io);
  const noiseFloor = options.noise ? await measureNoise(options, io) : [];
  const fit = isFit(findings);
  if (options.json) printJson(io, { fit, findings, noiseFloor });
  else await printConclusion(fit, noiseFloor, io);
  return fit ? exitCodes.fine : exitCodes.refuted;
}

/** What this machine does to a measurement; it takes three seconds. */
export async function lookAtMachine(database: string): Promise<readonly FitnessFinding[]> {
  const judged = judgeFitness({
    machine: describeMachine(),
    environment: await readQuietSecond(),
    sameWork: await timeSameWork(),
    otherBrowsers: otherBrowsers(),
    freeDiskBytes: await freeDiskBytes(database),
  });
  return process.platform === 'linux' ? [...judged, describeEnding(findCgroupHome())] : judged;
}

/** By what a browser is ended with all that it has started. Either ends it; one is surer. */
export function describeEnding(home: CgroupHome): FitnessFinding {
  const by =
    home.kind === 'delegated'
      ? 'process tree and cgroup'
      : `process tree, without a cgroup: ${home.because}`;
  return { id: 'ending', level: 'fine', what: `browsers are ended by ${by}`, remedy: '' };
}

export function isFit(findings: readonly FitnessFinding[]): boolean {
  return findings.every(({ level }) => level !== 'unfit');
}

/** One second with nothing of ours running: what it shows is everybody else. */
async function readQuietSecond(): Promise<EnvironmentReading | null> {
  const probe = defaultProbes().find((one) => one.name === 'environment');
  if (probe === undefined || !probe.supports().supported) return null;
  const attached = probe.attach({ browser: 'none', processTree: () => [] });
  try {
    attached.start();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    attached.stop();
    const reading = attached.collect();
    return reading.probe === 'environment' && 'load1' in reading ? reading : null;
  } finally {
    attached.detach();
  }
}

/** Each found browser against itself, one after the other, so that none disturbs another. */
async function measureNoise(options: Options, io: Io): Promise<readonly NoiseFloor[]> {
  const devices = selectDevices(await loadInventory(options.inventory), options.device);
  const found = (await findDevices(devices, loadDriver)).filter((one) => one.status === 'found');
  const { measureNoiseFloor } = await import('../app/doctor/noise-floor.ts');
  const floors: NoiseFloor[] = [];
  for (const presence of found) {
    if (io.signal.aborted) break;
    if (!options.json) note(io, `${presence.device.id} against itself …`);
    floors.push(await measureNoiseFloor(presence, options, io));
  }
  return floors;
}

const marks = { fine: pc.green('fine'), caution: pc.yellow('caution'), unfit: pc.red('unfit') };

function printFindings(findings: readonly FitnessFinding[], io: Io): void {
  for (const { level, what, remedy } of findings) {
    print(io, `${marks[level]}  ${what}${remedy === '' ? '' : `\n      ${pc.dim(remedy)}`}`);
  }
}

async function printConclusion(fit: boolean, floors: readonly NoiseFloor[], io: Io): Promise<void> {
  if (floors.length > 0) {
    const { default: Table } = await import('cli-table3');
    const table = new Table({
      head: ['browser against itself', 'blocks', 'a / b', 'smallest visible effect', 'clock'],
      style: { head: [], border: [], compact: true },
    });
    for (const floor of floors) table.push(floorLine(floor));
    print(io, table.toString());
  }
  print(
    io,
    fit
      ? pc.green('This machine is fit to measure.')
      : pc.red('Numbers measured here now would mislead.'),
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
    smallestVisible === null ? '—' : `${(smallestVisible * 100).toFixed(1)} %`,
    granuleUs === null ? '—' : `${String(granuleUs)} µs${isolated ? '' : ', not isolated'}`,
  ];
}
