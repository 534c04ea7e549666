import { join } from 'node:path';
import { makeOwnFolder } from '../own-path.ts';
import { askProgram, runInstaller } from './ask-program.ts';
import { findOnPath } from './executable.ts';

/** Options for running a foreign installer, whose failure stops nothing. */
export interface AttemptOptions {
  readonly signal: AbortSignal;
  /** Called with each progress note, one sentence at a time. */
  readonly say: (sentence: string) => void;
  /** Variables that the command gets in addition to ours. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** An installer that hangs must not keep the farm from measuring what is there. */
const downloadDeadlineMs = 5 * 60_000;

/** Runs a command to its end and says why it failed. @returns whether it succeeded. */
export async function attempt(
  command: readonly string[],
  options: AttemptOptions,
): Promise<boolean> {
  const [program = '', ...args] = command;
  const { failed, stderr, timedOut } = await runInstaller(program, args, {
    timeoutMs: downloadDeadlineMs,
    signal: options.signal,
    environment: { DEBIAN_FRONTEND: 'noninteractive', ...options.environment },
  });
  if (failed) {
    const why = timedOut ? 'no end after five minutes' : reasonIn(stderr);
    options.say(`  ${command.join(' ')} failed: ${why}`);
  }
  return !failed;
}

/** The line that names the error; the last one where none does. */
function reasonIn(text: string): string {
  const lines = text.trim().split('\n');
  const telling = lines.find((line) => /error|failed|unable|not found/i.test(line));
  return (telling ?? lines.at(-1) ?? '').trim().slice(0, 200);
}

/** Packages of Debian's and its relatives', where we may install them. @returns whether it was done. */
export async function installFromDistribution(
  packages: readonly string[],
  deviceId: string,
  options: AttemptOptions,
): Promise<boolean> {
  if (packages.length === 0 || findOnPath(['apt-get']) === null) return false;
  const rights = await findRights();
  if (rights === null) return false;
  options.say(`${deviceId}: installing ${packages.join(' ')} from the distribution`);
  const install = ['apt-get', 'install', '-y', '--no-install-recommends', ...packages];
  // A fresh image has no package lists; where they are there, the update is a second well spent.
  await attempt([...rights, 'apt-get', 'update'], options);
  return attempt([...rights, ...install], options);
}

/** How to become root without a question: nothing for root, `sudo -n` where it answers, else null. */
async function findRights(): Promise<readonly string[] | null> {
  if (process.getuid?.() === 0) return [];
  if (findOnPath(['sudo']) === null) return null;
  const { failed } = await askProgram('sudo', ['-n', 'true'], { timeoutMs: 5_000 });
  return failed ? null : ['sudo', '-n'];
}

/** Runs a command and says why it failed; true when it did not. */
export type Attempt = (command: readonly string[]) => Promise<boolean>;

interface NpmTools extends Pick<AttemptOptions, 'say'> {
  readonly attempt: Attempt;
  /** True if the folder's own list of packages has them from then on. */
  readonly keep: boolean;
}

/** Packages of npm's, into a folder of the farm's own. @returns whether it was done. */
export async function installFromNpm(
  specifications: readonly string[],
  folder: string,
  { keep, say, attempt: run }: NpmTools,
): Promise<boolean> {
  const npm = findOnPath(['npm']);
  if (npm === null) {
    say(`  npm, which would install ${specifications.join(' ')}, is not on PATH`);
    return false;
  }
  const saving = keep ? [] : ['--no-save'];
  const quiet = [...saving, '--no-audit', '--no-fund'];
  await makeOwnFolder(join(folder, 'node_modules'));
  return run([npm, 'install', '--prefix', folder, ...quiet, ...specifications]);
}
