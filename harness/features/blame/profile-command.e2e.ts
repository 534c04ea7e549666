import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { aFolder } from '../../testing/folder.ts';
import { runInProcess } from '../../testing/in-process-farm.ts';

interface Answer {
  readonly profiles: readonly {
    readonly device: string;
    readonly functions: readonly { readonly name: string; readonly share: number }[];
  }[];
}

test('finds the function that takes the time in Chromium, Firefox and Node.js', async () => {
  test.setTimeout(180_000);
  const folder = await aFolder();
  const devices = [
    { id: 'chromium', browser: 'chromium', driver: 'playwright' },
    { id: 'firefox', browser: 'firefox', driver: 'puppeteer' },
    { id: 'node', browser: 'node', driver: 'process' },
  ];
  await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices }));
  const farm = (...args: readonly string[]) =>
    runInProcess(folder, [...args, '--database', 'a.db'], {});
  const measured = ['--bench', 'fib', '--param', 'function=syncFib', '--param', 'n=24'];
  const device = ['--device', 'chromium,firefox,node'];
  const run = ['run', ...measured, ...device, '--probe', 'profile', '--trials', '1'];
  expect((await farm(...run, '--measurement', 'fast')).code).toBe(0);
  const { profiles } = JSON.parse((await farm('profile', '--json')).stdout) as Answer;
  expect(profiles.map(({ device }) => device).sort()).toEqual(['chromium', 'firefox', 'node']);
  for (const { functions } of profiles) expect(functions[0]?.name).toBe('syncFib');
});
