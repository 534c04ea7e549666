import { FarmError } from '../../core/errors.ts';
import { escapeXml } from '../bundles/exchange/junit.ts';
import { mostContinuations } from './continue-night.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

/** A night that the system begins by itself. */
export interface Timetable {
  /** Of the unit, the line or the job; two farms of one user need two. */
  readonly name: string;
  readonly at: TimeOfDay;
  /** The farm's command: program and arguments, none of them quoted. */
  readonly command: readonly string[];
  /** Where it is started: databases and inventories are named from there. */
  readonly folder: string;
  /** PATH of the user who installed it: a system's own is short and may not have the browsers. */
  readonly path: string;
  /** A file with the notification's secrets, read if it is there. */
  readonly environmentFile: string;
}

/**
 * The clock of the machine: `02:30`.
 * @throws FarmError `bad-argument`.
 */
export function parseTimeOfDay(text: string): TimeOfDay {
  const [, hour = '', minute = ''] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.trim()) ?? [];
  if (hour !== '') return { hour: Number(hour), minute: Number(minute) };
  throw new FarmError('bad-argument', {
    what: `"${text}" is not a time of day.`,
    next: 'Give one from 00:00 to 23:59, such as --at 02:30.',
  });
}

/** @throws FarmError `bad-argument` for what would be no file name, or a text of two lines. */
export function checkTimetable(timetable: Timetable): void {
  const { name, folder, path, environmentFile, command } = timetable;
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name)) {
    throw new FarmError('bad-argument', {
      what: `"${name}" cannot be the name of a timetable.`,
      next: 'Use lower-case letters, digits and "-".',
    });
  }
  const broken = [folder, path, environmentFile, ...command].find((text) => /[\r\n\0]/.test(text));
  if (broken === undefined) return;
  throw new FarmError('bad-argument', {
    what: `${JSON.stringify(broken)} has a line end, which no timetable can hold.`,
    next: 'Rename that folder, or leave that argument out.',
  });
}

/** Mark of everything that the farm installs: only what has it is replaced or removed. */
export const installedMark = `Written by crossfarm: ${npxCrossfarm} nightly uninstall removes it`;

export function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

/** The label of a job: unique, as launchd requires. */
export function launchdLabel(name: string): string {
  return `org.crossfarm.${name}`;
}

/**
 * A user's agent. A shell reads the secrets, because a job's own file of them would be no secret.
 * `caffeinate` keeps a Mac awake until the night has ended (caffeinate(8)). Not tried on macOS.
 */
export function launchdJob(timetable: Timetable): string {
  const { name, at } = timetable;
  const words = ['/usr/bin/caffeinate', '-i', '/bin/sh', '-c'];
  const text = (value: string): string => `<string>${escapeXml(value)}</string>`;
  const number = (value: number): string => `<integer>${String(value)}</integer>`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    `<!-- ${installedMark} -->`,
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key>${text(launchdLabel(name))}`,
    '  <key>ProgramArguments</key>',
    `  <array>${[...words, shellCommand(timetable)].map(text).join('')}</array>`,
    '  <key>StartCalendarInterval</key>',
    `  <dict><key>Hour</key>${number(at.hour)}<key>Minute</key>${number(at.minute)}</dict>`,
    '</dict>',
    '</plist>',
    '',
  ].join('\n');
}

/** The two lines of a crontab: whose they are, and what is done when. */
export function cronLines(timetable: Timetable): readonly string[] {
  const { at } = timetable;
  const line = `${String(at.minute)} ${String(at.hour)} * * * ${shellCommand(timetable)}`;
  // In a crontab a % ends the line.
  return [cronMark(timetable.name), line.replaceAll('%', String.raw`\%`)];
}

function cronMark(name: string): string {
  return `# ${installedMark} (${name})`;
}

/** A crontab without the lines of this name, which are one after the other. */
export function withoutCronLines(crontab: string, name: string): string {
  const lines = crontab.split('\n');
  const mark = cronMark(name);
  const kept = lines.filter((line, index) => line !== mark && lines[index - 1] !== mark);
  return kept.join('\n');
}

/** A crontab with the timetable in place of the one of its name. */
export function withCronLines(crontab: string, timetable: Timetable): string {
  const others = withoutCronLines(crontab, timetable.name);
  const before = others === '' || others.endsWith('\n') ? others : `${others}\n`;
  return `${before}${cronLines(timetable).join('\n')}\n`;
}

export function hasCronLines(crontab: string, name: string): boolean {
  return crontab.split('\n').includes(cronMark(name));
}

/** One line for /bin/sh: secrets from their file, if it is there, then the night in its folder. */
function shellCommand({
  command,
  folder,
  path,
  environmentFile,
}: Omit<Timetable, 'name' | 'at'>): string {
  const file = shellQuoted(environmentFile);
  const secrets = `if [ -r ${file} ]; then set -a; . ${file}; set +a; fi`;
  const night = command.map(shellQuoted).join(' ');
  return `cd ${shellQuoted(folder)} && { ${secrets}; PATH=${shellQuoted(path)} exec ${night}; }`;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The first start, each continuation, and one to end the night. */
const mostStarts = 1 + mostContinuations + 1;

/**
 * A user's service, and the timer that starts it. Quoting is systemd's own (systemd.service(5),
 * "Command lines"; systemd.unit(5), "Specifiers").
 */
export function systemdUnits(timetable: Timetable): {
  readonly service: string;
  readonly timer: string;
} {
  const { name, at, command, folder, path, environmentFile } = timetable;
  const service = [
    `# ${installedMark}`,
    '[Unit]',
    `Description=crossfarm: a night (${name})`,
    // Limits the starts within a night, in case something kills the farm again and again.
    'StartLimitIntervalSec=12h',
    `StartLimitBurst=${String(mostStarts)}`,
    '',
    '[Service]',
    // Not oneshot, which no systemd before 244 restarts.
    'Type=simple',
    // A farm that crashed or was killed continues its night. One that ended has said what it had
    // to say: 1 attention, 2 wrong use, 3 red; 70, a bug, would be there again.
    'Restart=on-failure',
    'RestartPreventExitStatus=1 2 3 4 70',
    'RestartSec=2min',
    // A browser that ran out of memory costs a trial, and not the night.
    'OOMPolicy=continue',
    `WorkingDirectory=${literal(folder)}`,
    `Environment=${quoted(`PATH=${path}`)}`,
    // The minus: a farm without notifications has no such file.
    `EnvironmentFile=-${literal(environmentFile)}`,
    // By env, because systemd itself starts no program whose path has a quote or a backslash in it.
    `ExecStart=/usr/bin/env ${command.map((word) => quoted(word.replaceAll('$', '$$$$'))).join(' ')}`,
    // It ends what it has started when it gets a signal.
    'TimeoutStopSec=120',
    'KillMode=mixed',
    // Each browser then gets its own cgroup, inside that of the night. Of one controller alone,
    // because that of the CPU would change how the browsers' threads are scheduled.
    'Delegate=pids',
    '',
  ];
  const timer = [
    `# ${installedMark}`,
    '[Unit]',
    `Description=crossfarm: when a night begins (${name})`,
    '',
    '[Timer]',
    `OnCalendar=*-*-* ${twoDigits(at.hour)}:${twoDigits(at.minute)}:00`,
    // A night that was slept through is not made up for by day, when people use the machine.
    'Persistent=false',
    'AccuracySec=1min',
    `Unit=${name}.service`,
    '',
    '[Install]',
    'WantedBy=timers.target',
    '',
  ];
  return { service: service.join('\n'), timer: timer.join('\n') };
}

/** One word of a command line. */
function quoted(text: string): string {
  return `"${literal(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** Nothing is a specifier. */
function literal(text: string): string {
  return text.replaceAll('%', '%%');
}
