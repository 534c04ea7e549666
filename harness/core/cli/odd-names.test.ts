/** `farm compare` of refs, paths and pages with unexpected names and contents. */
import { readdirSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import fc from 'fast-check';
import type { Driver } from '../../../drivers/driver.ts';
import { fakeDriver } from '../../../drivers/fake/fake.ts';
import { exitCodes } from '../errors.ts';
import { aFakeFarm } from '../../testing/fake-farm.ts';
import { pagesWith } from '../../testing/fake-pages.ts';
import { hostileVariants } from '../../testing/hostile-json.ts';
import { runInProcess } from '../../testing/in-process-farm.ts';

const canary = 'what lies outside of the folder';

/** Files whose names mean something else to a shell, an address or git. */
const fileNames = [
  'index.html',
  ...['old.html', 'ä ö.html', '50% off #2.html', '%2e%2e%2foutside.html', 'a?b.html', `'"\`.html`],
  ...['$(touch hacked).html', 'a\nb.html', '\u202ehtml.exe.html', '-x.html', 'a\\b.html', '~.html'],
];

const refs = ['main', 'v1.0', 'pr@2', 'ü/ß', 'a;b', '$(touch${IFS}hacked)', "it's", '#1', 'x%2fy'];

const odd = fc
  .oneof(
    fc.constantFrom(
      ...[
        '',
        ' ',
        '.',
        './',
        '/',
        '//',
        '-',
        '--',
        '--upload-pack=touch hacked',
        '@',
        'HEAD',
        '@{-1}',
      ],
      ...[
        'HEAD:old.html',
        'main..v1.0',
        ':/one',
        'main^{tree}',
        'HEAD@{upstream}',
        'main:../outside.html',
      ],
      ...[
        'http://',
        'https://[::1',
        'http://a:b@c d/',
        'file:///etc/passwd',
        'npm:',
        'npm:@/@',
        'npm:a@file:..',
      ],
      ...['\\\\host\\share', 'C:\\x', 'con', '%00', '%', '%zz.html', '#', '?'],
      ...[
        '.git/config',
        '.git',
        'links/env.html',
        'links/root/outside.html',
        'x'.repeat(300),
        '\ud800',
      ],
    ),
    fc.string({ unit: 'binary', maxLength: 30 }),
  )
  // No command line can have one.
  .filter((text) => !text.includes('\0'));

/** Addresses outside the folder: no page may lead there. */
const outside = fc.constantFrom(
  ...['../outside.html', '/../outside.html', '..%2foutside.html', '%2e%2e/outside.html'],
  ...['..\\outside.html', 'links/outside.html', 'links/root/outside.html', './/../../outside.html'],
);

const version = fc.oneof(
  { arbitrary: fc.constantFrom(...fileNames.map((name) => `./${name}`), ...refs, '.'), weight: 4 },
  { arbitrary: odd, weight: 1 },
);

const options = fc.array(
  fc.oneof(
    fc.tuple(fc.constantFrom('--page'), fc.oneof(fc.constantFrom(...fileNames), odd, outside)),
    fc.tuple(fc.constantFrom('--root'), fc.oneof(fc.constantFrom('.', 'links'), odd)),
    fc.tuple(
      fc.constantFrom('--measure', '--begin', '--input', '--header', '--cookie', '--ca'),
      odd,
    ),
    fc.constantFrom(['--spa'], ['--no-isolation'], ['--json'], ['--markdown']),
  ),
  { maxLength: 3 },
);

const config = hostileVariants({
  all: { database: '.farm/farm.db', deadline: 20 },
  compare: {
    page: 'old.html',
    root: '.',
    spa: true,
    browsers: ['chromium'],
    margin: '5%',
    header: ['X: y'],
  },
});

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.constantFrom(
    ...[
      '\ufeff<p>',
      '<meta charset=utf-7>+ADw-',
      '<html><head',
      '<!--',
      '<meta charset="',
      '\u0000',
    ].map((text) => Buffer.from(text)),
    ...['<p>ä', ''].map((text) => Buffer.from(`\ufeff${text}`, 'utf16le')),
    Buffer.from([0xfe, 0xff, 0]),
  ),
);

/** The fake driver, which also keeps what its pages were sent. */
function readingDriver(sent: string[]): Driver {
  const driver = fakeDriver({ trial: pagesWith(() => ({ 'measure:job': 7 })) });
  return {
    ...driver,
    launch: async (launching) => {
      const session = await driver.launch(launching);
      return {
        ...session,
        open: async (url, bounds) => {
          sent.push(await fetch(url).then((answer) => answer.text(), String));
          return session.open(url, bounds);
        },
      };
    },
  };
}

async function fill(folder: string): Promise<void> {
  await writeFile(join(folder, '..', 'outside.html'), canary);
  await mkdir(join(folder, 'links'));
  await symlink('../../outside.html', join(folder, 'links', 'outside.html'));
  await symlink('/proc/self/environ', join(folder, 'links', 'env.html'));
  await symlink('../..', join(folder, 'links', 'root'));
  for (const name of fileNames) await writeFile(join(folder, name), '<!doctype html><p>own');
  const git = (...args: readonly string[]): Promise<unknown> => execa('git', args, { cwd: folder });
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '--', 'links', ...fileNames);
  await git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--message', 'one');
  for (const ref of refs.slice(1)) await git('update-ref', `refs/heads/${ref}`, 'HEAD');
}

for (const [tag, numRuns] of [
  ['', 8],
  [' @campaign', 100],
] as const) {
  test(`no odd name, page or configuration is a bug or leads out${tag}`, async () => {
    test.setTimeout(600_000);
    const scene = await aFakeFarm({ devices: ['chromium'] });
    const folder = join(scene.folder, 'inner');
    await mkdir(folder);
    await fill(folder);
    const sent: string[] = [];
    const devices = ['--inventory', join(scene.folder, 'devices.json')];
    const few = [...devices, '--measurement', 'fast', '--no-probes', '--max-blocks', '1'];
    const farm = (args: readonly string[]) =>
      runInProcess(folder, ['compare', ...args, ...few], {
        loadDriver: () => Promise.resolve(readingDriver(sent)),
        environment: { npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0' },
      });
    const property = fc.asyncProperty(
      fc.uniqueArray(version, { minLength: 2, maxLength: 3 }),
      options,
      fc.option(config, { freq: 1 }),
      bytes,
      async (names, more, settings, content) => {
        const path = join(folder, 'crossfarm.config.json');
        await writeFile(path, settings === null ? '{}' : (JSON.stringify(settings) ?? ''));
        await writeFile(join(folder, 'ä ö.html'), content);
        const args = [...names, ...more.flat()];
        const { code, stdout, stderr } = await farm(args);
        expect(code, `${JSON.stringify(args)}: ${stderr}`).not.toBe(exitCodes.internal);
        expect(Object.values<number>(exitCodes)).toContain(code);
        expect(stdout + stderr).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m);
        expect(sent.join('\n')).not.toContain(canary);
        expect(sent.splice(0).join('\n')).not.toContain('PATH=');
      },
    );
    await fc.assert(property, { numRuns, seed: 50, endOnFailure: true });
    expect(readdirSync(folder)).not.toContain('hacked');
  });
}
