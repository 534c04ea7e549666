import { Option, type Command } from 'commander';
import pc from 'picocolors';
import { formatPercent, plural } from '../../../reports/html/number.ts';
import type { TlsOptions } from '../../core/app/tls/certificate.ts';
import { type ExitCode, exitCodes } from '../../core/errors.ts';
import {
  type CommandModule,
  type Io,
  note,
  print,
  printJson,
  type Runner,
} from '../../core/cli/io.ts';
import {
  type JsonOption,
  noWait,
  parseCount,
  parseDuration,
  withDatabase,
  withInventory,
  withJson,
  withTls,
} from '../../core/cli/options.ts';
import { concludingCaller } from '../../core/cli/run-output.ts';
import { measurementNames } from '../../core/plan/catalog/measurement.ts';
import { plain } from '../../core/run/progress/plain-text.ts';
import { type DeviceCheck, type DeviceReport, isFault, type TwinFacts } from './device-report.ts';
import {
  type LendJoined,
  type ReportOptions,
  writeDeviceReport,
  type WrittenReport,
} from './write-report.ts';

/** The feature at whose door devices join. */
export interface Reception {
  readonly joining: () => Promise<{
    readonly lendJoined: (options: DoorOptions, io: Io) => LendJoined;
  }>;
}

interface DoorOptions extends TlsOptions {
  /** An address of this machine, or true for the first; only this machine when left out. */
  readonly lan?: string | true;
}

interface Options extends ReportOptions, DoorOptions, JsonOption {}

export function reportCommand(reception: Reception): CommandModule {
  return {
    declare(command: Command, run: Runner): void {
      withInventory(command);
      withDatabase(command);
      withTls(command);
      withJson(command, 'print the report, and its path')
        .requiredOption('--device <id>', 'device to try')
        .option('--out <file>', 'file to write')
        .option('--budget <duration>', 'longest A/A measurement', parseDuration, 120_000)
        .option('--blocks <number>', 'blocks of the A/A measurement', parseCount, 20)
        .option('--lan [address]', 'let a device of the local network join')
        .addOption(
          new Option('--measurement <how>', 'fast: smoke test').choices([...measurementNames]),
        )
        .option(...noWait)
        .action((options: Options) => run((io) => report(options, { io, reception })));
    },
  };
}

interface Surroundings {
  readonly io: Io;
  readonly reception: Reception;
}

async function report(options: Options, { io, reception }: Surroundings): Promise<ExitCode> {
  const { json, budget } = options;
  const caller = concludingCaller(json, io);
  const {
    path,
    report: written,
    missing,
  } = await writeDeviceReport(
    options,
    {
      ...caller,
      onBegin: () => {
        const twins = `at most ${describeTime(budget)} against itself`;
        if (!json) note(io, `Trying ${options.device}: about a minute, then ${twins}.`);
      },
      onCheck: (check) => {
        if (!json) note(io, describeCheck(check));
      },
      onTwins: (leftMs) => {
        if (!json)
          note(io, `${options.device} against itself: at most ${describeTime(leftMs)} left`);
      },
    },
    async (use) => (await reception.joining()).lendJoined(options, io)(use),
  );
  if (json) printJson(io, { path, ...written });
  else if (missing === null) conclude(written, path, io);
  else describeMissing({ path, missing, ownerSteps: written.ownerSteps }, io);
  if (missing !== null || written.state === 'partial') return exitCodes.unfinished;
  return written.checks.some(isFault) ? exitCodes.refuted : exitCodes.fine;
}

function describeTime(ms: number): string {
  return ms < 90_000
    ? `${String(Math.round(ms / 1000))} s`
    : `${String(Math.round(ms / 60_000))} min`;
}

const marks = {
  works: pc.green('works'),
  fails: pc.red('fails'),
  missing: pc.yellow('missing'),
  'not tried': pc.dim('not tried'),
};

function describeCheck({ name, seen, detail }: DeviceCheck): string {
  return `${marks[seen]}  ${name}${detail === undefined ? '' : `: ${plain(detail)}`}`;
}

/** Prints the next steps of the owner, as nothing was tried. */
function describeMissing({ path, missing, ownerSteps }: Absent, io: Io): void {
  print(io, `${pc.red('missing')}  ${plain(missing.reason)}`);
  print(io, `         ${plain(missing.remedy)}`);
  if (ownerSteps.length > 0) print(io, 'Only a person at the device can do this:');
  for (const step of ownerSteps) print(io, `- ${step}`);
  print(io, `report, of what is known without it: ${path}`);
}

interface Absent extends Pick<DeviceReport, 'ownerSteps'> {
  readonly path: string;
  readonly missing: NonNullable<WrittenReport['missing']>;
}

function conclude(report: DeviceReport, path: string, io: Io): void {
  const { checks, page, againstItself, state, because } = report;
  const count = (seen: DeviceCheck['seen']): number =>
    checks.filter((check) => check.seen === seen).length;
  print(
    io,
    `${String(count('works'))} work, ${String(count('fails'))} fail, ${String(count('missing'))} missing, ${String(count('not tried'))} not tried`,
  );
  for (const check of checks.filter(isFault)) {
    print(io, `${pc.red('promised and not seen')}  ${check.name}: ${plain(check.detail ?? '')}`);
  }
  if (page !== null) {
    const isolated = page.isolated ? 'isolated' : 'not isolated';
    const drawnBy = page.drawnBy === null ? '' : `; drawn by ${plain(page.drawnBy)}`;
    print(io, `clock: ${String(page.granuleUs)} µs, ${isolated}${drawnBy}`);
  }
  if (againstItself !== null) print(io, describeTwins(againstItself));
  if (state === 'partial') {
    print(io, pc.yellow(`The report is partial: ${plain(because ?? '')}`));
  }
  print(io, `report: ${path}`);
  note(io, 'Read it, then send it: it has no names, addresses or settings of yours.');
}

function describeTwins({
  blocks,
  low,
  high,
  smallestVisible,
  trials,
  excluded,
}: TwinFacts): string {
  const ratio =
    low === null || high === null
      ? 'too few blocks for an interval'
      : `a / b ${low.toFixed(3)} … ${high.toFixed(3)}`;
  const visible =
    smallestVisible === null
      ? ''
      : `, smallest visible effect ${formatPercent(smallestVisible, 1)}`;
  const counted = `${plural(blocks, 'block')}, ${String(excluded)} of ${plural(trials, 'trial')} excluded`;
  return `against itself: ${ratio} (${counted})${visible}`;
}
