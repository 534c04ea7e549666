import type { Command } from 'commander';
import pc from 'picocolors';
import {
  getBuilds,
  type GetOptions,
  type KnownBuild,
  listKnownBuilds,
  removeBuilds,
} from '../../core/app/builds/builds.ts';
import { type ExitCode, exitCodes } from '../../core/errors.ts';
import { defaultStoreBytes, megabytes, type StoredBuild } from '../../core/setup/build-store.ts';
import { makeCaller, type Io, note, print, printJson, type Runner } from '../../core/cli/io.ts';
import {
  declareList,
  type DatabaseOption,
  type JsonOption,
  parseSize,
  withDatabase,
  withJson,
} from '../../core/cli/options.ts';
import { readTerminalWidth, drawTable } from '../../core/cli/text/draw-table.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

type ListOptions = DatabaseOption & JsonOption & { readonly here: boolean };

export function declare(group: Command, run: Runner): void {
  group.addHelpText('after', help);
  declareList(group, 'list local builds and those of registries', (command) => {
    declareBuilds(command, run);
  });
  declareGet(group, run);
  declareRemove(group, run);
}

const help = `
A build that is here is a device: ${npxCrossfarm} run --device chromium@110,chromium@153
Builds lie beside the database, with those that nights keep; CROSSFARM_BUILDS names another folder, which
several farms may share.

Examples:
  ${npxCrossfarm} engines list
  ${npxCrossfarm} engines get chromium@110 chromium@143..153 firefox@140 node@22
  ${npxCrossfarm} engines remove chromium@103..119`;

function declareBuilds(command: Command, run: Runner): void {
  withDatabase(command);
  withJson(command, 'print an array of { id, browser, version, source, state, bytes }')
    .option('--here', 'list local builds only; ask no registry', false)
    .action((options: ListOptions) => run((io) => list(options, io)));
}

async function list(options: ListOptions, io: Io): Promise<ExitCode> {
  const { builds, silent } = await listKnownBuilds(options, io);
  for (const sentence of silent) note(io, sentence);
  if (options.json) printJson(io, builds.map(buildJson));
  else if (builds.length === 0)
    note(io, `No build is here. What can be had: ${npxCrossfarm} engines list`);
  else print(io, await drawBuilds(builds, io));
  return exitCodes.fine;
}

/** A contract with other tools. */
function buildJson({ id, browser, version, source, state, bytes }: KnownBuild): object {
  return { id, browser, version, source, state, bytes };
}

function drawBuilds(builds: readonly KnownBuild[], io: Io): Promise<string> {
  const rows = builds.map((build) => [
    build.id,
    build.version,
    build.source,
    build.state === 'here' ? pc.green('here') : 'available',
    `${build.state === 'here' || build.source === 'debian' ? '' : 'about '}${megabytes(build.bytes)}`,
  ]);
  return drawTable(
    { head: ['build', 'version', 'from', 'state', 'size'], rows },
    readTerminalWidth(io.stdout),
  );
}

type Getting = GetOptions & JsonOption;

function declareGet(parent: Command, run: Runner): void {
  const command = parent
    .command('get')
    .description('fetch builds and start each once')
    .argument('<builds...>', 'such as chromium@110, chromium@103..153, node@22.11.0');
  withDatabase(command);
  withJson(command, 'print { builds: [{ browser, version, executable, bytes }], failed }')
    .option(
      '--keep-builds <size>',
      'size limit of all builds (default: 4 GiB)',
      parseSize,
      defaultStoreBytes,
    )
    .action((builds: readonly string[], options: Getting) => run((io) => get(builds, options, io)));
}

async function get(builds: readonly string[], options: Getting, io: Io): Promise<ExitCode> {
  const got = await getBuilds(builds, options, makeCaller(io));
  if (options.json) printJson(io, { builds: got.builds.map(storedJson), failed: got.failed });
  else for (const one of got.builds) print(io, `${one.product}@${one.version}  ${one.executable}`);
  return got.failed.length === 0 ? exitCodes.fine : exitCodes.unfinished;
}

function storedJson({ product, version, executable, bytes, origin }: StoredBuild): object {
  return { browser: product, version, executable, bytes, origin: origin ?? null };
}

function declareRemove(parent: Command, run: Runner): void {
  const command = parent
    .command('remove')
    .description('remove local builds')
    .argument('<builds...>', 'such as chromium@110 or chromium@103..153');
  withDatabase(command);
  withJson(command, 'print an array of what was removed').action(
    (builds: readonly string[], options: DatabaseOption & JsonOption) =>
      run((io) => remove(builds, options, io)),
  );
}

async function remove(
  builds: readonly string[],
  options: DatabaseOption & JsonOption,
  io: Io,
): Promise<ExitCode> {
  const removed = await removeBuilds(builds, options);
  if (options.json) printJson(io, removed.map(storedJson));
  else
    for (const { product, version, bytes } of removed)
      print(io, `removed: ${product}@${version}, ${megabytes(bytes)}`);
  return exitCodes.fine;
}
