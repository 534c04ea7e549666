import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { exitCodes, FarmError, type ExitCode } from '../errors.ts';
import { isOfDeadFarm } from '../session/farm-mark.ts';
import { pruneDatabase, type Pruned, type Retention } from '../store/prune.ts';
import { print, printJson, type Io, type Runner } from './io.ts';
import {
  parseCount,
  parseSize,
  withDatabase,
  withJson,
  type DatabaseOption,
  type JsonOption,
} from './options.ts';

interface Options extends DatabaseOption, JsonOption {
  readonly keepDays?: number;
  readonly maxSize?: number;
  readonly dryRun: boolean;
}

export function declare(command: Command, run: Runner): void {
  command
    .option('--keep-days <number>', 'runs that began earlier go', parseCount)
    .option('--max-size <size>', 'the oldest go until the file is no larger: 500MB', parseSize)
    .option('--dry-run', 'remove nothing, and tell what would go', false)
    .addHelpText('after', help);
  withDatabase(command);
  withJson(
    command,
    'print { removed, kept, protected, bytesBefore, bytesAfter, notShrunk, dryRun }',
  ).action((options: Options) => run((io) => prune(options, io)));
}

const help = `
Never removed: the last good run of each suite, runs in which an anomaly was found, the newest answer
to each claim, and a run that is being carried out.`;

async function prune(options: Options, io: Io): Promise<ExitCode> {
  const { keepDays, maxSize, dryRun, database, json } = options;
  if (keepDays === undefined && maxSize === undefined) {
    throw new FarmError('bad-argument', {
      what: 'Nothing says what may go.',
      next: 'Give --keep-days, --max-size, or both; with --dry-run nothing is removed.',
    });
  }
  if (!existsSync(database)) {
    throw new FarmError('unknown-run', {
      what: `There is nothing to prune: ${database} does not exist.`,
      next: 'Name another with --database.',
    });
  }
  const pruned = await pruneRuns(database, { keepDays, maxSize, dryRun });
  if (json) printJson(io, { ...pruned, dryRun });
  else print(io, describe(pruned, options));
  return exitCodes.fine;
}

export interface PruneRules {
  readonly keepDays?: number | undefined;
  readonly maxSize?: number | undefined;
  readonly dryRun: boolean;
  readonly whenInUse?: Retention['whenInUse'];
}

/** Removes runs with their traces. Errors: those of `pruneDatabase`. */
export async function pruneRuns(
  database: string,
  { keepDays, maxSize, dryRun, whenInUse = 'refuse' }: PruneRules,
): Promise<Pruned> {
  const pruned = await pruneDatabase(database, {
    dryRun,
    whenInUse,
    isDead: isOfDeadFarm,
    ...(keepDays === undefined ? {} : { before: daysAgo(keepDays) }),
    ...(maxSize === undefined ? {} : { maxBytes: maxSize }),
  });
  if (!dryRun) await removeTraces(pruned.removed, database);
  return pruned;
}

export function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString();
}

/** They lie beside the database, in a folder for each run. */
async function removeTraces(runs: readonly number[], database: string): Promise<void> {
  for (const run of runs) {
    const folder = join(dirname(database), 'traces', `run-${String(run)}`);
    await rm(folder, { recursive: true, force: true });
  }
}

function describe(pruned: Pruned, { dryRun, maxSize }: Options): string {
  const { removed, kept, bytesBefore, bytesAfter } = pruned;
  const all = removed.length + kept;
  const went = `${String(removed.length)} of ${String(all)} runs`;
  const sizes = `the file ${dryRun ? 'would have' : 'has'} ${formatBytes(bytesAfter)} instead of ${formatBytes(bytesBefore)}`;
  const lines =
    removed.length === 0
      ? [
          `nothing to remove: ${all === 1 ? 'the one run stays' : `all ${String(all)} runs stay`} (${formatBytes(bytesBefore)})`,
        ]
      : [
          `${dryRun ? 'would free' : 'freed'} ${formatBytes(bytesBefore - bytesAfter)}: ${went} ${dryRun ? 'would go' : 'went'}, and ${sizes}`,
        ];
  for (const { run, because } of pruned.protected)
    lines.push(`run ${String(run)} stays: ${because}`);
  if (maxSize !== undefined && bytesAfter > maxSize) {
    lines.push(`larger than ${formatBytes(maxSize)}, because no other run may go`);
  }
  return lines.join('\n');
}

function formatBytes(bytes: number): string {
  if (bytes < 1e6) return `${String(Math.round(bytes / 1e3))} kB`;
  return `${(bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)} MB`;
}
