import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { errorText, FarmError } from '../../errors.ts';
import { makeOwnFolder } from '../../own-path.ts';
import { addBuild, megabytes, type StoredBuild } from '../build-store.ts';
import { askClient, refuseInterrupted } from './client.ts';
import { type Offer, type OfferedPackage, nameOrigin } from './offers.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

/** A build that lies unpacked, and was not started yet. */
export interface UnpackedBuild {
  readonly product: string;
  readonly executable: string;
  readonly flags: readonly string[];
}

export interface Fetching {
  /** Folder of the store. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** ISO 8601, UTC. */
  readonly now: string;
  /** Starts it once and asks for its version; throws what it said where it does not start. */
  readonly askLive: (build: UnpackedBuild) => Promise<string>;
}

/**
 * Fetches a build, and adds it to the store: there whole or not at all.
 * @throws FarmError `setup-failed`, `disk-full`
 */
export async function fetchBuild(offer: Offer, fetching: Fetching): Promise<StoredBuild> {
  const { folder, signal, now, askLive } = fetching;
  await makeOwnFolder(folder);
  await checkRoom(offer, folder);
  try {
    return await addBuild(folder, async (half) => {
      const archives = join(half, 'archives');
      await mkdir(archives);
      const paths: string[] = [];
      for (const one of offer.packages)
        paths.push(await download(offer, one, { archives, signal }));
      const inside = await unpack(offer, { paths, half, signal });
      await rm(archives, { recursive: true });
      const { product } = offer;
      const executable = join(half, inside);
      const version = await askLive({ product, executable, flags: flagsFor(offer) });
      const origin = nameOrigin(offer);
      return { product, version, executable: inside, keptAt: now, origin, flags: flagsFor(offer) };
    });
  } catch (error) {
    refuseInterrupted(signal);
    throw withName(error, offer);
  }
}

async function checkRoom({ downloadBytes, bytes }: Offer, folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const needed = downloadBytes + bytes;
  if (bavail * bsize > needed) return;
  throw new FarmError('disk-full', {
    what: `${folder} has ${megabytes(bavail * bsize)} left, and some ${megabytes(needed)} are needed.`,
    next: 'Make room, or name a folder elsewhere: CROSSFARM_BUILDS.',
  });
}

/** Says of which build a failure is; a full disk in the middle of unpacking is one, too. */
function withName(error: unknown, offer: Offer): FarmError {
  const isFull =
    (error instanceof Error && 'code' in error && error.code === 'ENOSPC') ||
    (error instanceof FarmError && error.code === 'disk-full');
  return new FarmError(isFull ? 'disk-full' : 'setup-failed', {
    what: `${offer.product} ${offer.version} (${nameOrigin(offer)}): ${errorText(error)}`,
    next:
      error instanceof FarmError
        ? error.next
        : isFull
          ? 'Make room, or name a folder elsewhere: CROSSFARM_BUILDS.'
          : `Nothing of it was kept. Try again, or choose another build: ${npxCrossfarm} engines list`,
    cause: error,
  });
}

/** Of npm's headless Chromium: its package lacks a driver of a graphics card. */
function flagsFor({ product, source }: Offer): readonly string[] {
  return product === 'chromium' && source === 'npm' ? ['--disable-gpu'] : [];
}

interface Downloading {
  /** An empty folder. */
  readonly archives: string;
  readonly signal: AbortSignal;
}

/** Fetches one package by its registry's client, which checks it; and checks it again. */
async function download(
  { source }: Offer,
  { name, version, integrity }: OfferedPackage,
  { archives, signal }: Downloading,
): Promise<string> {
  const into = join(archives, name.replace(/\W/g, '_'));
  await mkdir(into);
  const asking = { signal, cwd: into };
  if (source === 'debian') {
    await askClient(['apt-get', 'download', `${name}=${version}`], asking);
  } else {
    // Its own cache: hundreds of megabytes are not left in the user's.
    const cache = join(archives, 'npm-cache');
    const how = ['--ignore-scripts', '--loglevel=error', `--cache=${cache}`];
    await askClient(['npm', 'pack', `${name}@${version}`, ...how], asking);
    await rm(cache, { recursive: true, force: true });
  }
  const [file] = await readdir(into);
  if (file === undefined) throw new Error('its client fetched nothing');
  const path = join(into, file);
  await checkIntegrity(path, integrity);
  return path;
}

/** Holds a file against the checksum of its registry. @throws Error where it is another */
export async function checkIntegrity(path: string, integrity: string): Promise<void> {
  const [, algorithm = '', wanted = ''] = /^(sha512|sha256|sha1)[-:](\S+)$/.exec(integrity) ?? [];
  if (algorithm === '')
    throw new Error(`its registry gives no checksum that is known: ${integrity}`);
  const hash = createHash(algorithm);
  await pipeline(createReadStream(path), hash);
  const seen = hash.digest(integrity.includes(':') ? 'hex' : 'base64');
  if (seen === wanted) return;
  throw new Error(
    `what arrived is not what the registry describes (${algorithm} ${seen}, not ${wanted})`,
  );
}

interface Unpacking {
  readonly paths: readonly string[];
  readonly half: string;
  readonly signal: AbortSignal;
}

/** Unpacks what is needed. @returns path of the executable, relative to that folder */
async function unpack(
  { source, product }: Offer,
  { paths, half, signal }: Unpacking,
): Promise<string> {
  if (source === 'debian') {
    for (const path of paths) await askClient(['dpkg', '-x', path, half], { signal });
    return product === 'firefox' ? 'usr/lib/firefox-esr/firefox-esr' : 'usr/lib/chromium/chromium';
  }
  const member = product === 'node' ? 'package/bin/node' : 'package/bin/chromium.br';
  const [archive = ''] = paths;
  const into = join(half, 'archives', 'unpacked');
  await mkdir(into);
  await askClient(['tar', '-xzf', archive, '-C', into, member], { signal });
  const executable = join(half, product);
  if (product === 'node') {
    await rename(join(into, member), executable);
  } else {
    await pipeline(
      createReadStream(join(into, member)),
      createBrotliDecompress(),
      createWriteStream(executable),
      { signal },
    );
  }
  await chmod(executable, 0o755);
  return product;
}
