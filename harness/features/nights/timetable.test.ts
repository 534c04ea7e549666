import { expect, test } from '@playwright/test';
import { exitCodes } from '../../core/errors.ts';
import {
  checkTimetable,
  cronLines,
  launchdJob,
  parseTimeOfDay,
  systemdUnits,
  type Timetable,
  withCronLines,
  withoutCronLines,
} from './timetable.ts';

const plain: Timetable = {
  name: 'crossfarm-nightly',
  at: { hour: 2, minute: 5 },
  command: ['/usr/bin/node', '/farm/main.js', 'nightly', '--keep-days', '90'],
  folder: '/home/me/farm',
  path: '/usr/bin:/bin',
  environmentFile: '/home/me/.config/crossfarm/nightly.env',
};

/** With everything that a scheduler could take for something else. */
const strange: Timetable = {
  ...plain,
  command: ['/opt/my "node"/bin/node', '/farm/main.js', 'nightly', '--param', `a=$HOME%h'x\\y`],
  folder: "/home/me/it's 100% mine",
};

const times: readonly [string, number, number][] = [
  ['02:30', 2, 30],
  ['2:30', 2, 30],
  ['00:00', 0, 0],
  ['23:59', 23, 59],
];

for (const [text, hour, minute] of times) {
  test(`${text} is a time of day`, () => {
    expect(parseTimeOfDay(text)).toEqual({ hour, minute });
  });
}

for (const text of ['24:00', '02:60', '2', '2:3', '-1:30', '02:30:00', 'noon', '', '02:30; rm']) {
  test(`"${text}" is refused as a time of day, with an example`, () => {
    expect(() => parseTimeOfDay(text)).toThrow(`"${text}" is not a time of day`);
  });
}

test('systemd gets a service, and a timer for the clock of the machine', () => {
  const { service, timer } = systemdUnits(plain);
  expect(service.split('\n')).toEqual(
    expect.arrayContaining([
      'WorkingDirectory=/home/me/farm',
      'Environment="PATH=/usr/bin:/bin"',
      'EnvironmentFile=-/home/me/.config/crossfarm/nightly.env',
      'ExecStart=/usr/bin/env "/usr/bin/node" "/farm/main.js" "nightly" "--keep-days" "90"',
    ]),
  );
  expect(timer.split('\n')).toEqual(
    expect.arrayContaining(['OnCalendar=*-*-* 02:05:00', 'Unit=crossfarm-nightly.service']),
  );
});

test('systemd starts a farm again that was killed, and none that ended with a verdict', () => {
  const { service } = systemdUnits(plain);
  expect(service).toMatch(/^Restart=on-failure$/m);
  const verdicts = Object.values(exitCodes).filter((code) => code !== exitCodes.fine);
  expect(service).toContain(`\nRestartPreventExitStatus=${verdicts.join(' ')}\n`);
  // Once, three times to measure on, and once to end the night.
  expect(service).toMatch(/^StartLimitBurst=5$/m);
});

test('systemd takes no part of a path or argument for a specifier, a variable or an escape', () => {
  const { service } = systemdUnits(strange);
  expect(service).toContain("WorkingDirectory=/home/me/it's 100%% mine\n");
  expect(service).toContain(
    String.raw`ExecStart=/usr/bin/env "/opt/my \"node\"/bin/node" "/farm/main.js" "nightly" "--param" "a=$$HOME%%h'x\\y"`,
  );
});

test('cron gets one line under a mark, in which no % ends it', () => {
  const [mark, line = ''] = cronLines(strange);
  expect(mark).toMatch(/^# Written by crossfarm.*\(crossfarm-nightly\)$/);
  expect(line).toMatch(/^5 2 \* \* \* cd '/);
  expect(line.replaceAll(String.raw`\%`, '')).not.toContain('%');
  expect(line).toContain(String.raw`'/home/me/it'\''s 100\% mine'`);
});

test('a crontab gets the lines once, keeps all others, and is as before without them', () => {
  const before = 'MAILTO=me\n0 4 * * * backup\n';
  const installed = withCronLines(before, plain);
  expect(installed.startsWith(before)).toBe(true);
  const later = withCronLines(installed, { ...plain, at: { hour: 3, minute: 0 } });
  expect(later.match(/nightly\.env/g)).toEqual(installed.match(/nightly\.env/g));
  expect(later).toContain('\n0 3 * * * cd ');
  const second = withCronLines(later, { ...plain, name: 'second' });
  expect(withoutCronLines(second, 'second')).toBe(later);
  expect(withoutCronLines(later, plain.name)).toBe(before);
  expect(withCronLines('0 4 * * * backup', plain)).toMatch(/^0 4 \* \* \* backup\n# Written/);
});

test('launchd gets a job whose texts are escaped', () => {
  const job = launchdJob(strange);
  expect(job).toContain('<string>org.crossfarm.crossfarm-nightly</string>');
  expect(job).toContain('<key>Hour</key><integer>2</integer><key>Minute</key><integer>5</integer>');
  expect(job).toContain('/opt/my &quot;node&quot;/bin/node');
  expect(job).not.toContain('my "node"');
  // It keeps an idle Mac awake.
  expect(job).toContain('<array><string>/usr/bin/caffeinate</string><string>-i</string>');
});

const broken: readonly [string, Timetable, RegExp][] = [
  ['a name with a slash', { ...plain, name: '../x' }, /cannot be the name/],
  ['a folder of two lines', { ...plain, folder: '/a\nExecStart=/bin/evil' }, /has a line end/],
  ['an argument of two lines', { ...plain, command: ['node', 'a\nb'] }, /has a line end/],
];

for (const [what, timetable, sentence] of broken) {
  test(`${what} is refused`, () => {
    expect(() => {
      checkTimetable(timetable);
    }).toThrow(sentence);
  });
}
