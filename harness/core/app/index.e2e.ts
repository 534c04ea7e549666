import { expect, test } from '@playwright/test';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { projectRoot } from '../project.ts';
import { aFolder } from '../../testing/folder.ts';

const program = `import { compareDevices, FarmError } from 'crossfarm';
const sides = { a: 'chromium', b: 'firefox' };
const caller = { signal: new AbortController().signal, say: (sentence: string) => void sentence };
const { decision } = await compareDevices(sides, { bench: 'fib' }, caller);
// @ts-expect-error: a comparison is not an unknown type, which would allow anything
decision?.nonsense;
new FarmError('bad-argument', { what: '', next: '' });
`;

const settings = { module: 'nodenext', target: 'es2023', strict: true, noEmit: true };

test('a program that has only the built package compiles against its types', async () => {
  const [root, folder] = [projectRoot(), await aFolder()];
  const modules = join(folder, 'node_modules');
  const installed = join(modules, 'crossfarm');
  await mkdir(installed, { recursive: true });
  await cp(join(root, 'dist'), join(installed, 'dist'), { recursive: true });
  await cp(join(root, 'package.json'), join(installed, 'package.json'));
  // Types of Node.js, and of the packages that the declarations name.
  await symlink(join(root, 'node_modules'), join(installed, 'node_modules'));
  await symlink(join(root, 'node_modules', '@types'), join(modules, '@types'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'program.ts'), program);
  const compilerOptions = { ...settings, types: ['node'] };
  const settingsFile = { compilerOptions, files: ['program.ts'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settingsFile));
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout, exitCode } = await execa(process.execPath, [compiler, '-p', folder], {
    reject: false,
  });
  expect(stdout).toBe('');
  expect(exitCode).toBe(0);
});
