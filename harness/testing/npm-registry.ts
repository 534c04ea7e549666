import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from '@playwright/test';
import { execa } from 'execa';
import { aFolder } from './folder.ts';

/** A package as its author published it. */
export interface PublishedPackage {
  readonly version: string;
  /** Files by their paths in the package. */
  readonly files: Readonly<Record<string, string | Buffer>>;
  /** The downloaded bytes do not match the checksum. */
  readonly damaged?: boolean;
}

/**
 * A registry on this machine, and an npm that asks it for the time of this test: the real client, and
 * no download. Gives a package and its versions.
 */
export async function aRegistry(
  name: string,
  versions: readonly PublishedPackage[],
): Promise<string> {
  const folder = await aFolder();
  const archives = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').split('?')[0] ?? '';
    const archive = archives.get(path);
    if (archive !== undefined) return response.end(archive);
    if (path === `/${name}`) return response.end(JSON.stringify(document));
    response.statusCode = 404;
    return response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const entries: [string, object][] = [];
  for (const one of versions) {
    const tarball = await packed(join(folder, one.version), one.files);
    const path = `/${name}/-/${one.version}.tgz`;
    archives.set(path, one.damaged === true ? tarball.subarray(0, -20) : tarball);
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    const dist = { tarball: `${address}${path}`, integrity };
    entries.push([one.version, { name, version: one.version, dist }]);
  }
  const newest = versions.at(-1)?.version;
  const document = { name, 'dist-tags': { latest: newest }, versions: Object.fromEntries(entries) };
  useRegistry(address, join(folder, 'cache'));
  cleanUps.push(() => server.close());
  return address;
}

const cleanUps: (() => void)[] = [];

/** Has npm ask this address until the test has ended. */
export function useRegistry(address: string, cache: string): void {
  const settings = {
    npm_config_registry: address,
    npm_config_cache: cache,
    // npm waits ten seconds and a minute between its tries.
    npm_config_fetch_retries: '0',
  };
  for (const [key, value] of Object.entries(settings)) {
    const usual = process.env[key];
    process.env[key] = value;
    cleanUps.push(() => {
      if (usual === undefined) Reflect.deleteProperty(process.env, key);
      else process.env[key] = usual;
    });
  }
}

/** To be called once in a file of tests that have a registry. */
export function closeRegistries(): void {
  test.afterEach(() => {
    for (const cleanUp of cleanUps.splice(0)) cleanUp();
  });
}

async function packed(folder: string, files: PublishedPackage['files']): Promise<Buffer> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, 'package', path)), { recursive: true });
    await writeFile(join(folder, 'package', path), content);
  }
  await execa('tar', ['-czf', 'archive.tgz', 'package'], { cwd: folder });
  return readFile(join(folder, 'archive.tgz'));
}
