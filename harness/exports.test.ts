import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path/posix';
import { expect, test } from '@playwright/test';
import { projectRoot } from './project.ts';

/** The library, and what Appium and Node.js load by themselves. */
const entries = new Set([
  'harness/app/index.ts',
  'harness/testing/typescript-hooks.js',
  'drivers/doubles/phone-driver.js',
]);

test('nothing is exported that nobody imports', () => {
  const texts = readSources();
  const imported = importsOf(texts);
  const unused = [...texts].flatMap(([path, text]) =>
    entries.has(path) || /\.(test|e2e)\.ts$/.test(path)
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
    .filter((path) => /^(harness|drivers|reports)\/.*\.(ts|js)$|^playwright/.test(path))
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

/** `path name` of what is imported, `path *` where that cannot be seen. */
function importsOf(texts: ReadonlyMap<string, string>): ReadonlySet<string> {
  const used = new Set<string>();
  const use = (from: string, module: string, names: string): void => {
    const path = normalize(join(from, '..', module));
    for (const one of names.split(',')) {
      const name = one.replace(/\btype\b/, '').trim();
      if (name !== '') used.add(`${path} ${name.split(/ as |:/)[0]?.trim() ?? ''}`);
    }
  };
  for (const [path, text] of texts) {
    for (const [, names = '', module = ''] of text.matchAll(
      /(?:import|export)(?: type)? \{([^}]*)\} from '(\.[^']+)'/g,
    )) {
      use(path, module, names);
    }
    for (const [, names = '', module = ''] of text.matchAll(
      /(?:const|let) \{([^}]*)\} = await import\('(\.[^']+)'\)/g,
    )) {
      use(path, module, names);
    }
    for (const [, module = '', member = '*'] of text.matchAll(
      /(?<!await )import\('(\.[^']+)'\)(?:\.(\w+))?/g,
    )) {
      use(path, module, member === 'then' ? '*' : member);
    }
    for (const [, module = ''] of text.matchAll(/import \* as \w+ from '(\.[^']+)'/g)) {
      use(path, module, '*');
    }
    for (const [, module = ''] of text.matchAll(/(?<!\} = )await import\('(\.[^']+)'\)/g)) {
      use(path, module, '*');
    }
  }
  for (const [path, text] of texts) {
    for (const [, module = ''] of text.matchAll(/export type \* from '(\.[^']+)'/g)) {
      const passed = [...used].filter((one) => one.startsWith(`${path} `));
      use(path, module, passed.map((one) => one.slice(path.length + 1)).join(','));
    }
  }
  return used;
}
