import { expect, test } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { projectRoot } from './core/project.ts';
import { aFolder } from './testing/folder.ts';

interface LockedPackage {
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

const read = (file: string): string => readFileSync(join(projectRoot(), file), 'utf8');
const { packages } = JSON.parse(read('package-lock.json')) as {
  packages: Record<string, LockedPackage>;
};
const installed = Object.entries(packages).flatMap(([path, locked]) => {
  const name = path.split('node_modules/').at(-1) ?? '';
  return name === '' ? [] : [{ name, ...locked }];
});

/** An installation of crossfarm has these; each permits use, change and distribution. */
const permissive = new Set([
  ...['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0'],
  ...['Unlicense', 'CC0-1.0', 'WTFPL', 'Zlib'],
]);

/** One of several licences is enough; of those that hold together all have to be. */
function isPermissive(license: string): boolean {
  return license
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((one) => one.split(' AND ').every((part) => permissive.has(part)));
}

test('every installed package has a permissive licence or an explanation in SECURITY.md', () => {
  const others = installed
    .filter(({ dev, license }) => dev !== true && (license === undefined || !isPermissive(license)))
    .map(({ name }) => name);
  expect(others.length).toBeGreaterThan(0);
  for (const name of new Set(others)) expect(read('SECURITY.md')).toContain(`| \`${name}\``);
});

test('every install script is decided on in package.json and justified in SECURITY.md', () => {
  const { allowScripts } = JSON.parse(read('package.json')) as {
    allowScripts: Record<string, boolean>;
  };
  const scripts = installed.filter(({ hasInstallScript }) => hasInstallScript === true);
  const table = read('SECURITY.md').split('\n');
  for (const { name } of scripts) {
    const row = table.find((line) => line.startsWith(`| \`${name}\``)) ?? '';
    expect(row, name).toMatch(allowScripts[name] === true ? /\| yes / : /\| no /);
  }
  const known = new Set(scripts.map(({ name }) => name));
  expect(Object.keys(allowScripts).filter((name) => !known.has(name))).toEqual([]);
});

test("the package's build makes the bill of materials and includes it", () => {
  const { scripts, files } = JSON.parse(read('package.json')) as {
    scripts: Record<string, string>;
    files: readonly string[];
  };
  expect(scripts['prepack']).toContain('npm run --silent sbom');
  expect(scripts['sbom']).toContain('--output-file dist/sbom.cdx.json');
  expect(files).toEqual(expect.arrayContaining(['dist', 'SECURITY.md']));
});

interface Component {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
}

test('the bill of materials lists every package that is installed with crossfarm', async () => {
  const file = join(await aFolder(), 'sbom.cdx.json');
  await execa('npm', ['run', '--silent', 'sbom', '--', '--output-file', file], {
    cwd: projectRoot(),
  });
  const { metadata, components } = JSON.parse(readFileSync(file, 'utf8')) as {
    metadata: { component: Component };
    components: readonly Component[];
  };
  const called = ({ group, name, version }: Component): string =>
    `${group === undefined ? '' : `${group}/`}${name}@${version}`;
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(called(metadata.component)).toBe(`crossfarm@${version}`);
  const wanted = installed
    .filter(({ dev }) => dev !== true)
    .map(({ name, version: locked }) => `${name}@${locked}`);
  expect(wanted.some((one) => one.startsWith('playwright@'))).toBe(true);
  expect([...new Set(components.map(called))].sort()).toEqual([...new Set(wanted)].sort());
});
