import { test, expect } from '@playwright/test';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnPath } from '../../core/setup/executable.ts';
import { farm, leftRunning } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';

const noChromium = findOnPath(['chromium', 'chromium-browser']) === null;

interface ToldClaim {
  readonly verdict: string;
  readonly directionVerdict: string;
  readonly sizeVerdict: string;
  readonly command: string;
  readonly measured: object | null;
  readonly assertions: readonly { readonly blocks: number }[];
}

test('a claim is reproduced on a real browser, and listed with its verdict', async () => {
  test.skip(noChromium, 'Chromium is not installed here; npx crossfarm devices setup gets it');
  const folder = await aFolder();
  const told = await farm(
    folder,
    ...['reproduce', 'A13', '--device', 'chromium', '--max-blocks', '8', '--no-repeat'],
    ...['--measurement', 'fast', '--seed', '7', '--json', '--out', 'evidence.html'],
  );
  const claim = JSON.parse(told.stdout) as ToldClaim;
  expect(claim).toMatchObject({ id: 'A13', published: 'n = 1476: 0.95 ms' });
  expect(['confirmed', 'refuted', 'inconclusive']).toContain(claim.verdict);
  // On a busy machine the blocks may not suffice; the report may then say less, and never something
  // else.
  const codes = { confirmed: [0], refuted: [1] }[claim.verdict] ?? [3, 4];
  expect(codes).toContain(told.code);
  const parts = ['confirmed', 'refuted', 'open', 'not published'];
  expect(parts).toContain(claim.directionVerdict);
  expect(parts).toContain(claim.sizeVerdict);
  expect(claim.assertions).toHaveLength(2);
  expect(claim.command).toBe(
    'npx crossfarm claims reproduce A13 --device chromium --max-blocks 8 --budget 900 --no-repeat --measurement fast --seed 7',
  );

  const html = await readFile(join(folder, 'evidence.html'), 'utf8');
  expect(html).toContain('syncMemoFib is linear');
  expect(html).toContain(claim.command);
  expect(await readdir(join(folder, '.farm', 'sessions'))).toEqual([]);
  expect(leftRunning(folder)).toEqual([]);

  const listed = await farm(folder, 'claims', 'A13', '--json');
  const { verdict, measured } = claim;
  expect(JSON.parse(listed.stdout)).toMatchObject([{ id: 'A13', verdict, measured, run: 1 }]);
});
