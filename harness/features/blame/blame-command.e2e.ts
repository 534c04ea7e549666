import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { aFolder } from '../../testing/folder.ts';
import { runInProcess } from '../../testing/in-process-farm.ts';

const loop = (steps: number): string =>
  `for (let i = 0; i < ${String(steps)}; i++) x = Math.imul(x ^ (x >>> 15), 0x85ebca6b);`;

/** A page of four functions, the last of them so short that an engine inlines it. */
function pageWith(steps: number): string {
  return `<!doctype html><title>page</title><script>
function layoutRows(x) { ${loop(steps)} return x; }
function parseRows(x) { ${loop(400_000)} return x; }
function mix(x) { return Math.imul(x, 31) ^ 7; }
function mixRows(x) { for (let i = 0; i < 200000; i++) x = mix(x + i); return x; }
const operate = (x) => { for (let i = 0; i < 20; i++) x = mixRows(parseRows(layoutRows(x))); return x; };
globalThis.result = operate(operate(1));
performance.mark('begin');
globalThis.result = operate(globalThis.result);
performance.measure('work', 'begin');
</script>`;
}

test('names the function that made a page slower in Chromium', async () => {
  test.setTimeout(180_000);
  const folder = await aFolder();
  const devices = [{ id: 'chromium', browser: 'chromium', driver: 'playwright' }];
  await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices }));
  await writeFile(join(folder, 'old.html'), pageWith(400_000));
  await writeFile(join(folder, 'new.html'), pageWith(2_000_000));
  const farm = (...args: readonly string[]) => runInProcess(folder, args, {});
  const asked = ['--measure', 'measure:work', '--measurement', 'fast', '--max-blocks', '2'];
  await farm('compare', 'old.html', 'new.html', ...asked, '--seed', '1', '--no-report');
  const { code, stdout, stderr } = await farm('blame', 'latest', '--max-blocks', '9', '--json');
  expect(code, stderr).toBe(0);
  const { functions } = JSON.parse(stdout) as {
    readonly functions: readonly { readonly name: string; readonly low: number }[];
  };
  expect(functions[0]).toMatchObject({ name: 'layoutRows', source: '/new.html', line: 2 });
  expect(functions[0]?.low).toBeGreaterThan(0);
});
