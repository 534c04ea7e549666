import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { withEnvironment } from '../../../testing/environment.ts';
import { aFolderOf } from '../../../testing/folder.ts';
import { readInput } from './input.ts';

const read = async (text: string) =>
  readInput(join(await aFolderOf({ 'steps.mjs': text }), 'steps.mjs'));

test('the steps of a module are its default export, not its output', async () => {
  const text = `console.log('hello'); export default [{ click: '#' + 'go' }]; process.on('exit', () => console.log('bye'));`;
  expect(await read(text)).toMatchObject({ steps: [{ click: '#go' }] });
});

test('a module sees no secret of the environment, and changes nothing here', async () => {
  const text = `globalThis.wasHere = true; export default [{ click: String(process.env.PROBABLY_SECRET) }];`;
  const seen = await withEnvironment({ PROBABLY_SECRET: 'known' }, () => read(text));
  expect(seen).toMatchObject({ steps: [{ click: 'undefined' }] });
  expect(globalThis).not.toHaveProperty('wasHere');
});

for (const [what, text, why] of [
  ['a module that throws', `throw new TypeError('of its own')`, /TypeError: of its own/],
  ['a module that cannot be parsed', `export default [`, /SyntaxError/],
  ['a module that ends its process', `process.exit(0)`, /ends before/],
  ['a function instead of a list', `export default () => []`, /\$: /],
  ['no default export', `export const a = 1`, /\$: /],
  ['what is no JSON', `export default [1n]`, /BigInt/],
] as const) {
  test(`${what} is refused with the reason`, async () => {
    await expect(read(text)).rejects.toThrow(why);
  });
}

test('steps and lists of steps are repeated, and named ones are timed', async () => {
  const list = [
    { repeat: 2, steps: [{ click: '#run' }, { click: '#clear' }] },
    { click: '#run', name: 'create' },
    { press: 'Enter', repeat: 2 },
  ];
  const { steps } = await read(`export default ${JSON.stringify(list)}`);
  const [run, clear, enter] = [{ click: '#run' }, { click: '#clear' }, { press: 'Enter' }];
  const named = { click: '#run', name: 'create' };
  expect(steps).toEqual([run, clear, run, clear, named, enter, enter]);
  const much = [{ repeat: 100, steps: Array.from({ length: 6 }, () => run) }];
  await expect(read(`export default ${JSON.stringify(much)}`)).rejects.toThrow(/at most 500 steps/);
});
