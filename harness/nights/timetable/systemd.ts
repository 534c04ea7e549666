import { installedMark, twoDigits, type Timetable } from './timetable.ts';

/**
 * A user's service, and the timer that starts it. Quoting is systemd's own (systemd.service(5),
 * "Command lines"; systemd.unit(5), "Specifiers").
 */
export function systemdUnits(timetable: Timetable): {
  readonly service: string;
  readonly timer: string;
} {
  const { name, at, command, folder, path, environmentFile } = timetable;
  const [program = '', ...args] = command;
  const service = [
    `# ${installedMark}`,
    '[Unit]',
    `Description=crossfarm: a night (${name})`,
    '',
    '[Service]',
    'Type=oneshot',
    `WorkingDirectory=${literal(folder)}`,
    `Environment=${quoted(`PATH=${path}`)}`,
    // The minus: a farm that tells nobody has no such file.
    `EnvironmentFile=-${literal(environmentFile)}`,
    // No variable is replaced in the program's own name, so its dollar signs stay.
    `ExecStart=${[quoted(program), ...args.map((arg) => quoted(arg.replaceAll('$', '$$$$')))].join(' ')}`,
    // A night takes hours, and ends what it has started when it is told to stop.
    'TimeoutStartSec=infinity',
    'TimeoutStopSec=120',
    'KillMode=mixed',
    // Each browser then gets a cgroup of its own, inside that of the night. Of one controller alone,
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
