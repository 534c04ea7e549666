import { formatPercent } from '../../../reports/html/number.ts';
import type { Command } from 'commander';
import pc from 'picocolors';
import { type FitnessFinding, isFit } from '../analysis/fitness.ts';
import { lookAtMachine } from '../app/devices/machine.ts';
import {
  measureNoiseFloors,
  type NoiseFloor,
  type NoiseFloorOptions,
} from '../app/devices/noise-floor.ts';
import { type ExitCode, exitCodes } from '../errors.ts';
import { type Io, next, note, print, printJson, type Runner } from './io.ts';
import {
  collectNames,
  type JsonOption,
  noWait,
  parseCount,
  withDatabase,
  withInventory,
  withJson,
} from './options.ts';
import { concludingCaller } from './run-output.ts';
import { readTerminalWidth, drawTable } from './text/draw-table.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

interface Options extends NoiseFloorOptions, JsonOption {
  readonly noise: boolean;
}

export function declare(command: Command, run: Runner): void {
  withInventory(command);
  withDatabase(command);
  withJson(command, 'print { fit, findings, noiseFloor }')
    .option('--device <ids>', 'devices whose noise to measure', collectNames, [])
    .option('--blocks <number>', 'blocks of the A/A measurement', parseCount, 20)
    .option('--no-repeat', 'do not repeat excluded trials')
    .option(...noWait)
    .option('--no-noise', 'check the machine only; start no browser')
    .action((options: Options) => run((io) => examine(options, io)));
}

async function examine({ json, noise, ...options }: Options, io: Io): Promise<ExitCode> {
  const findings = await lookAtMachine(options.database);
  if (!json) printFindings(findings, io);
  const noiseFloor = noise ? await measureNoise(json, options, io) : [];
  const fit = isFit(findings);
  if (json) printJson(io, { fit, findings, noiseFloor });
  else await printConclusion(fit, noiseFloor, io);
  return fit ? exitCodes.fine : exitCodes.refuted;
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
