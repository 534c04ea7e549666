import { hostname } from 'node:os';
import type { Command } from 'commander';
import { z } from 'zod';
import { type ExitCode, exitCodes, FarmError } from '../../core/errors.ts';
import { type CallCommand, type Io, note, type Runner } from '../../core/cli/io.ts';
import { type DatabaseOption, withDatabase } from '../../core/cli/options.ts';
import { plain } from '../../core/run/progress/plain-text.ts';
import { describeMachine } from '../../core/setup/machine.ts';
import { type HostFacts, hostName, nameThisHost } from './hosts.ts';
import { type FarmOption, withFarm } from './options.ts';
import { withServer } from './server.ts';
import { work } from './worker.ts';

interface Options extends FarmOption, DatabaseOption {
  readonly as?: string;
  readonly drain: boolean;
}

export function declare(command: Command, run: Runner): void {
  withFarm(command);
  withDatabase(command)
    .option('--as <name>', 'name of this host (default: its hostname)')
    .option('--drain', 'end when no job waits', false)
    .addHelpText('after', help)
    .action((options: Options) => run((io) => startWorker(options, io)));
}

const help = `
Takes the jobs of this host and measures them in this folder: its devices.json, its configuration.
Each trial is stored here first, then sent to the farm; while the server is away it goes on.
A job may not set what leads to programs or files of this host, such as --build.

The address may be in CROSSFARM_FLEET instead, where other users of the machine do not see it.`;

async function startWorker({ farm, as, database, drain }: Options, io: Io): Promise<ExitCode> {
  const { callCommand: call, signal } = io;
  if (call === undefined) throw new Error('a command runs outside of a command line');
  const name = as ?? nameThisHost(hostname());
  if (!hostName.test(name)) {
    throw new FarmError('bad-argument', {
      what: `"${plain(name)}" is no name of a host.`,
      next: 'Name it by lower-case letters, digits, "." and "-": --as rack-2',
    });
  }
  return withServer(farm, async (server) => {
    const facts = { ...describeMachine(), ...(await listDevices(call)) };
    const say = (sentence: string): void => {
      note(io, plain(sentence));
    };
    await work({ server, name, facts, database, call, drain, signal, say });
    return exitCodes.fine;
  });
}

const listed = z.array(z.looseObject({ id: z.string(), status: z.string() }));

/** Devices that were found here; none where they cannot be listed, for others may be measured yet. */
async function listDevices(call: CallCommand): Promise<Pick<HostFacts, 'devices' | 'inventory'>> {
  const { document } = await call(['devices']);
  const inventory = listed.safeParse(document).data ?? [];
  const found = inventory.filter(({ status }) => status === 'found');
  return { devices: found.map(({ id }) => id), inventory };
}
