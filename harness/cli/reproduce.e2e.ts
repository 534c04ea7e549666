import { test, expect } from '@playwright/test';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnPath } from '../setup/executable.ts';
import { farm, leftRunning } from '../testing/farm.ts';
import { aFolder } from '../testing/folder.ts';

const noChromium = findOnPath(['chromium', 'chromium-browser']) === null;

interface ToldClaim {
  readonly id: string;
  readonly verdict: string;
  readonly direction: string;
  readonly directionVerdict: string;
  readonly sizeVerdict: string;
  readonly published: string;
  readonly measured: { value: number; low: number | null; high: number | null } | null;
  readonly reason: string;
  readonly command: string;
  readonly run: number;
  readonly assertions: readonly { readonly blocks: number }[];
}

test('a claim is reproduced on a real browser, and listed with its verdict', async () => {
  test.skip(noChromium, 'Chromium is not installed here; farm setup gets it');
  const folder = await aFolder();
  const told = await farm(
    folder,
    ...['reproduce', 'A13', '--device', 'chromium', '--max-blocks', '10', '--no-repeat'],
    ...['--seed', '7', '--json', '--out', 'evidence.html'],
  );
  const claim = JSON.parse(told.stdout) as ToldClaim;
  expect(claim).toMatchObject({ id: 'A13', published: 'n = 1476: 0.95 ms' });
  expect(['confirmed', 'refuted', 'inconclusive']).toContain(claim.verdict);
  // A busy machine quarantines blocks; what is said then is less, and never something else.
  const codes = { confirmed: [0], refuted: [1] }[claim.verdict] ?? [3, 4];
  expect(codes).toContain(told.code);
  const parts = ['confirmed', 'refuted', 'open', 'not published'];
  expect(parts).toContain(claim.directionVerdict);
  expect(parts).toContain(claim.sizeVerdict);
  expect(claim.assertions).toHaveLength(2);
  expect(claim.command).toBe(
    'npx farm reproduce A13 --device chromium --max-blocks 10 --budget 900 --no-repeat --seed 7',
  );

  const html = await readFile(join(folder, 'evidence.html'), 'utf8');
  expect(html).toContain('syncMemoFib is linear');
  expect(html).toContain(claim.command);
  expect(await readdir(join(folder, '.farm', 'sessions'))).toEqual([]);
  expect(leftRunning(folder)).toEqual([]);

  const listed = await farm(folder, 'claims', 'A13', 'A14', '--json');
  expect(listed.code).toBe(0);
  const [again, unmeasured] = JSON.parse(listed.stdout) as ToldClaim[];
  expect(again).toMatchObject({ verdict: claim.verdict, measured: claim.measured, run: 1 });
  expect(unmeasured).toMatchObject({ id: 'A14', measured: null });
  const tables = await farm(folder, 'claims', 'A13', 'A14', '--markdown');
  expect(tables.stdout).toMatch(/\| A13 \|.*\| `npx farm reproduce A13 --device chromium/);
});

test('a claim about a phone says what is missing, and still writes its page', async () => {
  const folder = await aFolder();
  const told = await farm(folder, 'reproduce', 'a10', '--out', 'a10.html');
  expect(told.code).toBe(4);
  expect(told.stdout).toContain('not testable here');
  expect(told.stdout).toContain('iPad');
  expect(await readFile(join(folder, 'a10.html'), 'utf8')).toContain(
    'On iOS all browsers are equal',
  );
});

const refusals: readonly (readonly [string, readonly string[], string])[] = [
  ['an unknown claim', ['A99'], 'There is no claim "A99"'],
  ['an unknown cause', ['A3', '--without', 'parallel-gx'], 'Did you mean "parallel-gc"?'],
  ['more cores than there are', ['A3', '--cores', '4000'], 'cannot be given 4000 cores'],
  ['too few blocks', ['A3', '--max-blocks', '5'], '5 blocks cannot decide anything'],
  ['a parameter that the claim fixes', ['A3', '--param', 'n=3'], 'The claim fixes n'],
  ['one file for many claims', ['A', '--out', 'x.html'], 'name one file'],
];

for (const [what, args, sentence] of refusals) {
  test(`${what} is refused with a sentence`, async () => {
    const told = await farm(await aFolder(), 'reproduce', ...args);
    expect(told.code).toBe(2);
    expect(told.stderr).toContain(sentence);
  });
}
