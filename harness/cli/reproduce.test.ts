import { expect, test } from '@playwright/test';
import { writeFile } from 'node:fs/promises';
import { parseReproducible } from '../app/reproduce/reproducible.ts';
import { aFolder } from '../testing/folder.ts';
import { farmInProcess } from '../testing/in-process-farm.ts';

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
