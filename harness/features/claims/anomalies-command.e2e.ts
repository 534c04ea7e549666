import { test, expect } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { farm, leftRunning } from '../../testing/farm.ts';
import { aFolder, useOwnTemporaryFolder } from '../../testing/folder.ts';

useOwnTemporaryFolder();

/** Four times the work: a difference that any machine shows. Node.js starts sooner than a browser. */
const pair = [
  ...['compare', 'node', 'node', '--bench', 'control'],
  ...['--a-param', 'rounds=1200000', '--b-param', 'rounds=300000'],
  ...['--max-blocks', '40', '--no-probes', '--measurement', 'fast', '--json'],
];

/**
 * On a busy machine the blocks may not suffice; the report may then say less, and never something
 * else.
 */
const codes: Readonly<Record<string, readonly number[]>> = {
  reproduced: [0],
  inconclusive: [3, 4],
};
/** A slow machine gives up in time, with fewer blocks. */
const short = ['--max-blocks', '8', '--budget', '10', '--no-repeat', '--json'];

test('a measured difference is saved, reproduced, bundled, and the bundle replayed', async () => {
  const folder = await aFolder();
  const saved = await farm(folder, ...pair, '--save', 'four times the work');
  expect(saved.code, saved.stderr).toBe(0);
  expect(JSON.parse(saved.stdout)).toMatchObject({ verdict: 'slower', anomaly: 'N1' });

  const again = await farm(folder, 'reproduce', 'N1', ...short, '--bundle', 'n1.zip');
  const anomaly = JSON.parse(again.stdout) as { readonly verdict: string };
  expect(anomaly).toMatchObject({ id: 'N1', run: 2 });
  expect(codes[anomaly.verdict]).toContain(again.code);

  const replayed = await farm(folder, 'reproduce', 'n1.zip', ...short, '--out', 'replay.html');
  const replay = JSON.parse(replayed.stdout) as { readonly verdict: string };
  expect(replay).toMatchObject({ id: 'N1', run: 3 });
  expect(codes[replay.verdict]).toContain(replayed.code);
  const evidence = await readFile(join(folder, 'replay.html'), 'utf8');
  expect(evidence).toContain(`The replay: ${replay.verdict.replace('-', ' ')}`);
  expect(leftRunning(folder)).toEqual([]);
});
