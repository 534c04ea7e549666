import { expect, test } from '@playwright/test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FarmError } from '../../core/errors.ts';
import { aFolder } from '../../testing/folder.ts';
import {
  environmentFileOf,
  homeOf,
  installTimetable,
  plannedFiles,
  schedulerOf,
  uninstallTimetable,
  type Scheduler,
  type SystemCommand,
} from './install-timetable.ts';
import type { Timetable } from './timetable.ts';

const timetable: Timetable = {
  name: 'crossfarm-nightly',
  at: { hour: 2, minute: 30 },
  command: ['/usr/bin/node', '/farm/main.js', 'nightly'],
  folder: '/farm',
  path: '/usr/bin',
  environmentFile: '/home/me/.config/crossfarm/nightly.env',
};

/** A system with a crontab, which can be made to refuse. */
async function aSystem({ crontab = null as string | null, refuses = '' } = {}) {
  const home = homeOf({ HOME: await aFolder() });
  const state = { crontab, calls: [] as string[] };
  const refuse = (what: string, next = ''): never => {
    throw new FarmError('setup-failed', { what, next });
  };
  const system: SystemCommand = (command, { input, emptyWhen } = {}) => {
    const call = command.join(' ');
    state.calls.push(call);
    if (refuses !== '' && call.includes(refuses)) refuse(`${call} failed`);
    if (call === 'crontab -') state.crontab = input ?? '';
    if (call !== 'crontab -l') return Promise.resolve('');
    if (state.crontab !== null) return Promise.resolve(state.crontab);
    if (emptyWhen?.test('no crontab for me') !== true) refuse('no crontab');
    return Promise.resolve('');
  };
  const order = (scheduler: Scheduler) => ({ scheduler, home, system });
  return { home, state, order };
}

test('systemd gets two files of the user, and loads them; uninstall removes exactly these', async () => {
  const { home, state, order } = await aSystem();
  const written = await installTimetable(timetable, order('systemd'));
  const folder = join(home.home, '.config', 'systemd', 'user');
  expect(written).toEqual([
    join(folder, 'crossfarm-nightly.service'),
    join(folder, 'crossfarm-nightly.timer'),
  ]);
  for (const { path, text } of plannedFiles(timetable, 'systemd', home)) {
    expect(readFileSync(path, 'utf8')).toBe(text);
  }
  expect(state.calls).toEqual([
    'systemctl --user daemon-reload',
    'systemctl --user enable --now crossfarm-nightly.timer',
  ]);
  writeFileSync(join(folder, 'mine.service'), 'mine');
  expect(await uninstallTimetable(timetable.name, order('systemd'))).toEqual(written);
  expect(written.map((path) => existsSync(path))).toEqual([false, false]);
  expect(existsSync(join(folder, 'mine.service'))).toBe(true);
  expect(state.calls.slice(2)).toEqual([
    'systemctl --user disable --now crossfarm-nightly.timer',
    'systemctl --user daemon-reload',
  ]);
  expect(await uninstallTimetable(timetable.name, order('systemd'))).toEqual([]);
});

test('Windows gets a script and a task of its scheduler, and loses exactly these', async () => {
  expect(schedulerOf('win32')).toBe('schtasks');
  const { home, state, order } = await aSystem();
  const odd = { ...timetable, folder: 'C:\\Ada’s farm', path: 'C:\\nodejs' };
  const [script = ''] = await installTimetable(odd, order('schtasks'));
  expect(script).toBe(join(home.home, '.config', 'crossfarm', 'crossfarm-nightly.ps1'));
  expect(state.calls).toEqual([
    `schtasks /Create /F /SC DAILY /ST 02:30 /TN crossfarm-nightly /TR powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass -File "${script}"`,
  ]);
  const text = readFileSync(script, 'utf8');
  expect(text).toContain("Set-Location -LiteralPath 'C:\\Ada’’s farm'\r\n");
  expect(text).toContain("& '/usr/bin/node' '/farm/main.js' 'nightly'\r\nexit $LASTEXITCODE");
  const quoted = { ...odd, command: ['node', 'a "b"'] };
  await expect(installTimetable(quoted, order('schtasks'))).rejects.toThrow(/has a quote/);
  expect(await uninstallTimetable(timetable.name, order('schtasks'))).toEqual([script]);
  expect(state.calls.at(-1)).toBe('schtasks /Delete /F /TN crossfarm-nightly');
  expect(existsSync(script)).toBe(false);
});

test('installed again, the new time replaces the old one', async () => {
  const { order } = await aSystem();
  const [, timer = ''] = await installTimetable(timetable, order('systemd'));
  await installTimetable({ ...timetable, at: { hour: 4, minute: 0 } }, order('systemd'));
  expect(readFileSync(timer, 'utf8')).toContain('OnCalendar=*-*-* 04:00:00');
});

test('a refusal of the system is reported, and nothing is left behind', async () => {
  const { home, order } = await aSystem({ refuses: 'daemon-reload' });
  const refused = installTimetable(timetable, order('systemd'));
  await expect(refused).rejects.toMatchObject({ code: 'setup-failed' });
  for (const { path } of plannedFiles(timetable, 'systemd', home)) {
    expect(existsSync(path)).toBe(false);
  }
});

for (const scheduler of ['systemd', 'launchd'] as const) {
  test(`a foreign file is neither replaced nor removed with ${scheduler}`, async () => {
    const { home, order } = await aSystem();
    const [file] = plannedFiles(timetable, scheduler, home);
    mkdirSync(dirname(file!.path), { recursive: true });
    writeFileSync(file!.path, 'mine');
    const sentence = /was not written by crossfarm/;
    await expect(installTimetable(timetable, order(scheduler))).rejects.toThrow(sentence);
    await expect(uninstallTimetable(timetable.name, order(scheduler))).rejects.toThrow(sentence);
    expect(readFileSync(file!.path, 'utf8')).toBe('mine');
  });
}

test('launchd gets one job, in place of the one of that label', async () => {
  const { home, state, order } = await aSystem();
  const [path = ''] = await installTimetable(timetable, order('launchd'));
  expect(path).toBe(
    join(home.home, 'Library', 'LaunchAgents', 'org.crossfarm.crossfarm-nightly.plist'),
  );
  expect(state.calls.map((call) => call.split(' ')[1])).toEqual(['bootout', 'bootstrap']);
  expect(await uninstallTimetable(timetable.name, order('launchd'))).toEqual([path]);
  expect(existsSync(path)).toBe(false);
});

test('a crontab keeps all other lines, and a missing one is made', async () => {
  const { state, order } = await aSystem();
  await installTimetable(timetable, order('cron'));
  expect(state.crontab).toContain('30 2 * * * cd ');
  state.crontab = `0 4 * * * mine\n${state.crontab ?? ''}`;
  await installTimetable(timetable, order('cron'));
  expect(state.crontab.match(/30 2 \* \* \*/g)).toHaveLength(1);
  expect(await uninstallTimetable(timetable.name, order('cron'))).toEqual(['crontab']);
  expect(state.crontab).toBe('0 4 * * * mine\n');
  expect(await uninstallTimetable(timetable.name, order('cron'))).toEqual([]);
});

test('a crontab that cannot be read is not taken for an empty one', async () => {
  const { state, order } = await aSystem({ crontab: '0 4 * * * mine\n', refuses: 'crontab -l' });
  await expect(installTimetable(timetable, order('cron'))).rejects.toThrow('crontab -l failed');
  expect(state.crontab).toBe('0 4 * * * mine\n');
});

test('the settings file is in the configuration folder of the user', () => {
  expect(environmentFileOf(homeOf({ HOME: '/home/me' }))).toBe(
    '/home/me/.config/crossfarm/nightly.env',
  );
  const elsewhere = homeOf({ HOME: '/home/me', XDG_CONFIG_HOME: '/etc/me' });
  expect(environmentFileOf(elsewhere)).toBe('/etc/me/crossfarm/nightly.env');
});
