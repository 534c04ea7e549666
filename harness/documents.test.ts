/** The documents against the code: links, paths, limits and commands that they name. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from '@playwright/test';
import { ESLint } from 'eslint';
import { typedName } from './core/cli/command-tree.ts';
import { commands } from './features.ts';
import { projectRoot } from './core/project.ts';
import { exampleMistakes, hiddenTypes, libraryReference } from './testing/library-reference.ts';

const root = projectRoot();

/** Paths relative to the project. */
const files = [
  ...readdirSync(root),
  ...['docs', 'harness', 'drivers', 'pages', 'reports'].flatMap((folder) =>
    readdirSync(join(root, folder), { encoding: 'utf8', recursive: true }).map((path) =>
      join(folder, path),
    ),
  ),
];
/** Below it docs/library.md is made. */
const mark = '<!-- reference -->';

const documents = files.filter((path) => path.endsWith('.md'));

test('every relative link leads to a file, and to a heading of it', () => {
  const broken = documents.flatMap((path) =>
    linksOf(read(path))
      .filter((link) => !leads(path, link))
      .map((link) => `${path}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test('every path of the code that a document names exists', () => {
  // The changelog also names files that no longer exist.
  const missing = documents
    .filter((path) => path !== 'CHANGELOG.md')
    .flatMap((path) =>
      codePathsOf(path)
        .filter((named) => !existsSync(join(root, named)))
        .map((named) => `${path}: ${named}`),
    );
  expect(missing).toEqual([]);
});

test('every file of code that a document names is there, under that name', () => {
  const missing = documents
    .filter((path) => path !== 'CHANGELOG.md')
    .flatMap((path) =>
      [...read(path).matchAll(/`([\w/-][\w./-]*\.ts)`/g)]
        .filter(([, named = '']) => !files.some((file) => `/${file}`.endsWith(`/${named}`)))
        .map(([, named = '']) => `${path}: ${named}`),
    );
  expect(missing).toEqual([]);
});

test('every step of a path through the code names a function of its file', () => {
  const steps = [...read('CONTRIBUTING.md').matchAll(/`([\w./-]+\.ts):(\w+)`/g)].map(
    ([, file = '', name = '']) => ({ file, name }),
  );
  expect(steps.length).toBeGreaterThan(10);
  const missing = steps.filter(({ file, name }) => !new RegExp(`\\b${name}\\b`).test(read(file)));
  expect(missing).toEqual([]);
});

test('every folder in the table of CONTRIBUTING has a README', () => {
  const folders = [...read('CONTRIBUTING.md').matchAll(/^\| \[`([^`]+)\/`\]/gm)].map(
    ([, folder = '']) => folder,
  );
  expect(folders.length).toBeGreaterThan(15);
  expect(folders.filter((folder) => !existsSync(join(root, folder, 'README.md')))).toEqual([]);
});

test('the limits in CONTRIBUTING are those of the linter', async () => {
  const { rules } = (await new ESLint({ cwd: root }).calculateConfigForFile(
    join(root, 'harness/main.ts'),
  )) as { readonly rules: Readonly<Record<string, readonly [number, { readonly max: number }]>> };
  const [, file, body] =
    /files up to (\d+) lines, functions up to (\d+)/i.exec(read('CONTRIBUTING.md')) ?? [];
  expect({ file: Number(file), body: Number(body) }).toEqual({
    file: rules['max-lines']?.[1].max,
    body: rules['max-lines-per-function']?.[1].max,
  });
});

test('the list of commands is that of the program', () => {
  const rows = [...read('docs/commands.md').matchAll(/^\| `([\w ]+)` +\| (.*?) +\|$/gm)];
  expect(rows.map(([, name, summary]) => ({ name, summary }))).toEqual(
    commands
      .filter(({ isHidden = false }) => !isHidden)
      .map((command) => ({ name: typedName(command), summary: command.summary })),
  );
});

test('the reference of the library is made from its types', () => {
  test.setTimeout(120_000);
  const [head = '', ...others] = read('docs/library.md').split(mark);
  const made = `${head}${mark}\n\n${libraryReference()}\n`;
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(join(root, 'docs/library.md'), made);
  else expect(`${head}${mark}${others.join(mark)}`).toBe(made);
});

test('the library exports all types that its signatures name', () => {
  test.setTimeout(120_000);
  expect(hiddenTypes()).toEqual([]);
});

test('the examples compile against the library, and are in the package', () => {
  test.setTimeout(120_000);
  expect(exampleMistakes()).toEqual([]);
  const { files } = JSON.parse(read('package.json')) as { files: readonly string[] };
  expect(files).toContain('examples');
});

test('the documents of a user stay short', () => {
  // Reports of results are made by the farm, or held against its data.
  const results = ['docs/studies.md', 'docs/what-we-found.md', 'docs/beside-others.md'];
  const forUsers = documents.filter((path) => /^docs\//.test(path) && !results.includes(path));
  const words = forUsers.map((path) => read(path).split(/\s+/).length);
  expect(words.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(10_000);
});

test('the first page stays short, and shows the two commands to begin with', () => {
  const text = read('README.md');
  expect(text.split(/\s+/).length).toBeLessThanOrEqual(1500);
  expect(text).toMatch(/^ {4}npm ci && npm start\b/m);
  expect(text).toMatch(/^ {4}npm ci && npm test\b/m);
});

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Targets of links and pictures that are no address of the web. */
function linksOf(text: string): readonly string[] {
  const prose = text.replace(/^ {4,}.*$/gm, '').replace(/^ *```[^]*?^ *```/gm, '');
  return [...prose.replace(/`[^`\n]*`/g, '').matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

function leads(from: string, link: string): boolean {
  const [target = '', heading] = link.split('#');
  const path = target === '' ? from : join(dirname(from), target);
  if (relative('.', path).startsWith('..') || !existsSync(join(root, path))) return false;
  if (heading === undefined) return true;
  const file = statSync(join(root, path)).isDirectory() ? join(path, 'README.md') : path;
  return headingsOf(read(file)).includes(heading);
}

/** As a code host makes anchors of headings. */
function headingsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Written by the farm, so not in the repository. */
const generated = ['reports/out'];

/**
 * `harness/…`, `drivers/…`, `pages/…` and `reports/…` in prose, in code and in commands, and what is
 * named from the document's own folder as `../…`.
 */
function codePathsOf(document: string): readonly string[] {
  const text = read(document);
  const named = text.matchAll(/(?<![\w./:-])(?:harness|drivers|pages|reports)\/[\w./-]*/g);
  const above = text.matchAll(/(?<=`)\.\.\/[\w./-]+(?=`)/g);
  return [
    ...Array.from(named, ([path]) => path.replace(/[./-]+$/, '')),
    ...Array.from(above, ([path]) => join(dirname(document), path)),
  ].filter((path) => !generated.some((folder) => path.startsWith(folder)));
}
