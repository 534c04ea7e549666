import { expect, test } from '@playwright/test';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseReproducible } from './reproducible.ts';
import { aFakeFarm, type FakeAssignment } from '../../testing/fake-farm.ts';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess } from '../../testing/in-process-farm.ts';

/** Refusals of the command, before it measures anything. */
async function refusal(...args: readonly string[]): Promise<string> {
  const { code, stderr } = await farmInProcess(await aFolder(), 'reproduce', ...args);
  expect(code).toBe(2);
  return stderr;
}

const refusals: readonly (readonly [string, readonly string[], string])[] = [
  ['too few blocks for an anomaly', ['N1', '--max-blocks', '2'], '2 blocks cannot decide anything'],
  ['too few blocks for a bundle', ['x.zip', '--max-blocks', '2'], '2 blocks cannot decide'],
  [
    'a cause for an anomaly',
    ['N1', '--without', 'parallel-gc'],
    '--without cannot be given for an anomaly',
  ],
  ['cores for an anomaly', ['N1', '--cores', '1'], '--cores cannot be given for an anomaly'],
  ['a parameter for an anomaly', ['N1', '--param', 'n=3'], '--param cannot be given'],
  ['a new start of an anomaly', ['N1', '--anew'], '--anew cannot be given for an anomaly'],
  [
    'a preset for an anomaly',
    ['N1', '--measurement', 'fast'],
    '--measurement cannot be given for an anomaly',
  ],
  ['trust in an anomaly', ['N1', '--trust'], '--trust cannot be given for an anomaly'],
  [
    'a cause, cores and a parameter for a bundle',
    ['x.zip', '--without', 'parallel-gc', '--cores', '1', '--param', 'n=3'],
    '--param, --without, --cores cannot be given for a bundle',
  ],
  [
    'files for a bundle',
    ['x.zip', '--out', 'x.html', '--bundle', 'y.zip'],
    '--bundle cannot be given for a bundle',
  ],
  ['trust in a claim', ['A3', '--trust'], '--trust cannot be given for a claim'],
];

for (const [what, args, sentence] of refusals) {
  test(`${what} is refused`, async () => {
    expect(await refusal(...args)).toContain(sentence);
  });
}

test('a file does not take the place of a claim, an anomaly or a section', async () => {
  const before = process.cwd();
  process.chdir(await aFolder());
  try {
    for (const name of ['A3', 'a3', 'A', 'N1', 'replay']) await writeFile(name, '');
    expect(parseReproducible(['A3']).kind).toBe('claims');
    expect(parseReproducible(['a3']).kind).toBe('claims');
    expect(parseReproducible(['A']).kind).toBe('claims');
    expect(parseReproducible(['N1']).kind).toBe('anomaly');
    expect(parseReproducible(['replay'])).toEqual({ kind: 'bundle', path: 'replay' });
    expect(parseReproducible(['./A3'])).toEqual({ kind: 'bundle', path: './A3' });
  } finally {
    process.chdir(before);
  }
});

test('takes an unknown name for a claim, and refuses it with that name', async () => {
  expect(parseReproducible(['A99']).kind).toBe('claims');
  expect(parseReproducible(['A3', 'x.zip']).kind).toBe('claims');
  expect(await refusal('A99')).toContain('There is no claim "A99"');
});

/** A farm with Chromium and Firefox, where a number takes a two thousandth of a millisecond. */
async function aFarm() {
  const farm = await aFakeFarm({
    durationOf: ({ parameters }: FakeAssignment) => Number(parameters['n']) / 2_000,
  });
  const facts = { driver: 'playwright', headless: true, executable: process.execPath };
  const devices = ['chromium', 'firefox'].map((browser) => ({ id: browser, browser, ...facts }));
  await writeFile(join(farm.folder, 'devices.json'), JSON.stringify({ devices }));
  return farm;
}

test('a claim is confirmed, and listed with its verdict and number', async () => {
  const { folder, farm } = await aFarm();
  const told = await farm(
    ...['reproduce', 'A13', '--device', 'chromium', '--max-blocks', '8'],
    ...['--seed', '7', '--json', '--out', 'evidence.html'],
  );
  expect(told.code, told.stderr).toBe(0);
  const claim = JSON.parse(told.stdout) as Readonly<Record<string, unknown>>;
  expect(claim).toMatchObject({
    id: 'A13',
    verdict: 'confirmed',
    directionVerdict: 'confirmed',
    published: 'n = 1476: 0.95 ms',
    measured: { value: expect.closeTo(0.738) },
    command:
      'npx crossfarm claims reproduce A13 --device chromium --max-blocks 8 --budget 900 --no-probes --measurement fast --seed 7',
  });
  const html = await readFile(join(folder, 'evidence.html'), 'utf8');
  expect(html).toContain('syncMemoFib is linear');
  expect(html).toContain(claim['command']);

  const listed = await farm('claims', 'A13', 'A14', '--json');
  expect(listed.code).toBe(0);
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { verdict: 'confirmed', measured: claim['measured'], run: 1 },
    { id: 'A14', measured: null },
  ]);
  const tables = await farm('claims', 'A13', 'A14', '--markdown');
  expect(tables.stdout).toMatch(
    /\| A13 \|.*\| `npx crossfarm claims reproduce A13 --device chromium/,
  );
});

test('without a report a claim is measured and nothing is written', async () => {
  const { folder, farm } = await aFarm();
  const told = await farm(
    ...['reproduce', 'A13', '--device', 'chromium', '--max-blocks', '8', '--no-report'],
    ...['--seed', '7', '--json'],
  );
  expect(told.code, told.stderr).toBe(0);
  expect(JSON.parse(told.stdout)).not.toHaveProperty('report');
  expect(existsSync(join(folder, '.farm', 'reports'))).toBe(false);
});

test('without probes a claim about cores is not testable', async () => {
  const { farm } = await aFarm();
  const told = await farm('reproduce', 'A5', '--no-probes', '--no-report', '--json');
  expect(told.code, told.stderr).toBe(4);
  expect(JSON.parse(told.stdout)).toMatchObject({
    verdict: 'not-testable',
    reason: 'a probe reads the time of each thread, and --no-probes turns it off',
  });
});

test('a claim about a phone says what is missing, and still writes its page', async () => {
  const { folder, farm } = await aFarm();
  const told = await farm('reproduce', 'a10', '--report', 'a10.html');
  expect(told.code).toBe(4);
  expect(told.stdout).toContain('not testable here');
  expect(told.stdout).toContain('iPad');
  expect(await readFile(join(folder, 'a10.html'), 'utf8')).toContain(
    'On iOS all browsers are equal',
  );
});

const refusedClaims: readonly (readonly [string, readonly string[], string])[] = [
  ['an unknown claim', ['A99'], 'There is no claim "A99"'],
  ['an unknown cause', ['A3', '--without', 'parallel-gx'], 'Did you mean "parallel-gc"?'],
  ['more cores than there are', ['A3', '--cores', '4000'], 'cannot be given 4000 cores'],
  ['too few blocks', ['A3', '--max-blocks', '5'], '5 blocks cannot decide anything'],
  ['a parameter that the claim fixes', ['A3', '--param', 'n=3'], 'The claim fixes n'],
  ['one file for many claims', ['A', '--out', 'x.html'], 'name one file'],
  ['a report and its old name', ['A3', '--report', 'x.html', '--out', 'y.html'], '--out'],
];

for (const [what, args, sentence] of refusedClaims) {
  test(`${what} is refused with a sentence`, async () => {
    const { farm } = await aFarm();
    const told = await farm('reproduce', ...args);
    expect(told.code).toBe(2);
    expect(told.stderr).toContain(sentence);
  });
}

test('what a configuration says of claims does not refuse an anomaly or a bundle', async () => {
  const folder = await aFolder();
  const all = { device: ['chromium'], measurement: 'fast' };
  await writeFile(join(folder, 'crossfarm.config.json'), JSON.stringify({ all }));
  const anomaly = await farmInProcess(folder, 'reproduce', 'N1');
  expect(anomaly.stderr).toContain('Anomaly N1 was not found');
  const bundle = await farmInProcess(folder, 'reproduce', 'nope.zip');
  expect(bundle.stderr).toContain('nope.zip is refused: it does not exist');
});
