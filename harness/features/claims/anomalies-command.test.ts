import { test, expect } from '@playwright/test';
import { readFile, writeFile } from 'node:fs/promises';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { aFakeFarm, type FakeAssignment } from '../../testing/fake-farm.ts';
import type { FinishedCommand } from '../../testing/farm.ts';
import { aFolder, useOwnTemporaryFolder } from '../../testing/folder.ts';
import { farmInProcess } from '../../testing/in-process-farm.ts';

useOwnTemporaryFolder();

/** Twice the work takes twice as long: a difference that is there. */
const durationOf = ({ parameters }: FakeAssignment): number =>
  parameters['extraPercent'] === 100 ? 20 : 10;

const aFarm = () => aFakeFarm({ devices: ['one'], durationOf });

const pair = [
  ...['compare', 'one', 'one', '--bench', 'control'],
  ...['--param', 'rounds=300000', '--a-param', 'extraPercent=100', '--max-blocks', '40', '--json'],
];

interface AnomalyJson {
  readonly id: string;
  readonly verdict: string;
  readonly state: string;
  readonly reason: string;
  readonly remedy?: string;
  readonly run: number | null;
  readonly report?: string;
}

const told = ({ stdout }: FinishedCommand): AnomalyJson => JSON.parse(stdout) as AnomalyJson;
const listed = ({ stdout }: FinishedCommand): readonly AnomalyJson[] =>
  JSON.parse(stdout) as AnomalyJson[];

const short = ['--max-blocks', '8', '--json'];

test('a difference is saved as an anomaly, reproduced, bundled, and the bundle replayed', async () => {
  const { folder, farm } = await aFarm();
  const saved = await farm(...pair, '--save', 'twice  the <work>');
  expect(saved.code, saved.stderr).toBe(0);
  expect(JSON.parse(saved.stdout)).toMatchObject({ verdict: 'slower', anomaly: 'N1' });

  expect(listed(await farm('anomalies', '--json'))).toMatchObject([
    {
      id: 'N1',
      state: 'untriaged',
      sentence: 'twice the <work>',
      run: 1,
      command: 'npx crossfarm findings reproduce N1',
      devices: [{ id: 'one@a' }, { id: 'one@b' }],
    },
  ]);

  const files = ['--out', 'n1.html', '--bundle', 'n1.zip'];
  const again = await farm('reproduce', 'N1', ...short, ...files);
  expect(again.code, again.stderr).toBe(0);
  expect(told(again)).toMatchObject({ id: 'N1', verdict: 'reproduced', run: 2 });
  expect(await readFile(join(folder, 'n1.html'), 'utf8')).toContain('twice the &lt;work&gt;');
  expect(listed(await farm('anomalies', '--json'))).toMatchObject([
    { state: 'reproduced', reason: expect.stringMatching(/^run 2: /) },
  ]);

  const replayed = await farm('reproduce', 'n1.zip', ...short, '--out', 'replay.html');
  expect(replayed.code, replayed.stderr).toBe(0);
  const replay = told(replayed);
  expect(replay).toMatchObject({ id: 'N1', verdict: 'reproduced', run: 3 });
  expect(replay.report).toBe(join(folder, 'replay.html'));
  const evidence = await readFile(join(folder, 'replay.html'), 'utf8');
  expect(evidence).toContain('a bundle of 2');
  expect(evidence).toContain('The replay: reproduced');
});

test('without a difference nothing is saved, and the comparison is still printed', async () => {
  const { farm } = await aFarm();
  const args = pair.map((arg) => (arg === 'extraPercent=100' ? 'extraPercent=0' : arg));
  const same = await farm(...args, '--save', 'nothing');
  expect(JSON.parse(same.stdout)).toMatchObject({ verdict: 'equivalent' });
  expect(JSON.parse(same.stdout)).not.toHaveProperty('anomaly');
  expect(same.code).toBe(2);
  expect(same.stderr).toMatch(/Nothing was saved.*equivalent/);
  expect((await farm('anomalies', '--json')).stdout).toBe('[]');
});

/** Writes the bundle again, with one more file or a changed one. */
async function change(
  folder: string,
  edit: (files: Record<string, Uint8Array>) => void,
): Promise<void> {
  const files = unzipSync(await readFile(join(folder, 'n1.zip')));
  edit(files);
  await writeFile(join(folder, 'changed.zip'), zipSync(files));
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
  const { folder, farm } = await aFarm();
  await farm(...pair, '--save', 'twice the work');
  await farm('reproduce', 'N1', ...short, '--bundle', 'n1.zip');
  const reproduceChanged = (): Promise<FinishedCommand> =>
    farm('reproduce', 'changed.zip', ...short);
  const ours = (): readonly string[] =>
    readdirSync(tmpdir()).filter((name) => name.startsWith('crossfarm-bundle-'));
  const before = ours();

  await change(folder, (files) => (files['pages/kit/../../evil.js'] = strToU8('x')));
  const slip = await reproduceChanged();
  expect(slip.code).toBe(2);
  expect(slip.stderr).toContain('is not a plain relative path');
  expect(existsSync(join(folder, 'evil.js'))).toBe(false);

  await change(folder, (files) => {
    editJson(files, 'bundle.json', (manifest) => {
      const { numbers } = manifest as unknown as { numbers: { blocks: number } };
      numbers.blocks += 1;
    });
  });
  const forged = await reproduceChanged();
  expect(forged.code).toBe(2);
  expect(forged.stderr).toMatch(/not follow.*\$\.numbers\.blocks/);

  await change(folder, (files) => {
    editJson(files, 'bundle.json', (manifest) => {
      const { devices } = manifest as unknown as { devices: { flags: string[] }[] };
      for (const device of devices) device.flags.push('--require=/evil.cjs');
    });
  });
  const flagged = await reproduceChanged();
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
    /nope\.zip is refused: it does not exist/,
  ],
  ['an anomaly that is not there', ['reproduce', 'N7'], /Anomaly N7 was not found[\s\S]*--save/],
  ['an unknown order', ['anomalies', 'forget', 'N1'], /"forget" is nothing that can be done/],
  ['ignoring without a reason', ['anomalies', 'ignore', 'N1'], /takes its id and a reason/],
  [
    'ignoring what is not there',
    ['anomalies', 'ignore', 'N1', '--because', 'x'],
    /Anomaly N1 was not found[\s\S]*does not exist/,
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
    const refused = await farmInProcess(folder, ...args);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(sentence);
    expect(readdirSync(folder)).toEqual([]);
  });
}

test('without a database there are no anomalies, and none is made by looking', async () => {
  const folder = await aFolder();
  const listed = await farmInProcess(folder, 'anomalies');
  expect(listed).toMatchObject({ code: 0, stdout: '' });
  expect(listed.stderr).toContain('--save');
  expect(readdirSync(folder)).toEqual([]);
});
