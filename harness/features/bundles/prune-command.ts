import type { Command } from 'commander';
import { pruneRuns, type PruneRules } from './upkeep.ts';
import { exitCodes, type ExitCode } from '../../core/errors.ts';
import type { PruneResult } from '../../core/store/prune.ts';
import { type Io, next, print, printJson, type Runner } from '../../core/cli/io.ts';
import {
  parseCount,
  parseSize,
  withDatabase,
  withJson,
  type DatabaseOption,
  type JsonOption,
} from '../../core/cli/options.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

type Options = DatabaseOption & JsonOption & Omit<PruneRules, 'whenInUse'>;

export function declare(command: Command, run: Runner): void {
  command
    .option('--keep-days <number>', 'remove runs older than N days', parseCount)
    .option('--max-size <size>', 'remove oldest runs above this size, such as 500MB', parseSize)
    .option('--dry-run', 'list what would be removed; remove nothing', false)
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
  const { database, json, ...rules } = options;
  const pruned = await pruneRuns(database, rules);
  if (json) printJson(io, { ...pruned, dryRun: rules.dryRun });
  else {
    print(io, describe(pruned, options));
    next(io, { 'see what stays': `${npxCrossfarm} db` });
  }
  return exitCodes.fine;
}

function describe(pruned: PruneResult, { dryRun, maxSize }: Options): string {
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
