import { test, expect } from '@playwright/test';
import { createServer } from 'node:net';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { withEnvironment } from '../../testing/environment.ts';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess as farm } from '../../testing/in-process-farm.ts';

const refusals: readonly [string, readonly string[], RegExp][] = [
  ['an unknown command', ['rnu'], /unknown command 'rnu'[\s\S]*Did you mean run\?/],
  [
    'an unknown option',
    ['run', '--devcie', 'x'],
    /unknown option '--devcie'[\s\S]*Did you mean --device\?/,
  ],
  [
    'an unknown device',
    ['run', '--device', 'firefx'],
    /no device "firefx"[\s\S]*Did you mean "firefox"\?/,
  ],
  ['an unknown suite', ['run', '--suite', 'quik'], /no suite "quik"[\s\S]*Did you mean "quick"\?/],
  [
    'an unknown benchmark',
    ['run', '--bench', 'fbi'],
    /no benchmark "fbi"[\s\S]*Did you mean "fib"\?/,
  ],
  [
    'an unknown parameter',
    ['run', '--bench', 'fib', '--param', 'm=3'],
    /no parameter of fib "m"[\s\S]*Did you mean "n"\?/,
  ],
  [
    'a value out of range',
    ['run', '--bench', 'fib', '--param', 'n=0'],
    /Parameter n of fib cannot be "0"[\s\S]*from 1 to 1476/,
  ],
  ['a parameter without value', ['run', '--param', 'n'], /must look like n=20/],
  [
    'trials to count, until it is decided',
    ['run', '--until', 'decided', '--trials', '3'],
    /'--until <what>' cannot be used with option '--trials <number>'/,
  ],
  ['no trials', ['run', '--trials', '0'], /whole number from 1 to 10000/],
  [
    'an argument that is missing',
    ['db', 'copy', 'old.db'],
    /missing required argument 'to'\s+\(usage: npx crossfarm db copy \[options\] .*<to>/,
  ],
  [
    'an unknown isolation',
    ['run', '--isolation', 'tab'],
    /Unknown isolation "tab"[\s\S]*session or page/,
  ],
  ['a port that is none', ['run', '--port', '70000'], /port from 0/],
  [
    'an inventory that is not there',
    ['devices', '--inventory', 'nope.json'],
    /nope\.json cannot be used: it does not exist/,
  ],
  ['a run that is none', ['report', 'last'], /"last" is not a run[\s\S]*"latest"/],
  [
    'a run that does not exist',
    ['report', '99'],
    /No run was found: [\s\S]*Make one: npx crossfarm run/,
  ],
  [
    'too few blocks to compare',
    ['compare', 'chromium', 'firefox', '--max-blocks', '3'],
    /3 blocks cannot decide[\s\S]*at least 7 blocks/,
  ],
  ['a sweep of one build', ['engines', 'sweep', 'fib', '--coarse', '1'], /at least 2/],
  ['a margin of all', ['compare', 'chromium', 'firefox', '--margin', '1'], /share such as 2%/],
  [
    'several cases in a comparison',
    ['compare', 'chromium', 'chromium', '--param', 'n=1..3'],
    /span 3/,
  ],
];

for (const [title, args, expected] of refusals) {
  test(`${title} is refused with a sentence and exit code 2`, async () => {
    const { code, stderr, stdout } = await farm(await aFolder(), ...args);
    expect(stderr).toMatch(expected);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });
}

test('broken JSON in devices.json is refused with line and column', async () => {
  const folder = await aFolder();
  await writeFile(join(folder, 'devices.json'), '{ "devices": [ }');
  const { code, stderr } = await farm(folder, 'devices');
  expect(stderr).toMatch(/devices\.json .*JSON.* line 1, column 16/);
  expect(code).toBe(2);
});

test('reports a device without its binary as missing, which cannot run alone', async () => {
  const folder = await aFolder();
  const device = {
    id: 'old',
    browser: 'chromium',
    driver: 'playwright',
    executable: '/opt/gone/chrome',
  };
  await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices: [device] }));
  const devices = await farm(folder, 'devices', '--json');
  expect(devices.code).toBe(0);
  expect(JSON.parse(devices.stdout)).toMatchObject([
    {
      id: 'old',
      status: 'missing',
      browser: null,
      reason: expect.stringContaining('/opt/gone/chrome does not exist'),
      remedy: expect.any(String),
    },
  ]);
  const run = await farm(folder, 'run', '--bench', 'control');
  expect(run.stderr).toMatch(/No device.*\bold \(its executable/);
  expect(run.code).toBe(3);
});

test('a port in use is reported before anything is stored', async () => {
  const blocker = createServer();
  await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
  const { port } = blocker.address() as { port: number };
  try {
    const folder = await aFolder();
    await writeFile(
      join(folder, 'devices.json'),
      JSON.stringify({
        devices: [{ id: 'any', browser: 'program', driver: 'open', executable: process.execPath }],
      }),
    );
    const { code, stderr } = await farm(
      folder,
      'run',
      '--bench',
      'control',
      '--port',
      String(port),
    );
    expect(stderr).toContain(String(port));
    expect(code).toBe(3);
    expect((await farm(folder, 'report')).stderr).toContain('There is no run');
  } finally {
    blocker.close();
  }
});

test('names a path that is not a database or in a file', async () => {
  const folder = await aFolder();
  await mkdir(join(folder, '.farm'));
  await writeFile(
    join(folder, '.farm', 'farm.db'),
    'this is not a database, and long enough to be told from an empty one',
  );
  const garbage = await farm(folder, 'report');
  expect(garbage.stderr).toContain('farm.db');
  expect(garbage.code).toBe(3);
  const below = await farm(
    folder,
    'report',
    '--database',
    join(folder, '.farm', 'farm.db', 'x.db'),
  );
  expect(below.stderr).toContain('x.db');
  expect(below.code).toBe(2);
  const run = await farm(
    folder,
    'run',
    '--bench',
    'control',
    '--device',
    'chromium-open',
    '--database',
    join(folder, '.farm', 'farm.db', 'x.db'),
  );
  expect(run.stderr).toContain('x.db');
  expect(run.code).not.toBe(0);
});

for (const [what, place] of [
  ['is not there', '/nowhere/at/all'],
  ['is a file', 'file'],
  ['lies below a file', 'file/below'],
  ['is relative', null],
] as const) {
  test(`a folder for temporary files that ${what} is refused with the remedy`, async () => {
    const folder = await aFolder();
    await writeFile(join(folder, 'file'), '');
    // Node.js asks the process's real environment, which a command in this process shares.
    const TMPDIR = place === null ? '.' : resolve(folder, place);
    const { code, stderr } = await withEnvironment({ TMPDIR }, () => farm(folder, 'runs'));
    expect(code).toBe(2);
    expect(stderr).toMatch(/temporary files, .* cannot be used: .*\n +Set TMPDIR to/);
  });
}
