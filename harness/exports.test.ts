import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path/posix';
import { expect, test } from '@playwright/test';
import { projectRoot } from './core/project.ts';

/** The library with its other entries, and what Appium and Node.js load by themselves. */
const entries = new Set([
  'harness/library.ts',
  'harness/matchers.ts',
  'harness/vitest.ts',
  'harness/testing/typescript-hooks.js',
  'drivers/doubles/phone-driver.js',
]);

test('every export has an importer', () => {
  const texts = readSources();
  const imported = importsOf(texts);
  const unused = [...texts].flatMap(([path, text]) =>
    entries.has(path) || /\.(test|e2e)\.ts$|^pages\//.test(path)
      ? []
      : exportsOf(text)
          .filter(({ name, isType }) => {
            if (imported.has(`${path} *`) || imported.has(`${path} ${name}`)) return false;
            // A type of an exported function's signature has to be exported with it.
            return !isType || text.split(new RegExp(`\\b${name}\\b`)).length <= 2;
          })
          .map(({ name }) => `${path}: ${name}`),
  );
  expect(unused).toEqual([]);
});

/** Every script of ours by its path: a working tree may lack files that git still lists. */
function readSources(): ReadonlyMap<string, string> {
  const root = projectRoot();
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root });
  const paths = String(listed)
    .split('\n')
    .filter((path) => /^(harness|drivers|reports|pages)\/.*\.(ts|js)$/.test(path))
    .filter((path) => existsSync(join(root, path)));
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

function exportsOf(text: string): readonly { readonly name: string; readonly isType: boolean }[] {
  const pattern = /^export (?:async )?(function\*?|const|class|interface|type) (\w+)/gm;
  return Array.from(text.matchAll(pattern), ([, kind, name = '']) => ({
    name,
    isType: kind === 'interface' || kind === 'type',
  }));
}

/** Each finds names and their module; without names everything of the module counts as imported. */
const imports = [
  /(?:import|export)(?: type)? \{(?<names>[^}]*)\} from '(?<module>\.[^']+)'/g,
  /const \{(?<names>[^}]*)\} = await import\('(?<module>\.[^']+)'\)/g,
  /(?<!await )import\('(?<module>\.[^']+)'\)\.(?!then)(?<names>\w+)/g,
  /(?:doing|about)\(\s*\(\) => import\('(?<module>\.[^']+)'\),\s*'(?<names>\w+)'/g,
  /(?<!\} = await |(?:doing|about)\(\s*\(\) => )import\('(?<module>\.[^']+)'\)(?!\.(?!then))/g,
  /import \* as \w+ from '(?<module>\.[^']+)'/g,
];

/** `path name` of what is imported, `path *` where that cannot be seen. */
function importsOf(texts: ReadonlyMap<string, string>): ReadonlySet<string> {
  const used = new Set<string>();
  const found = [...texts].flatMap(([path, text]) =>
    imports.flatMap((pattern) =>
      Array.from(text.matchAll(pattern), ({ groups }) => ({
        module: moduleOf(path, groups?.['module']),
        names: groups?.['names']?.split(',') ?? ['*'],
      })),
    ),
  );
  for (const { module, names } of found) {
    for (const one of names) used.add(`${module} ${importedName(one)}`);
  }
  for (const [path, text] of texts) {
    // Modules of a report's script are named by its sections, with the function that begins.
    for (const [, file, start] of text.matchAll(/\{ file: '([\w-]+\.js)', start: '(\w+)' \}/g)) {
      used.add(`reports/client/${String(file)} ${String(start)}`);
    }
    for (const [, module] of text.matchAll(/export type \* from '(\.[^']+)'/g)) {
      const passedOn = [...used].filter((one) => one.startsWith(`${path} `));
      for (const one of passedOn) used.add(moduleOf(path, module) + one.slice(path.length));
    }
  }
  return used;
}

function moduleOf(from: string, module = ''): string {
  return normalize(join(from, '..', module));
}

/** `type a as b` and `a: b` import a. */
function importedName(text: string): string {
  return (
    text
      .replace(/\btype\b/, '')
      .split(/ as |:/)[0]
      ?.trim() ?? ''
  );
}
