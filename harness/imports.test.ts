import { test, expect } from '@playwright/test';
import { cruise, type ICruiseResult, type IReporterOutput } from 'dependency-cruiser';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { commands } from './features.ts';
import { projectRoot } from './core/project.ts';

const rules = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as {
  forbidden: object[];
  options: object;
};

/** All imports of the project, held against the table: read once, because that takes seconds. */
let project: ICruiseResult;

test.beforeAll(async () => {
  project = await cruised(['harness', 'drivers', 'reports', 'pages'], rules.forbidden);
});

test('every import is in the table of who may import whom', () => {
  expect(violationsIn(project)).toEqual([]);
});

test('the table notices a forbidden import', async () => {
  const strict = {
    name: 'no-model',
    comment: 'x',
    severity: 'error',
    from: {},
    to: { path: '^harness/core/model/' },
  };
  const broken = violationsIn(await cruised(['harness/core/plan'], [strict]));
  expect(broken.length).toBeGreaterThan(0);
});

test('the package depends on what its files import', () => {
  const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
    readFileSync(join(projectRoot(), 'package.json'), 'utf8'),
  ) as Record<`${'d' | 'optionalD' | 'peerD'}ependencies`, Record<string, string>>;
  const all = { ...dependencies, ...optionalDependencies, ...peerDependencies };
  const installed = new Set(Object.keys(all));
  const files = modules().filter(({ source }) =>
    /^(harness\/(?!bench\/)|drivers\/|reports\/|pages\/)/.test(source),
  );
  const imported = files.flatMap(({ source }) =>
    packagesIn(readFileSync(join(projectRoot(), source), 'utf8')),
  );
  expect([...new Set(imported)].filter((name) => !installed.has(name))).toEqual([]);
  expect(imported).toContain('fastify');
});

const atOnce = /^(?:import|export) (?!type )[^;]*?from '([^']+)';/gm;
const atOnceOrLater = new RegExp(`${atOnce.source}|\\bimport\\('([^']+)'\\)`, 'gm');

/** The packages that a file imports when it runs. */
function packagesIn(code: string, imports = atOnceOrLater): readonly string[] {
  return Array.from(code.matchAll(imports), ([, first, later]) => first ?? later ?? '')
    .filter((path) => !/^(\.|\/|node:)/.test(path))
    .map((path) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path);
}

test('no folders import each other, directly or through others', () => {
  const importsOf = new Map<string, ReadonlySet<string>>();
  const program = modules().filter(({ source }) => /^(harness|drivers|reports)\//.test(source));
  for (const { source, dependencies } of program) {
    const within = dependencies.map(({ resolved }) => folderOf(resolved));
    importsOf.set(
      folderOf(source),
      new Set([...(importsOf.get(folderOf(source)) ?? []), ...within]),
    );
  }
  // A folder that imports none of those that are left is in no cycle.
  for (let leaf; (leaf = leafOf(importsOf)) !== undefined;) importsOf.delete(leaf);
  expect([...importsOf.keys()]).toEqual([]);
});

function leafOf(importsOf: ReadonlyMap<string, ReadonlySet<string>>): string | undefined {
  return [...importsOf.keys()].find((folder) =>
    [...(importsOf.get(folder) ?? [])].every((other) => other === folder || !importsOf.has(other)),
  );
}

/** The folder of a file. Entries and leaves, which lie directly in `harness/` and `drivers/`, stand for themselves. */
function folderOf(file: string): string {
  return /^(harness|drivers)\/[^/]+$/.test(file) ? file : file.replace(/\/[^/]+$/, '');
}

test('a command exports its declaration alone', async () => {
  for (const { name, load } of commands) {
    expect(Object.keys(await load()), name).toEqual(['declare']);
  }
});

for (const [entry, packages] of [
  ['harness/main.ts', ['commander', 'fastest-levenshtein', 'picocolors']],
  ['harness/library.ts', ['fastest-levenshtein', 'simple-statistics']],
] as const) {
  test(`${entry} begins without what it needs later`, () => {
    const loaded = loadedBy(entry);
    const texts = loaded.map((path) => readFileSync(join(projectRoot(), path), 'utf8'));
    const others = texts.flatMap((text) => packagesIn(text, atOnce));
    expect([...new Set(others)].sort()).toEqual(packages);
    expect(loaded.length).toBeLessThan(70);
  });
}

test('no command loads a heavy package before it uses it', () => {
  const heavy = new Set([
    ...['webdriverio', 'puppeteer', 'puppeteer-core', 'playwright', 'sqlite3', 'fastify'],
    ...['esbuild', '@modelcontextprotocol/server', '@observablehq/plot', 'linkedom'],
  ]);
  const declaring = modules().filter(
    ({ source }) => /-command\.ts$/.test(source) || /^harness\/core\/cli\/[\w-]+\.ts$/.test(source),
  );
  expect(declaring.length).toBeGreaterThan(25);
  const found = declaring.flatMap(({ source }) =>
    loadedBy(source)
      .flatMap((path) => packagesIn(readFileSync(join(projectRoot(), path), 'utf8'), atOnce))
      .filter((name) => heavy.has(name))
      .map((name) => `${source}: ${name}`),
  );
  expect([...new Set(found)]).toEqual([]);
});

/** The files of the project that are loaded at once with a file. */
function loadedBy(entry: string): readonly string[] {
  const importsOf = new Map(
    project.modules.map(({ source, dependencies }) => [
      source,
      dependencies.filter(({ dynamic, dependencyTypes }) => {
        const isErased = dependencyTypes.some((one) => /^(type-|core$)/.test(one));
        return !dynamic && !isErased;
      }),
    ]),
  );
  const loaded = new Set([entry]);
  // It grows while it is walked through.
  for (const path of loaded) {
    for (const { resolved } of importsOf.get(path) ?? []) loaded.add(resolved);
  }
  return [...loaded].sort();
}

/** One sentence for each forbidden import, saying what to change. */
function violationsIn({ summary }: ICruiseResult): string[] {
  return summary.violations
    .filter((one) => one.rule.severity === 'error')
    .map(
      (one) =>
        `${one.from} may not import ${one.to}; if the design changed, update the table in .dependency-cruiser.cjs`,
    );
}

/** The modules of the program itself, without tests, and what they import. */
function modules(): ICruiseResult['modules'] {
  const isTest = /\.(test|e2e)\.ts$|\/(testing|conformance|doubles|golden|fixtures)[./]/;
  return project.modules.filter(({ source }) => !isTest.test(source));
}

/** The imports of these folders, and which of them are forbidden. */
async function cruised(folders: string[], forbidden: object[]): Promise<ICruiseResult> {
  const before = process.cwd();
  process.chdir(projectRoot());
  try {
    const result: IReporterOutput = await cruise(folders, {
      ...rules.options,
      validate: true,
      ruleSet: { forbidden } as never,
    });
    if (typeof result.output === 'string') throw new TypeError('a structured result was expected');
    return result.output;
  } finally {
    process.chdir(before);
  }
}
