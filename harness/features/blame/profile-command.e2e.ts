import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { transform } from 'esbuild';
import { aFolder } from '../../testing/folder.ts';
import { runInProcess } from '../../testing/in-process-farm.ts';

interface NamedFunction {
  readonly name: string;
  readonly source: string;
}

interface Answer {
  readonly profiles: readonly {
    readonly device: string;
    readonly functions: readonly NamedFunction[];
  }[];
  readonly differences: readonly { readonly functions: readonly NamedFunction[] }[];
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
  // A call takes so long that a busy machine, too, samples it.
  const measured = ['--bench', 'fib', '--param', 'function=syncFib', '--param', 'n=34'];
  const device = ['--device', 'chromium,firefox,node'];
  const run = ['run', ...measured, ...device, '--probe', 'profile', '--trials', '1'];
  expect((await farm(...run, '--measurement', 'fast')).code).toBe(0);
  const { profiles } = JSON.parse((await farm('profile', '--json')).stdout) as Answer;
  expect(profiles.map(({ device }) => device).sort()).toEqual(['chromium', 'firefox', 'node']);
  for (const { functions } of profiles) expect(functions[0]?.name).toBe('syncFib');
});

/** A page whose only script is minified, with a map; its work takes some milliseconds. */
async function writePage(folder: string, rounds: number): Promise<void> {
  const source = `
function parseRow(size: number): number {
  let sum = 0;
  for (let i = 0; i < size; i += 1) sum = (sum * 31 + i) % 65521;
  return sum;
}
function drawRows(size: number): number { return parseRow(size) + 1; }
performance.mark('begin');
(globalThis as { shown?: number }).shown = drawRows(${String(rounds)});
performance.measure('work', 'begin');`;
  const minified = await transform(source, {
    loader: 'ts',
    minify: true,
    format: 'iife',
    sourcemap: 'external',
    sourcefile: 'src/table.ts',
  });
  await mkdir(folder);
  await writeFile(join(folder, 'app.js'), `${minified.code}//# sourceMappingURL=app.js.map\n`);
  await writeFile(join(folder, 'app.js.map'), minified.map);
  await writeFile(
    join(folder, 'index.html'),
    '<!doctype html><title>Table</title><p>Rows</p><script src="app.js"></script>',
  );
}

test('shows the difference of two minified versions by the names of their source', async () => {
  test.setTimeout(120_000);
  const folder = await aFolder();
  const device = { id: 'chromium', browser: 'chromium', driver: 'playwright' };
  await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices: [device] }));
  await writePage(join(folder, 'old'), 20_000_000);
  await writePage(join(folder, 'new'), 60_000_000);
  const farm = (...args: readonly string[]) =>
    runInProcess(folder, [...args, '--database', 'a.db'], {});
  const measured = ['compare', 'old', 'new', '--measure', 'measure:work', '--max-blocks', '2'];
  await farm(...measured, '--probe', 'profile', '--measurement', 'fast');
  const { stdout } = await farm('profile', '--json');
  const { differences } = JSON.parse(stdout) as Answer;
  expect(differences[0]?.functions[0]).toMatchObject({
    name: 'parseRow',
    source: '/src/table.ts',
    line: 2,
  });
});
