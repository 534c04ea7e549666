import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { FarmError } from '../../core/errors.ts';
import { writeWholeFile } from '../../core/own-path.ts';
import {
  checkTimetable,
  hasCronLines,
  installedMark,
  launchdJob,
  launchdLabel,
  systemdUnits,
  type Timetable,
  withCronLines,
  withoutCronLines,
} from './timetable.ts';
import { createTask, deleteTask, windowsScript } from './windows-task.ts';

export const schedulers = ['systemd', 'cron', 'launchd', 'schtasks'] as const;

export type Scheduler = (typeof schedulers)[number];

/** Runs a program of the system's. @throws FarmError `setup-failed` when it fails or is not there. */
export type SystemCommand = (
  command: readonly string[],
  options?: SystemCommandOptions,
) => Promise<string>;

interface SystemCommandOptions {
  /** For its standard input. */
  readonly input?: string;
  /** A failure that says this counts as an empty answer. */
  readonly emptyWhen?: RegExp;
}

/** A unit that was not running, or is not known, need not be stopped. */
const anything = /(?:)/;

interface Home {
  readonly home: string;
  /** Where a user's settings lie. */
  readonly config: string;
}

export function homeOf(environment: NodeJS.ProcessEnv): Home {
  const home = environment['HOME'] ?? homedir();
  const config = environment['XDG_CONFIG_HOME'] ?? '';
  return { home, config: config === '' ? join(home, '.config') : config };
}

/** Read by the night that the system starts; written by the owner, if at all. */
export function environmentFileOf({ config }: Home): string {
  return join(config, 'crossfarm', 'nightly.env');
}

export function schedulerOf(platform: NodeJS.Platform): Scheduler {
  if (platform === 'darwin') return 'launchd';
  if (platform === 'win32') return 'schtasks';
  return platform === 'linux' && existsSync('/run/systemd/system') ? 'systemd' : 'cron';
}

interface PlannedFile {
  readonly path: string;
  readonly text: string;
}

/** The files to write, for a preview. */
export function plannedFiles(
  timetable: Timetable,
  scheduler: Scheduler,
  home: Home,
): readonly PlannedFile[] {
  checkTimetable(timetable);
  switch (scheduler) {
    case 'systemd': {
      const { service, timer } = systemdUnits(timetable);
      const [servicePath = '', timerPath = ''] = filesOf(timetable.name, scheduler, home);
      return [
        { path: servicePath, text: service },
        { path: timerPath, text: timer },
      ];
    }
    case 'cron':
      return [{ path: 'crontab', text: withCronLines('', timetable) }];
    case 'launchd': {
      const [path = ''] = filesOf(timetable.name, scheduler, home);
      return [{ path, text: launchdJob(timetable) }];
    }
    case 'schtasks': {
      const [path = ''] = filesOf(timetable.name, scheduler, home);
      return [{ path, text: windowsScript(timetable) }];
    }
  }
}

function filesOf(name: string, scheduler: Scheduler, { home, config }: Home): readonly string[] {
  switch (scheduler) {
    case 'systemd':
      return ['service', 'timer'].map((kind) => join(config, 'systemd', 'user', `${name}.${kind}`));
    case 'launchd':
      return [join(home, 'Library', 'LaunchAgents', `${launchdLabel(name)}.plist`)];
    case 'schtasks':
      return [join(config, 'crossfarm', `${name}.ps1`)];
    case 'cron':
      return [];
  }
}

interface InstallOrder {
  readonly scheduler: Scheduler;
  readonly home: Home;
  readonly system: SystemCommand;
}

/**
 * Has the system begin a night every day; replaces an earlier timetable of that name.
 * @returns the files that were written; none for cron.
 * @throws FarmError `bad-argument`, `cannot-write`, `setup-failed`; then nothing new is there.
 */
export async function installTimetable(
  timetable: Timetable,
  order: InstallOrder,
): Promise<readonly string[]> {
  const { scheduler, home, system } = order;
  const files = plannedFiles(timetable, scheduler, home);
  if (scheduler === 'cron') {
    const before = await readCrontab(system);
    await system(['crontab', '-'], { input: withCronLines(before, timetable) });
    return [];
  }
  for (const { path } of files) await refuseStrange(path);
  try {
    for (const { path, text } of files) await writeWholeFile(path, text);
    await announce(timetable, order);
  } catch (error) {
    for (const { path } of files) await rm(path, { force: true });
    throw error;
  }
  return files.map(({ path }) => path);
}

async function announce(timetable: Timetable, order: InstallOrder): Promise<void> {
  const { name } = timetable;
  const { scheduler, home, system } = order;
  if (scheduler === 'systemd') {
    await system(['systemctl', '--user', 'daemon-reload']);
    await system(['systemctl', '--user', 'enable', '--now', `${name}.timer`]);
    return;
  }
  const [path = ''] = filesOf(name, scheduler, home);
  if (scheduler === 'schtasks') {
    await system(createTask(timetable, path));
    return;
  }
  // A job of that label that was there before is in the way of the new one.
  await system(['launchctl', 'bootout', `${domain()}/${launchdLabel(name)}`], {
    emptyWhen: anything,
  });
  await system(['launchctl', 'bootstrap', domain(), path]);
}

function domain(): string {
  return `gui/${String(process.getuid?.() ?? 0)}`;
}

/**
 * Removes exactly what was installed under that name.
 * @returns what was removed; empty when there was nothing.
 * @throws FarmError `cannot-write` for a file that the farm did not write, `setup-failed`.
 */
export async function uninstallTimetable(
  name: string,
  { scheduler, home, system }: InstallOrder,
): Promise<readonly string[]> {
  if (scheduler === 'cron') {
    const crontab = await readCrontab(system);
    if (!hasCronLines(crontab, name)) return [];
    await system(['crontab', '-'], { input: withoutCronLines(crontab, name) });
    return ['crontab'];
  }
  const files = filesOf(name, scheduler, home).filter((path) => existsSync(path));
  if (files.length === 0) return [];
  for (const path of files) await refuseStrange(path);
  // A unit that the system does not know (never started, or by hand) is removed, too.
  const [unload, after] = unloadingOf(name, scheduler);
  await system(unload, { emptyWhen: anything });
  for (const path of files) await rm(path, { force: true });
  if (after !== null) await system(after, { emptyWhen: anything });
  return files;
}

/** Words that have the system forget a night, and those after its files are gone. */
function unloadingOf(
  name: string,
  scheduler: Exclude<Scheduler, 'cron'>,
): readonly [readonly string[], readonly string[] | null] {
  switch (scheduler) {
    case 'systemd':
      return [
        ['systemctl', '--user', 'disable', '--now', `${name}.timer`],
        ['systemctl', '--user', 'daemon-reload'],
      ];
    case 'launchd':
      return [['launchctl', 'bootout', `${domain()}/${launchdLabel(name)}`], null];
    case 'schtasks':
      return [deleteTask(name), null];
  }
}

/** Without a crontab it is empty; any other failure must not lose an existing one. */
function readCrontab(system: SystemCommand): Promise<string> {
  return system(['crontab', '-l'], { emptyWhen: /no crontab for/i });
}

/** Leaves a foreign file of that name alone. */
async function refuseStrange(path: string): Promise<void> {
  if (!existsSync(path) || (await readFile(path, 'utf8')).includes(installedMark)) return;
  throw new FarmError('cannot-write', {
    what: `${path} was not written by crossfarm, and was left as it is.`,
    next: 'Give another name: --name NAME.',
  });
}

const deadlineMs = 30_000;

/** `SystemCommand` with the programs of this machine. */
export const runSystemCommand: SystemCommand = async (
  [program = '', ...args],
  { input, emptyWhen } = {},
) => {
  const { execa } = await import('execa');
  const { failed, stdout, stderr, shortMessage } = await execa(program, args, {
    reject: false,
    timeout: deadlineMs,
    stripFinalNewline: false,
    // Failures are distinguished by their words.
    env: { LC_ALL: 'C' },
    ...(input === undefined ? { stdin: 'ignore' } : { input }),
  });
  if (!failed) return stdout;
  const said = stderr.trim();
  const words = said === '' ? (shortMessage ?? 'it did not say why') : said;
  if (emptyWhen?.test(words) === true) return '';
  throw new FarmError('setup-failed', {
    what: `${[program, ...args].join(' ')} failed: ${words.split('\n').at(-1) ?? ''}.`,
    next: 'Choose another way with --with systemd, cron, launchd or schtasks; --print shows what to install by hand.',
  });
};
