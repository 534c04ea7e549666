import { mostContinuations } from '../continue-night.ts';
import { installedMark, twoDigits, type Timetable } from './timetable.ts';

/** First, each time that it measures on, and once more to end the night with what is there. */
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
    // What kills the farm again and again ends with it: within a night it is started so often.
    'StartLimitIntervalSec=12h',
    `StartLimitBurst=${String(mostStarts)}`,
    '',
    '[Service]',
    // Not oneshot, which no systemd before 244 restarts.
    'Type=simple',
    // A farm that crashed or was killed goes on with its night. One that ended has said what it had
    // to say: 1 attention, 2 wrong use, 3 red; 70, a bug, would be there again.
    'Restart=on-failure',
    'RestartPreventExitStatus=1 2 3 4 70',
    'RestartSec=2min',
    // A browser that ran out of memory costs a trial, and not the night.
    'OOMPolicy=continue',
    `WorkingDirectory=${literal(folder)}`,
    `Environment=${quoted(`PATH=${path}`)}`,
    // The minus: a farm that tells nobody has no such file.
    `EnvironmentFile=-${literal(environmentFile)}`,
    // By env, because systemd itself starts no program whose path has a quote or a backslash in it.
    `ExecStart=/usr/bin/env ${command.map((word) => quoted(word.replaceAll('$', '$$$$'))).join(' ')}`,
    // It ends what it has started when it is told to stop.
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
