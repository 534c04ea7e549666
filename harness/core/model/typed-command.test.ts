/** Every command that the texts of the code, pages and documents tell a user to type. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { commands } from '../../features.ts';
import { projectRoot } from '../project.ts';
import { npxCrossfarm } from './typed-command.ts';

const root = projectRoot();
const names = commands.flatMap(({ name, also = [] }) => [name, ...also]).join('|');

/** As files of the project, from its folder: what a user reads, or what prints it. */
const files = ['.ci', 'docs', 'drivers', 'examples', 'harness', 'pages', 'reports']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { encoding: 'utf8', recursive: true }).map((path) =>
      join(folder, path),
    ),
  )
  .concat(readdirSync(root))
  .filter((path) => /\.(?:md|ts|js|html|ya?ml)$|^\.ci\/run$/.test(path))
  .filter((path) => path !== 'CHANGELOG.md' && !/(?:^|\/)(?:vendor|out)\//.test(path))
  .filter((path) => statSync(join(root, path)).isFile());

test('no printed command names a package that is not ours', () => {
  // Built in parts: this file is among those that are read.
  const foreign = new RegExp(`${['npx', 'farm'].join(' ')}\\b`);
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((path) => foreign.test(read(path)))).toEqual([]);
});

test('a command that code prints is one that npx can run', () => {
  // The lane of the benchmarks is not in the package: its lines are for those who develop it.
  const printing = files.filter(
    (path) => /\.(?:ts|js)$/.test(path) && !/\.(?:test|e2e)\.ts$|^harness\/lab\//.test(path),
  );
  const bare = new RegExp(`(?<![\\w@/.-])farm (?:${names})\\b`);
  expect(printing.filter((path) => bare.test(codeOf(read(path))))).toEqual([]);
});

test('the word that a user types is declared once', () => {
  const declaring = files.filter(
    (path) =>
      /^(?:harness|drivers|reports)\/.*\.ts$/.test(path) &&
      // The scripts of a reader's browser cannot import it, and examples are stored data.
      !/\.(?:test|e2e|cases)\.ts$|^harness\/(?:testing|core\/store\/fixtures)\/|^reports\/golden\//.test(
        path,
      ) &&
      codeOf(read(path)).includes(npxCrossfarm),
  );
  expect(declaring).toEqual(['harness/core/model/typed-command.ts']);
});

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** A script without its comments. */
function codeOf(text: string): string {
  return text.replace(/\/\*[^]*?\*\//g, '').replace(/(?:^|\s)\/\/.*$/gm, '');
}
