import { test, expect } from '@playwright/test';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { processDriver } from '../../../drivers/process/process.ts';
import { aDevice } from '../../testing/builders.ts';
import { aFolder } from '../../testing/folder.ts';
import { findDevice } from './presence.ts';
import { installProgram } from './install.ts';
import { askCompiler, compiledProgram, findProgram, sourceMark, whyNoProgram } from './programs.ts';

test.skip(process.platform === 'win32', 'these programs are shell scripts');

const native = aDevice('native', { browser: 'native', driver: 'process' });
const chakraCore = aDevice('chakracore', { browser: 'chakracore', driver: 'process' });
const wasmtime = aDevice('wasmtime', { browser: 'wasmtime', driver: 'process', version: '42' });

async function aProgram(path: string, script: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

/** Runs with these folders alone on PATH. */
async function withPath<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  const before = process.env['PATH'];
  process.env['PATH'] = path;
  try {
    return await work();
  } finally {
    process.env['PATH'] = before;
  }
}

/** Tools that record what they say; `done` stands in for running commands. */
function tools(root: string, done: (command: readonly string[]) => Promise<boolean>) {
  const said: string[] = [];
  const say = (sentence: string): void => void said.push(sentence);
  return { said, root, say, attempt: done };
}

test('without a compiler the native program is missing with a remedy', async () => {
  const root = await aFolder();
  await withPath('/nowhere', async () => {
    expect(whyNoProgram(native, root)).toEqual({
      reason: expect.stringContaining('no C compiler'),
      remedy: expect.stringMatching(/install gcc.*npx crossfarm devices setup --programs$/),
    });
    const none = tools(root, () => Promise.reject(new Error('nothing should be run')));
    expect(await installProgram(native, none)).toBe(false);
    expect(none.said.join()).toContain('there is no C compiler on PATH');
  });
});

test('the native program is compiled once, and again when its source has changed', async () => {
  const [path, root] = [await aFolder(), await aFolder()];
  await aProgram(join(path, 'cc'), '');
  const compile = tools(root, async (command) => {
    expect(command).toEqual(expect.arrayContaining(['-O3', '-pthread']));
    await aProgram(command.at(-1) ?? '', 'echo gcc 12.2.0 glibc 2.36');
    return true;
  });
  await withPath(path, async () => {
    expect(await findProgram(native, root)).toBeNull();
    expect(whyNoProgram(native, root).reason).toBe('it has not been compiled yet');
    expect(await installProgram(native, compile)).toBe(true);
    expect(await findProgram(native, root)).toBe(compiledProgram('native', root));
    await writeFile(sourceMark('native', root), 'of another source\n');
    expect(await findProgram(native, root)).toBeNull();
    expect(whyNoProgram(native, root).reason).toContain('compiled from another source');
  });
});

test('a compilation that fails leaves no program behind', async () => {
  const [path, root] = [await aFolder(), await aFolder()];
  await aProgram(join(path, 'cc'), '');
  await withPath(path, async () => {
    expect(
      await installProgram(
        native,
        tools(root, () => Promise.resolve(false)),
      ),
    ).toBe(false);
    expect(await findProgram(native, root)).toBeNull();
  });
});

test('a native program prints its compiler; one that prints something else has no version', async () => {
  const folder = await aFolder();
  const told = await aProgram(join(folder, 'told'), 'echo gcc 12.2.0 glibc 2.36');
  expect(await askCompiler(told)).toBe('gcc 12.2.0 glibc 2.36');
  const odd = await aProgram(join(folder, 'odd'), "echo '<script>'");
  expect(await askCompiler(odd)).toBeNull();
  const device = { ...native, executable: told };
  expect(await findDevice(device, processDriver)).toMatchObject({
    status: 'found',
    target: { browser: { name: 'native', version: 'gcc 12.2.0 glibc 2.36' } },
  });
});

test('looks for the right wasmtime on PATH and among installed programs', async () => {
  const [path, root] = [await aFolder(), await aFolder()];
  await aProgram(join(path, 'wasmtime'), 'echo wasmtime 48.0.0');
  await withPath(path, async () => {
    expect(await findProgram(wasmtime, root)).toBeNull();
    const own = join(root, 'wasmtime/wasmtime_cli/wasmtime');
    await aProgram(own, 'echo wasmtime 42.0.1');
    expect(await findProgram(wasmtime, root)).toBe(own);
  });
  expect(whyNoProgram(wasmtime, root)).toEqual({
    reason: 'Wasmtime 42 is not installed',
    remedy: 'npx crossfarm devices setup --programs',
  });
});

test('names another way to get wasmtime without pip', async () => {
  const root = await aFolder();
  const path = await aFolder();
  await aProgram(join(path, 'python3'), 'exit 1');
  const none = tools(root, () => Promise.resolve(false));
  await withPath(path, () => installProgram(wasmtime, none));
  expect(none.said.join()).toContain('or put wasmtime 42 on PATH');
});

test("compiles ChakraCore's shell once its library and bundler are here", async () => {
  const [path, root] = [await aFolder(), await aFolder()];
  await aProgram(join(path, 'cc'), '');
  await aProgram(join(path, 'python3'), '');
  await aProgram(join(path, 'npm'), '');
  const done: string[] = [];
  const make = tools(root, async (command) => {
    const [, step = ''] = /(PyChakra==|esbuild@|-lChakraCore)/.exec(command.join(' ')) ?? [];
    done.push(step);
    if (step === '-lChakraCore') await aProgram(command.at(-1) ?? '', 'echo ChakraCore');
    return true;
  });
  const without = tools(root, (command) => Promise.resolve(!command.join(' ').includes('esbuild')));
  await withPath(path, async () => {
    expect(await installProgram(chakraCore, without)).toBe(false);
    expect(await findProgram(chakraCore, root)).toBeNull();
    expect(await installProgram(chakraCore, make)).toBe(true);
    expect(await findProgram(chakraCore, root)).toBe(compiledProgram('chakracore', root));
  });
  expect(done.filter(Boolean)).toEqual(['PyChakra==', 'esbuild@', '-lChakraCore']);
});
