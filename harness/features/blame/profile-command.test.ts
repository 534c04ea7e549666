import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { aFakeFarm } from '../../testing/fake-farm.ts';
import { toSpeedscope } from './profile/export-profile.ts';
import { readProfile } from './profile/stored-profiles.ts';

const hostile = '</script><img src=x onerror=alert(1)>\u001b[31m';

/** What a browser might write: a window of 8 ms, 6 of them in a function with this name. */
function traceWith(name: string, url = 'https://a/x.js'): string {
  const common = { pid: 7, tid: 7, id: '0x1' };
  const window = { ...common, cat: 'blink.user_timing', name: 'timed window' };
  const nodes = [
    { id: 1, callFrame: { functionName: '(root)' } },
    { id: 2, parent: 1, callFrame: { functionName: name, url, lineNumber: 4 } },
    { id: 3, parent: 1, callFrame: { functionName: '(idle)' } },
  ];
  const cpuProfile = { nodes, samples: [2, 2, 2, 3, 3] };
  return JSON.stringify({
    traceEvents: [
      { ...common, ph: 'M', name: 'thread_name', args: { name: 'CrRendererMain' } },
      { ...common, ph: 'P', name: 'Profile', args: { data: { startTime: 0 } } },
      {
        ...common,
        ph: 'P',
        name: 'ProfileChunk',
        args: { data: { cpuProfile, timeDeltas: [1000, 2000, 2000, 2000, 9000] } },
      },
      { ...window, ph: 'b', ts: 1000 },
      { ...window, ph: 'e', ts: 9000 },
    ],
  });
}

const profiled = ['run', '--bench', 'fib', '--param', 'n=2', '--param', 'function=syncFib'];

test('shows functions of a profiled run, and exports them for other tools', async () => {
  const { farm, folder } = await aFakeFarm({ trace: traceWith('parseRow') });
  await farm(...profiled, '--probe', 'profile', '--trials', '1', '--database', 'a.db');
  const { code, stdout } = await farm('profile', '--database', 'a.db', '--export', 'a.json');
  expect(code).toBe(0);
  expect(stdout).toMatch(/100\s%\s+parseRow \(x\.js:5\)/);
  const exported = JSON.parse(await readFile(join(folder, 'a.json'), 'utf8')) as {
    readonly traceEvents: readonly { readonly name: string }[];
  };
  const names = exported.traceEvents.map(({ name }) => name);
  expect(names).toEqual(['thread_name', 'Profile', 'ProfileChunk']);
  const json = await farm('profile', '--database', 'a.db', '--json');
  const [first] = (JSON.parse(json.stdout) as Answer).profiles;
  expect(first?.functions).toEqual([
    expect.objectContaining({ name: 'parseRow', line: 5, selfMs: 6, share: 1 }),
  ]);
  const profile = await readProfile(join(folder, 'a.db'), first?.file ?? '');
  expect(profile?.threads[0]?.weightsMs).toEqual([6, 2]);
  expect(profile && toSpeedscope(profile, 'x')).toMatchObject({
    profiles: [{ type: 'sampled', endValue: 8, samples: [[0], [1]] }],
  });
});

interface Answer {
  readonly profiles: readonly { readonly file: string; readonly functions: readonly object[] }[];
}

test('escapes names and source URLs in the page and the terminal', async () => {
  const trace = traceWith(hostile, `https://a/${hostile}.js`);
  const { farm, folder } = await aFakeFarm({ devices: ['one'], trace });
  await farm(...profiled, '--probe', 'profile', '--trials', '1', '--database', 'a.db');
  const { stdout } = await farm('profile', '--database', 'a.db', '--out', 'page.html');
  expect(stdout).not.toContain('\u001b[31m');
  const page = await readFile(join(folder, 'page.html'), 'utf8');
  expect(page).not.toContain('<img');
  expect(page).toMatch(/(&lt;|\\u003c|\\x3c)\/script/i);
});

test('says why a trial has no profile, and refuses a run without any', async () => {
  const { farm } = await aFakeFarm({ devices: ['one'], trace: null });
  await farm(...profiled, '--probe', 'profile', '--trials', '1', '--database', 'a.db');
  const { code, stderr } = await farm('profile', '--database', 'a.db');
  expect(code).toBe(2);
  expect(stderr).toContain('one: the browser wrote no profile');
});

test('keeps a trace and a profile where both are asked for', async () => {
  const { farm, folder } = await aFakeFarm({ devices: ['one'], trace: traceWith('f') });
  await farm(...profiled, '--probe', 'profile,trace', '--trials', '1', '--database', 'a.db');
  const { code } = await farm('profile', '--database', 'a.db');
  expect(code).toBe(0);
  const report = await readFile(join(folder, 'reports', 'run-1.html'), 'utf8');
  expect(report).toContain('traces/run-1/');
  expect(report).toContain('profiles/run-1/');
});
