import { expect, test } from '@playwright/test';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess as farm } from '../../testing/in-process-farm.ts';

/** The commands that a page of help lists. */
async function listedIn(...args: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await farm(await aFolder(), ...args, '--help');
  const [, list = ''] = /\nCommands:\n((?: +\S.*\n?)+)/.exec(stdout) ?? [];
  return namesIn(list);
}

function namesIn(list: string): readonly string[] {
  return [...list.matchAll(/^ {2}(\S+)/gm)].map(([, name = '']) => name);
}

test('help lists commands under four headings, at most six each', async () => {
  const { stdout } = await farm(await aFolder(), '--help');
  const groups = [...stdout.matchAll(/^([A-Z].*):\n((?: {2}[a-z].*\n)+)/gm)];
  expect(groups.map(([, heading, list = '']) => [heading, ...namesIn(list)])).toEqual([
    ['Measure', 'compare', 'run', 'start', 'nightly', 'ci'],
    ['Find the cause', 'bisect', 'blame', 'causal', 'profile'],
    ['Read and repeat', 'report', 'serve', 'claims', 'findings', 'db', 'continue'],
    ['Browsers and machines', 'devices', 'engines', 'worker', 'submit', 'queue', 'mcp'],
  ]);
});

for (const [group, names] of Object.entries({
  nightly: ['install', 'uninstall', 'history'],
  claims: ['list', 'reproduce', 'studies'],
  findings: ['list', 'reproduce'],
  engines: ['list', 'get', 'remove', 'sweep'],
  devices: ['list', 'setup', 'doctor', 'attend', 'agent'],
  db: ['list', 'export', 'import', 'prune', 'backup', 'copy'],
})) {
  test(`help of ${group} lists what stands under it, with a line for each`, async () => {
    expect(await listedIn(group)).toEqual(names);
  });
}

const earlier: Readonly<Record<string, string>> = {
  setup: 'devices setup',
  doctor: 'devices doctor',
  attend: 'devices attend',
  agent: 'devices agent',
  runs: 'db',
  list: 'db',
  ls: 'db',
  export: 'db export',
  import: 'db import',
  merge: 'db import',
  prune: 'db prune',
  backup: 'db backup',
  history: 'nightly history',
  reproduce: 'claims reproduce',
  anomalies: 'findings',
  builds: 'engines',
  'builds list': 'engines list',
  'builds get': 'engines get',
  'builds remove': 'engines remove',
  sweep: 'engines sweep',
};

for (const [name, now] of Object.entries(earlier)) {
  test(`${name} still works, and is ${now}`, async () => {
    const folder = await aFolder();
    const told = await farm(folder, ...name.split(' '), '--help');
    expect(told.stdout).toContain(`Usage: npx crossfarm ${now} `);
    expect(told).toEqual(await farm(folder, ...now.split(' '), '--help'));
    expect(told).toEqual(await farm(folder, 'help', ...name.split(' ')));
  });
}

for (const name of ['resume', 'trust', 'completion', 'engines bisect']) {
  test(`${name} works, though help leaves it out`, async () => {
    const told = await farm(await aFolder(), ...name.split(' '), '--help');
    expect(told).toMatchObject({ code: 0, stderr: '' });
    expect(told.stdout).toContain(`Usage: npx crossfarm ${name} `);
  });
}

test('a group alone does what its list does', async () => {
  const folder = await aFolder();
  for (const group of ['devices', 'findings', 'db']) {
    const alone = await farm(folder, group, '--json');
    expect(alone.code, alone.stderr).toBe(0);
    expect(alone).toEqual(await farm(folder, group, 'list', '--json'));
  }
});

for (const [args, meant] of [
  [['exprot'], "unknown command 'exprot'\n(Did you mean db export?)"],
  [['clams'], "unknown command 'clams'\n(Did you mean claims?)"],
  [['devices', 'setpu'], 'There is no command of devices "setpu".'],
  [['db', 'exprot'], 'Did you mean "export"? Known: list, export, import, prune, backup, copy.'],
] as const) {
  test(`${args.join(' ')} is refused with the nearest command`, async () => {
    const told = await farm(await aFolder(), ...args);
    expect(told).toMatchObject({ code: 2, stdout: '' });
    expect(told.stderr).toContain(meant);
  });
}

test('an unknown command cannot move the cursor of a terminal', async () => {
  const { stderr } = await farm(await aFolder(), '\u001b[2Jrun');
  expect(stderr).not.toContain('\u001b');
});
