import { crc32, inflateRawSync } from 'node:zlib';
import { type BundleLimits, Refusal } from './format.ts';

/**
 * Reads an untrusted ZIP archive (APPNOTE.TXT 6.3.10, PKWARE). Only the central directory
 * is believed, and only after it was checked: libraries that unpack while they read see neither
 * symbolic links, which are in the directory alone, nor that two entries share a name, and size
 * their buffers by what the archive says of itself. Nothing is written.
 *
 * @throws Refusal for everything that a bundle does not need: other compressions,
 *   encryption, ZIP64, several disks, links, names that leave the folder, names that occur twice,
 *   more than the limits, and sizes or checksums that are not what comes out.
 */
export function unpackArchive(
  archive: Buffer,
  limits: BundleLimits,
): ReadonlyMap<string, Uint8Array> {
  const entries = readDirectory(archive, limits).filter((entry) => !isFolder(entry));
  requireDistinct(entries.map(({ name }) => name));
  const unpacked = new Map<string, Uint8Array>();
  let left = limits.totalBytes;
  for (const entry of entries) {
    const bytes = unpackEntry(archive, entry, Math.min(limits.entryBytes, left));
    left -= bytes.length;
    unpacked.set(entry.name, bytes);
  }
  return unpacked;
}

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  /** Of its local header. */
  readonly offset: number;
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;

const endBytes = 22;
const longestComment = 0xffff;

/** In a 16-bit or 32-bit field: the true number is in a ZIP64 record. */
const elsewhere16 = 0xffff;
const elsewhere32 = 0xffffffff;

function readDirectory(archive: Buffer, limits: BundleLimits): readonly Entry[] {
  const end = findEnd(archive);
  const count = archive.readUInt16LE(end + 10);
  const offset = archive.readUInt32LE(end + 16);
  if (count === elsewhere16 || offset === elsewhere32) {
    throw new Refusal('it is a ZIP64 archive, which no bundle needs');
  }
  const disks = [4, 6].map((field) => archive.readUInt16LE(end + field));
  if (disks.some((disk) => disk !== 0) || archive.readUInt16LE(end + 8) !== count) {
    throw new Refusal('it is one part of a split archive');
  }
  if (count > limits.entries) {
    throw new Refusal(
      `it has ${String(count)} entries, and ${String(limits.entries)} are read at most`,
    );
  }
  const entries: Entry[] = [];
  let at = offset;
  for (let index = 0; index < count; index += 1) {
    const { entry, next } = readEntry(archive, at, end);
    entries.push(entry);
    at = next;
  }
  if (at !== end) throw damaged('its directory does not end where it says');
  return entries;
}

/** The last record of the archive; its comment, of unknown length, comes after it. */
function findEnd(archive: Buffer): number {
  const last = archive.length - endBytes;
  for (let at = last; at >= Math.max(0, last - longestComment); at -= 1) {
    const isEnd = archive.readUInt32LE(at) === endSignature;
    if (isEnd && at + endBytes + archive.readUInt16LE(at + 20) === archive.length) return at;
  }
  throw new Refusal('it is not a ZIP archive, or its end is missing');
}

const entryBytes = 46;

function readEntry(archive: Buffer, at: number, end: number): { entry: Entry; next: number } {
  if (at + entryBytes > end || archive.readUInt32LE(at) !== entrySignature) {
    throw damaged('its directory is cut off');
  }
  const lengths = [28, 30, 32].map((field) => archive.readUInt16LE(at + field));
  const next = lengths.reduce((sum, length) => sum + length, at + entryBytes);
  if (next > end) throw damaged('its directory is cut off');
  const name = decodeName(archive.subarray(at + entryBytes, at + entryBytes + (lengths[0] ?? 0)));
  requireSafePath(name.replace(/\/$/, ''));
  const entry = {
    name,
    method: archive.readUInt16LE(at + 10),
    crc: archive.readUInt32LE(at + 16),
    packedBytes: archive.readUInt32LE(at + 20),
    bytes: archive.readUInt32LE(at + 24),
    offset: archive.readUInt32LE(at + 42),
  };
  requirePlainFile(entry, {
    flags: archive.readUInt16LE(at + 8),
    mode: archive.readUInt32LE(at + 38) >>> 16,
  });
  return { entry, next };
}

function decodeName(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal('the name of an entry is not UTF-8');
  }
}

const fileTypeBits = 0o170000;
const plainFile = 0o100000;
const folder = 0o040000;

function requirePlainFile(
  { name, packedBytes, bytes, offset }: Entry,
  { flags, mode }: { readonly flags: number; readonly mode: number },
): void {
  if ((flags & 1) !== 0) throw new Refusal(`its entry ${quoted(name)} is encrypted`);
  if ([packedBytes, bytes, offset].includes(elsewhere32)) {
    throw new Refusal('it is a ZIP64 archive, which no bundle needs');
  }
  const type = mode & fileTypeBits;
  // 0: written by a program that knows no file types.
  if ([0, plainFile, folder].includes(type)) return;
  throw new Refusal(`its entry ${quoted(name)} is a symbolic link or a device, not a file`);
}

/** A folder entry that an archiver added. It is empty, so it is left out, unread. */
function isFolder({ name, bytes }: Entry): boolean {
  if (!name.endsWith('/')) return false;
  if (bytes === 0) return true;
  throw new Refusal(`its entry ${quoted(name)} is a folder with contents`);
}

/** Also those that only a file system which ignores case would mix up, and files that are folders, too. */
function requireDistinct(names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    const key = name.toLowerCase();
    if (seen.has(key)) throw new Refusal(`it has the entry ${quoted(name)} twice`);
    seen.add(key);
  }
  for (const name of names) {
    const parts = name.toLowerCase().split('/');
    const above = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
    if (above.some((one) => seen.has(one))) {
      throw new Refusal(`its entry ${quoted(name)} lies in another file`);
    }
  }
}

const localBytes = 30;

function unpackEntry(archive: Buffer, entry: Entry, limit: number): Uint8Array {
  const packed = packedData(archive, entry);
  const bytes = entry.method === 0 ? stored(packed, entry, limit) : inflated(packed, entry, limit);
  if (bytes.length !== entry.bytes || crc32(bytes) !== entry.crc) {
    throw damaged(`its entry ${quoted(entry.name)} is not what the directory says`);
  }
  return bytes;
}

/** The local header repeats the name; one that differs from the directory lets two readers see two files. */
function packedData(archive: Buffer, { name, offset, packedBytes }: Entry): Uint8Array {
  const isThere =
    offset + localBytes <= archive.length && archive.readUInt32LE(offset) === localSignature;
  if (!isThere) throw damaged(`its entry ${quoted(name)} is not where the directory says`);
  const nameEnd = offset + localBytes + archive.readUInt16LE(offset + 26);
  const start = nameEnd + archive.readUInt16LE(offset + 28);
  if (start + packedBytes > archive.length) throw damaged(`its entry ${quoted(name)} is cut off`);
  if (decodeName(archive.subarray(offset + localBytes, nameEnd)) !== name) {
    throw damaged(`its entry ${quoted(name)} has another name in its own header`);
  }
  return archive.subarray(start, start + packedBytes);
}

function stored(packed: Uint8Array, { name }: Entry, limit: number): Uint8Array {
  if (packed.length > limit) throw tooLarge(name, limit);
  return packed;
}

/** Stops at the limit, regardless of the declared size. */
function inflated(packed: Uint8Array, { name, method }: Entry, limit: number): Uint8Array {
  const deflate = 8;
  if (method !== deflate) {
    throw new Refusal(
      `its entry ${quoted(name)} is packed by the unknown method ${String(method)}`,
    );
  }
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, limit) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge(name, limit);
    throw damaged(`its entry ${quoted(name)} cannot be unpacked (${(error as Error).message})`);
  }
}

function tooLarge(name: string, limit: number): Refusal {
  return new Refusal(
    `its entry ${quoted(name)} unpacks to more than the ${String(limit)} bytes that are left to it`,
  );
}

function damaged(how: string): Refusal {
  return new Refusal(`it is damaged: ${how}`);
}

function quoted(name: string): string {
  return JSON.stringify(name);
}

const longestPath = 200;

/** Letters, digits, "_", "-" and ".", which may not come first or last. */
const segment = /^[A-Za-z0-9_-](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?$/;

/** Names that Windows gives to devices, in every folder and with every ending. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Says if a path is relative, stays below its folder, and means the same on every system. */
export function isSafePath(path: string): boolean {
  const segments = path.split('/');
  return (
    path.length <= longestPath &&
    segments.every((one) => segment.test(one) && !deviceName.test(one))
  );
}

/**
 * A list of what is allowed, not of what is dangerous: absolute paths, `..`, backslashes, drive
 * letters, control characters and look-alikes of "/" are all no segments.
 * @throws Refusal
 */
function requireSafePath(path: string): void {
  if (isSafePath(path)) return;
  const shown = JSON.stringify(path.length > 80 ? `${path.slice(0, 79)}…` : path);
  throw new Refusal(
    `its entry ${shown} is not a plain relative path (letters, digits, ".", "_", "-" and "/")`,
  );
}
