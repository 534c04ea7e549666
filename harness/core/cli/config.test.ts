import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { Command } from 'commander';
import { projectRoot } from '../project.ts';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess } from '../../testing/in-process-farm.ts';
import { applyConfig, configFile, configSchema } from './config.ts';
import { commands } from '../../features.ts';
import { printJson } from './io.ts';
import { completeNames, declareCommands } from './command-tree.ts';

/** A command of the farm after its command line and this file were read. */
async function optionsOf(name: string, args: readonly string[], file: unknown): Promise<object> {
  const folder = await aFolder();
  const text = typeof file === 'string' ? file : JSON.stringify(file);
  await writeFile(join(folder, configFile), text);
  const program = new Command('farm').exitOverride().enablePositionalOptions();
  await declareCommands(program, commands, { run: () => Promise.resolve() });
  let options: object = {};
  program.hook('preAction', async (_program, acting) => {
    await applyConfig(acting, folder);
    options = acting.opts();
  });
  await program.parseAsync([...completeNames([...name.split(' '), ...args], commands)], {
    from: 'user',
  });
  return options;
}

const versions = ['old.html', 'new.html'];

test('takes options missing on the command line from the file', async () => {
  const file = {
    $schema: './crossfarm.config.schema.json',
    all: { database: 'all.db', 'max-blocks': 40, trials: 3 },
    compare: { browsers: ['firefox', 'webkitgtk'], margin: '5%', repeat: false, 'max-blocks': 60 },
  };
  const options = await optionsOf('compare', versions, file);
  expect(options).toMatchObject({
    database: 'all.db',
    browsers: ['firefox', 'webkitgtk'],
    margin: 0.05,
    repeat: false,
    maxBlocks: 60,
  });
  const args = [...versions, '--browsers', 'chromium', '--margin', '1%'];
  expect(await optionsOf('compare', args, file)).toMatchObject({
    browsers: ['chromium'],
    margin: 0.01,
    repeat: false,
  });
});

const refusals: readonly (readonly [string, unknown, RegExp])[] = [
  ['no JSON', '{ "compare": ', /is not JSON: .* line 1/],
  ['an option that the command lacks', { compare: { browser: 'x' } }, /"browser".*browsers/s],
  ['a value that is refused', { compare: { margin: 'much' } }, /margin cannot be "much": .*2%/],
  ['a number for a yes or no', { compare: { markdown: 1 } }, /markdown cannot be 1/],
  ['no value of an option that takes one', { compare: { page: [] } }, /page cannot be \[\]/],
  ['a null byte', { compare: { page: 'a\0b' } }, /null byte/],
  ['a list of lists', { compare: { browsers: [[1]] } }, /configuration .* is not valid/],
];

for (const [what, file, expected] of refusals) {
  test(`${what} is refused, with the place`, async () => {
    const error = await optionsOf('compare', versions, file).catch((thrown: unknown) => thrown);
    const { message, next } = error as { message: string; next: string };
    expect(`${message} ${next}`).toMatch(expected);
  });
}

test('a command by its other name reads the section of that name', async () => {
  const file = { merge: { into: 'merged.db' }, import: { database: 'ours.db' } };
  const byOther = await optionsOf('merge', ['a.db'], file);
  expect(byOther).toMatchObject({ into: 'merged.db', database: 'ours.db' });
  expect(await optionsOf('import', ['a.db'], file)).not.toHaveProperty('into');
});

for (const [name, file] of [
  ['db', { runs: { database: 'old.db' } }],
  ['findings', { anomalies: { database: 'old.db' } }],
  ['runs', { runs: { database: 'old.db' } }],
  ['runs', { db: { database: 'old.db' } }],
  ['db list', { db: { database: 'old.db' } }],
  ['db', { 'db list': { database: 'old.db' } }],
  ['builds list', { 'builds list': { database: 'old.db' } }],
  ['engines', { 'engines list': { database: 'old.db' } }],
  ['history', { history: { database: 'old.db' } }],
  ['nightly history', { history: { database: 'old.db' } }],
  ['history', { 'nightly history': { database: 'old.db' } }],
] as const) {
  test(`${name} reads the section ${Object.keys(file).join()}`, async () => {
    expect(await optionsOf(name, [], file)).toMatchObject({ database: 'old.db' });
  });
}

test('JSON has the options of the file, where it set some', async () => {
  const folder = await aFolder();
  const json = async (): Promise<unknown> =>
    JSON.parse((await farmInProcess(folder, 'runs', '--json')).stdout);
  expect(await json()).not.toHaveProperty('configured');
  await writeFile(join(folder, configFile), '{ "runs": { "limit": 3 } }');
  expect(await json()).toMatchObject({ runs: [], configured: ['--limit 3'] });
});

test('each entry of a list in JSON has the options of the file', () => {
  const written: string[] = [];
  const stdout = { write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream;
  const listed = (configured: readonly string[]): unknown => {
    printJson({ stdout, configured }, [{ id: 'one' }, 2]);
    return JSON.parse(written.at(-1)!);
  };
  expect(listed(['--limit 3'])).toEqual([{ id: 'one', configured: ['--limit 3'] }, 2]);
  expect(listed([])).toEqual([{ id: 'one' }, 2]);
});

test('the JSON Schema for editors is that of the commands', async () => {
  const program = new Command('farm').enablePositionalOptions();
  await declareCommands(program, commands, { run: () => Promise.resolve() });
  const text = await readFile(join(projectRoot(), 'crossfarm.config.schema.json'), 'utf8');
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(configSchema(program.commands))));
});
