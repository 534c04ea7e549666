import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadDriver } from '../../../drivers/index.ts';
import { loadInventory } from '../plan/inventory/inventory.ts';
import { projectRoot } from '../project.ts';
import { farmMark, farmVariable } from '../session/farm-mark.ts';
import { identify, readProcessTable } from '../session/process-table.ts';
import { findOnPath } from '../setup/executable.ts';
import { findDevice } from '../setup/presence.ts';
import { somePages, startFarm } from '../../testing/farm.ts';
import { aFolder, aFolderOf } from '../../testing/folder.ts';

/** A device of the farm's own list, and the process that shows or runs its page. */
const devices: readonly (readonly [string, RegExp])[] = [
  ['chromium', /--type=renderer/],
  ['firefox', /-contentproc .*-isForBrowser/],
  ['firefox-open', /-contentproc .*-isForBrowser/],
  ['webkitgtk', /WebKitWebProcess/],
];

test.skip(process.platform !== 'linux', 'only Linux lists every process with its marks');

/**
 * Living processes with the mark of a farm, or with its folder in their commands, as Chromium's
 * helpers.
 */
function processesOf(mark: string, folder: string) {
  const mine = `${farmVariable}=${mark}`;
  return readProcessTable().filter(
    ({ environment, command, dead }) =>
      !dead && (environment.includes(mine) || command.includes(folder)),
  );
}

/** A process with the mark of another farm: of this one. */
async function aStranger() {
  const child = execa('sh', ['-c', 'echo ready; read end'], {
    env: { [farmVariable]: farmMark() },
    reject: false,
    stdin: 'pipe',
  });
  await once(child.stdout, 'data');
  return { child };
}

for (const [id, pageProcess] of devices) {
  test(`a farm that is killed takes ${id} with it, and nothing of another farm @attack`, async () => {
    const device = (await loadInventory(join(projectRoot(), 'devices.json'))).find(
      (one) => one.id === id,
    );
    const presence = await findDevice(device!, await loadDriver(device!.driver));
    test.skip(presence.status === 'missing', presence.status === 'missing' ? presence.reason : '');
    const folder = await aFolder();
    const pages = await somePages(folder, 'await new Promise(() => undefined);');
    const farm = startFarm(folder, [
      ...['run', '--pages', pages, '--bench', 'mine', '--device', id],
      ...['--trials', '1', '--measurement', 'fast', '--no-probes'],
    ]);
    const { pid, start } = identify(farm.pid!)!;
    const mark = farmMark().replace(/^\d+:[^:]*/, `${String(pid)}:${start}`);
    const left = () => processesOf(mark, folder).map(({ command }) => command);
    await expect.poll(() => left().filter((one) => pageProcess.test(one))).not.toEqual([]);
    const { child: stranger } = await aStranger();
    farm.kill('SIGKILL');
    await farm;
    await expect.poll(left).toEqual([]);
    expect(stranger.exitCode).toBeNull();
    stranger.kill();
    await stranger;
  });
}

test('a killed farm takes the build of a version with it', async () => {
  test.skip(findOnPath(['git']) === null, 'git is not installed');
  const folder = await aFolderOf({ 'index.html': '<p>x' });
  const git = (...args: readonly string[]): Promise<unknown> =>
    execa('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: folder });
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '.');
  await git('commit', '--quiet', '--message', 'a');
  const stateOf = async (): Promise<string> => {
    const asked = [
      ['status', '--porcelain', '--untracked-files=no'],
      ['worktree', 'list'],
      ['branch'],
    ];
    const told = await Promise.all(asked.map((args) => execa('git', args, { cwd: folder })));
    return told.map(({ stdout }) => stdout).join('\n');
  };
  const before = await stateOf();
  const pids = join(folder, 'pids');
  const build = `sleep 600 & echo $! >> ${pids}; wait`;
  const farm = startFarm(folder, [
    'compare',
    'main',
    '.',
    '--page',
    'index.html',
    '--build',
    build,
  ]);
  const pid = (): string => (existsSync(pids) ? readFileSync(pids, 'utf8').trim() : '');
  await expect.poll(pid).toMatch(/^\d+$/);
  farm.kill('SIGKILL');
  await farm;
  await expect.poll(() => existsSync(`/proc/${pid()}`)).toBe(false);
  expect(await stateOf()).toBe(before);
});
