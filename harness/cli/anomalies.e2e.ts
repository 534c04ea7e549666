import { test, expect } from '@playwright/test';
import { readFile, writeFile } from 'node:fs/promises';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { farm, leftRunning, type Finished } from '../testing/farm.ts';
import { aFolder, useOwnTemporaryFolder } from '../testing/folder.ts';

useOwnTemporaryFolder();

/** Twice the work against the work: a difference that is there. Node.js starts sooner than any browser. */
const pair = [
  ...['compare', 'node', 'node', '--bench', 'control'],
  ...['--param', 'rounds=300000', '--a-param', 'extraPercent=100'],
  // Nothing is quarantined without the probe of the environment, so a busy machine decides, too.
  ...['--max-blocks', '40', '--no-probes', '--json'],
];

interface Told {
  readonly id: string;
  readonly verdict: string;
  readonly state: string;
  readonly reason: string;
  readonly remedy?: string;
  readonly run: number | null;
  readonly report?: string;
}

const told = ({ stdout }: Finished): Told => JSON.parse(stdout) as Told;

/** A busy machine quarantines trials; what is said then is less, and never something else. */
const codes: Readonly<Record<string, readonly number[]>> = {
  reproduced: [0],
  inconclusive: [3, 4],
};
const short = ['--max-blocks', '8', '--no-repeat', '--json'];

/** Of the first test, which makes the bundle that the last one changes. */
let measured: string | undefined;

test('a difference is saved as an anomaly, reproduced, bundled, and the bundle replayed', async () => {
  test.setTimeout(600_000);
  const folder = await aFolder();
  const saved = await farm(folder, ...pair, '--save', 'twice  the <work>');
  expect(saved.code).toBe(0);
  expect(JSON.parse(saved.stdout)).toMatchObject({ verdict: 'slower', anomaly: 'N1' });

  const [listed] = JSON.parse((await farm(folder, 'anomalies', '--json')).stdout) as Told[];
  expect(listed).toMatchObject({
    id: 'N1',
    state: 'untriaged',
    sentence: 'twice the <work>',
    run: 1,
    command: 'npx farm reproduce N1',
    devices: [{ id: 'node@a' }, { id: 'node@b' }],
  });

  const files = ['--out', 'n1.html', '--bundle', 'n1.zip'];
  const again = await farm(folder, 'reproduce', 'N1', ...short, ...files);
  const anomaly = told(again);
  expect(anomaly).toMatchObject({ id: 'N1', run: 2 });
  measured = folder;
  expect(codes[anomaly.verdict]).toContain(again.code);
  expect(await readFile(join(folder, 'n1.html'), 'utf8')).toContain('twice the &lt;work&gt;');
  const [kept] = JSON.parse((await farm(folder, 'anomalies', '--json')).stdout) as Told[];
  expect(kept).toMatchObject({
    state: anomaly.verdict,
    reason: expect.stringMatching(/^run 2: /),
  });

  const replayed = await farm(folder, 'reproduce', 'n1.zip', ...short, '--out', 'replay.html');
  const replay = told(replayed);
  expect(replay).toMatchObject({ id: 'N1', run: 3 });
  expect(codes[replay.verdict]).toContain(replayed.code);
  expect(replay.report).toBe(join(folder, 'replay.html'));
  const evidence = await readFile(join(folder, 'replay.html'), 'utf8');
  expect(evidence).toContain('a bundle of 2');
  expect(evidence).toContain(`The replay: ${replay.verdict.replace('-', ' ')}`);
  expect(leftRunning(folder)).toEqual([]);
});

test('without a difference nothing is saved, and the comparison is still printed', async () => {
  test.setTimeout(300_000);
  const folder = await aFolder();
  const args = pair.map((arg) => (arg === 'extraPercent=100' ? 'extraPercent=0' : arg));
  const same = await farm(folder, ...args, '--max-blocks', '8', '--save', 'nothing');
  expect(JSON.parse(same.stdout)).not.toHaveProperty('anomaly');
  expect(same.code).toBe(2);
  expect(same.stderr).toMatch(/Nothing was saved.*(undecided|equivalent)/);
  expect((await farm(folder, 'anomalies', '--json')).stdout).toBe('[]');
});

/** The bundle of a run that never was, with one more file or a changed one. */
async function change(
  folder: string,
  edit: (files: Record<string, Uint8Array>) => void,
): Promise<string> {
  const files = unzipSync(await readFile(join(folder, 'n1.zip')));
  edit(files);
  await writeFile(join(folder, 'changed.zip'), zipSync(files));
  return 'changed.zip';
}

function editJson(
  files: Record<string, Uint8Array>,
  name: string,
  edit: (document: Record<string, never>) => void,
): void {
  const document = JSON.parse(strFromU8(files[name]!)) as Record<string, never>;
  edit(document);
  files[name] = strToU8(JSON.stringify(document));
}

test('refuses a bundle with a path outside it, forged numbers or unknown flags', async () => {
  test.skip(measured === undefined, 'the test that makes the bundle did not');
  const folder = measured ?? '';
  const reproduce = (file: string, ...more: readonly string[]): Promise<Finished> =>
    farm(folder, 'reproduce', file, ...short, '--max-blocks', '8', ...more);
  const ours = (): readonly string[] =>
    readdirSync(tmpdir()).filter((name) => name.startsWith('crossfarm-bundle-'));
  const before = ours();

  await change(folder, (files) => (files['pages/kit/../../evil.js'] = strToU8('x')));
  const slip = await reproduce('changed.zip');
  expect(slip.code).toBe(2);
  expect(slip.stderr).toContain('is not a plain relative path');
  expect(existsSync(join(folder, 'evil.js'))).toBe(false);

  await change(folder, (files) => {
    editJson(files, 'bundle.json', (manifest) => {
      const { numbers } = manifest as unknown as { numbers: { blocks: number } };
      numbers.blocks += 1;
    });
  });
  const forged = await reproduce('changed.zip');
  expect(forged.code).toBe(2);
  expect(forged.stderr).toMatch(/not follow.*\$\.numbers\.blocks/);

  await change(folder, (files) => {
    editJson(files, 'bundle.json', (manifest) => {
      const { devices } = manifest as unknown as { devices: { flags: string[] }[] };
      for (const device of devices) device.flags.push('--require=/evil.cjs');
    });
  });
  const flagged = await reproduce('changed.zip');
  expect(flagged.code).toBe(4);
  expect(told(flagged)).toMatchObject({
    verdict: 'not-comparable',
    reason: expect.stringContaining('--require=/evil.cjs'),
    remedy: expect.stringContaining('--trust'),
    run: null,
  });
  expect(ours()).toEqual(before);
});

const refusals: readonly (readonly [string, readonly string[], RegExp])[] = [
  [
    'a bundle that is not there',
    ['reproduce', 'nope.zip'],
    /nope\.zip is refused: it cannot be read/,
  ],
  ['an anomaly that is not there', ['reproduce', 'N7'], /no anomaly N7[\s\S]*--save/],
  ['an unknown order', ['anomalies', 'forget', 'N1'], /"forget" is nothing that can be done/],
  ['ignoring without a reason', ['anomalies', 'ignore', 'N1'], /takes its id and a reason/],
  [
    'ignoring what is not there',
    ['anomalies', 'ignore', 'N1', '--because', 'x'],
    /no anomaly N1[\s\S]*does not exist/,
  ],
  [
    'saving without a word',
    ['compare', 'chromium', 'firefox', '--save', ' '],
    /must say what it is/,
  ],
];

for (const [what, args, sentence] of refusals) {
  test(`${what} is refused with a sentence, and leaves nothing behind`, async () => {
    const folder = await aFolder();
    const refused = await farm(folder, ...args);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(sentence);
    expect(readdirSync(folder)).toEqual([]);
  });
}

test('without a database there are no anomalies, and none is made by looking', async () => {
  const folder = await aFolder();
  const listed = await farm(folder, 'anomalies');
  expect(listed).toMatchObject({ code: 0, stdout: '' });
  expect(listed.stderr).toContain('--save');
  expect(readdirSync(folder)).toEqual([]);
});
