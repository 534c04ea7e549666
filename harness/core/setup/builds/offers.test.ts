import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { aFolder } from '../../../testing/folder.ts';
import {
  aRegistry,
  closeRegistries,
  type PublishedPackage,
  useRegistry,
} from '../../../testing/npm-registry.ts';
import { findInStore, listBuilds, type StoredBuild, versionInStore } from '../build-store.ts';
import { checkIntegrity, fetchBuild, type UnpackedBuild } from './fetch-build.ts';
import { listOffers, newestOfEachMajor, type Offer } from './offers.ts';

closeRegistries();

const signal = new AbortController().signal;

const node = `node-${process.platform}-${process.arch}`;

/** A runtime that says its version, as a package has it. */
function aNode(version: string): PublishedPackage {
  return { version, files: { 'bin/node': `#!/bin/sh\necho v${version}\n`, 'README.md': 'x' } };
}

async function offered(product: string): Promise<readonly Offer[]> {
  const { offers } = await listOffers({ signal });
  return offers.filter((offer) => offer.product === product && offer.source === 'npm');
}

async function firstOffer(product: string): Promise<Offer> {
  const [offer] = await offered(product);
  if (offer === undefined) throw new Error(`there is no ${product}`);
  return offer;
}

/** Starts it, as a runtime is started. */
async function askLive({ executable }: UnpackedBuild): Promise<string> {
  return (await execa(executable, ['--version'])).stdout.replace('v', '');
}

function fetch(offer: Offer, folder: string, more: object = {}): Promise<StoredBuild> {
  return fetchBuild(offer, { folder, signal, now: '2026-01-01T00:00:00.000Z', askLive, ...more });
}

test('of each major version the newest is shown, in order of the versions', async () => {
  await aRegistry(node, ['9.1.0', '10.2.0', '10.10.0', '22.1.0'].map(aNode));
  const versions = (offers: readonly Offer[]): readonly string[] =>
    offers.map(({ version }) => version);
  expect(versions(newestOfEachMajor(await offered('node')))).toEqual([
    '9.1.0',
    '10.10.0',
    '22.1.0',
  ]);
});

test('fetches a build by npm and stores it as its own version', async () => {
  await aRegistry(node, [aNode('10.2.0')]);
  const folder = join(await aFolder(), 'builds');
  const build = await fetch(await firstOffer('node'), folder);
  expect(build).toMatchObject({ product: 'node', version: '10.2.0', origin: `npm:${node}@10.2.0` });
  expect(await askLive({ ...build, flags: [] })).toBe('10.2.0');
  expect(versionInStore(build.executable)).toBe('10.2.0');
  expect(await listBuilds(folder)).toEqual([build]);
  expect(await execa('ls', [folder]).then(({ stdout }) => stdout)).toBe('node');
});

test('npm’s Chromium is unpacked, with the flags that it needs', async () => {
  test.skip(process.platform !== 'linux' || process.arch !== 'x64', 'made for Linux on x64 alone');
  const shell = '#!/bin/sh\necho 110.0.5481.77\n';
  const files = { 'bin/chromium.br': brotliCompressSync(shell) };
  await aRegistry('@sparticuz/chromium', [{ version: '110.0.1', files }]);
  const offer = await firstOffer('chromium');
  expect(offer.version).toBe('110');
  const folder = join(await aFolder(), 'builds');
  const build = await fetch(offer, folder);
  expect(build).toMatchObject({ version: '110.0.5481.77', flags: ['--disable-gpu'] });
  expect(await findInStore(folder, build)).toEqual(build);
});

test('refuses a damaged download and leaves nothing behind', async () => {
  await aRegistry(node, [{ ...aNode('10.2.0'), damaged: true }]);
  const folder = join(await aFolder(), 'builds');
  await expect(fetch(await firstOffer('node'), folder)).rejects.toMatchObject({
    code: 'setup-failed',
    message: expect.stringMatching(/node 10\.2\.0 .*integrity/i) as unknown,
  });
  expect(await listBuilds(folder)).toEqual([]);
  expect(await execa('ls', [folder]).then(({ stdout }) => stdout)).toBe('');
});

test('an archive is held against the checksum of its registry', async () => {
  const path = join(await aFolder(), 'archive');
  await writeFile(path, 'abc');
  const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  await checkIntegrity(path, `sha256:${sha256}`);
  await checkIntegrity(path, `sha256-${Buffer.from(sha256, 'hex').toString('base64')}`);
  await expect(checkIntegrity(path, `sha256:${'0'.repeat(64)}`)).rejects.toThrow(
    /not what the reg/,
  );
  await expect(checkIntegrity(path, 'md4:1')).rejects.toThrow(/no checksum that is known/);
});

test("refuses a package without its program in its client's words", async () => {
  await aRegistry(node, [{ version: '10.2.0', files: { 'README.md': 'x' } }]);
  const folder = join(await aFolder(), 'builds');
  await expect(fetch(await firstOffer('node'), folder)).rejects.toThrow(/tar.*bin\/node/);
  expect(await listBuilds(folder)).toEqual([]);
});

test('does not keep a build that fails to start, and quotes it', async () => {
  await aRegistry(node, [aNode('10.2.0')]);
  const folder = join(await aFolder(), 'builds');
  const dies = {
    askLive: () => Promise.reject(new Error('it does not start: libfoo.so.1 missing')),
  };
  await expect(fetch(await firstOffer('node'), folder, dies)).rejects.toThrow(
    /node 10\.2\.0 .*libfoo\.so\.1 missing/,
  );
  expect(await listBuilds(folder)).toEqual([]);
});

test('names a disk that fills up and leaves nothing of the build', async () => {
  await aRegistry(node, [aNode('10.2.0')]);
  const folder = join(await aFolder(), 'builds');
  const full = Object.assign(new Error('write failed'), { code: 'ENOSPC' });
  const fails = fetch(await firstOffer('node'), folder, { askLive: () => Promise.reject(full) });
  await expect(fails).rejects.toMatchObject({ code: 'disk-full' });
  expect(await execa('ls', [folder]).then(({ stdout }) => stdout)).toBe('');
});

test('two farms that fetch one build both get it, stored once', async () => {
  await aRegistry(node, [aNode('10.2.0')]);
  const folder = join(await aFolder(), 'builds');
  const offer = await firstOffer('node');
  const [one, other] = await Promise.all([fetch(offer, folder), fetch(offer, folder)]);
  expect(one.executable).toBe(other.executable);
  expect(await listBuilds(folder)).toHaveLength(1);
  expect(await askLive({ ...one, flags: [] })).toBe('10.2.0');
});

test('a registry that cannot be reached is named, and silences no other', async () => {
  useRegistry('http://127.0.0.1:9', await aFolder());
  const { silent, offers } = await listOffers({ signal });
  expect(silent.length).toBeGreaterThan(0);
  expect(silent.join()).toMatch(/npm view .*127\.0\.0\.1:9/);
  expect(offers.filter(({ source }) => source === 'npm')).toEqual([]);
});
