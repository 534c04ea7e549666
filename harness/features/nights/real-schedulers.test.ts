import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { findOnPath } from '../../core/setup/executable.ts';
import { aFolder } from '../../testing/folder.ts';
import { cronLines, systemdUnits, type Timetable } from './timetable.ts';

const strange = `a=$HOME%h'x\\y`;

/** With what a scheduler could take for something else; its program writes down what it was given. */
async function aTimetable(): Promise<Timetable> {
  const folder = join(await aFolder(), "it's 100% mine");
  mkdirSync(folder);
  const program = join(folder, 'write "it" down');
  writeFileSync(program, '#!/bin/sh\nprintf "%s\\n" "$PWD" "$PATH" "$SECRET" "$@" > said.txt\n');
  chmodSync(program, 0o755);
  const environmentFile = join(folder, 'nightly.env');
  writeFileSync(environmentFile, 'SECRET=hunter2\n');
  return {
    name: 'crossfarm-test',
    at: { hour: 2, minute: 5 },
    folder,
    environmentFile,
    command: [program, 'nightly', '--param', strange],
    path: '/usr/bin:/bin',
  };
}

test('the line of a crontab works: folder, PATH, secrets and arguments arrive', async () => {
  test.skip(process.platform === 'win32', 'there is no /bin/sh');
  const timetable = await aTimetable();
  const [, line = ''] = cronLines(timetable);
  // As cron(8) reads it: five fields, then a command for the shell, in which \% stands for %.
  const [, command = ''] = /^5 2 \* \* \* (.*)$/.exec(line) ?? [];
  await execa('/bin/sh', ['-c', command.replaceAll(String.raw`\%`, '%')], { cwd: '/' });
  expect(readFileSync(join(timetable.folder, 'said.txt'), 'utf8').split('\n')).toEqual([
    ...[timetable.folder, '/usr/bin:/bin', 'hunter2', 'nightly', '--param', strange, ''],
  ]);
});

test('systemd accepts the units, and reads the right time', async () => {
  test.skip(findOnPath(['systemd-analyze']) === null, 'systemd-analyze is not there');
  const timetable = await aTimetable();
  const { service, timer } = systemdUnits(timetable);
  const units = await aFolder();
  const paths = ['service', 'timer'].map((kind) => join(units, `${timetable.name}.${kind}`));
  for (const [index, text] of [service, timer].entries()) writeFileSync(paths[index]!, text);
  // A manager of a user wants a place for its sockets, which a session would give it.
  const env = { XDG_RUNTIME_DIR: units, LC_ALL: 'C' };
  const verified = await execa('systemd-analyze', ['--user', 'verify', ...paths], { env });
  // It reports what it does not know, and exits with 0 all the same. Other units of this machine are
  // looked at, too.
  const complaints = verified.stderr.split('\n').filter((line) => line.includes(timetable.name));
  expect(complaints).toEqual([]);

  const [, when = ''] = /^OnCalendar=(.*)$/m.exec(timer) ?? [];
  const { stdout } = await execa('systemd-analyze', ['calendar', when], { env });
  expect(stdout).toContain('Normalized form: *-*-* 02:05:00');
});
