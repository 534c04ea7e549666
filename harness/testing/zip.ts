import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of a ZIP archive, with any false facts that a test needs. */
export interface ZipEntry {
  readonly name: string | Uint8Array;
  readonly data: string | Uint8Array;
  /** 0: stored; 8: deflated. */
  readonly method?: number;
  readonly flags?: number;
  /** Unix file type and permissions. */
  readonly mode?: number;
  /** The size in the directory, if it is not the true one. */
  readonly bytes?: number;
  readonly crc?: number;
  /** The name in the local header, if it is not that of the directory. */
  readonly localName?: string;
}

interface ZipLies {
  readonly count?: number;
  readonly comment?: string;
  readonly disk?: number;
}

/** Makes a ZIP archive byte by byte: a library would refuse most of what tests need. */
export function aZip(entries: readonly ZipEntry[], lies: ZipLies = {}): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const packed = pack(entry);
    const local = localRecord(entry, packed);
    directory.push(directoryRecord(entry, packed, offset));
    locals.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const comment = Buffer.from(lies.comment ?? '');
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(lies.disk ?? 0, 4);
  end.writeUInt16LE(lies.count ?? entries.length, 8);
  end.writeUInt16LE(lies.count ?? entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...locals, listed, end, comment]);
}

function pack({ data, method = 8 }: ZipEntry): Buffer {
  return method === 8 ? deflateRawSync(Buffer.from(data)) : Buffer.from(data);
}

/** The fields that both headers of an entry have, from the flags on. */
function sharedFields(entry: ZipEntry, packed: Buffer, name: Buffer): Buffer {
  const data = Buffer.from(entry.data);
  const fields = Buffer.alloc(24);
  fields.writeUInt16LE(entry.flags ?? 0x800, 0);
  fields.writeUInt16LE(entry.method ?? 8, 2);
  fields.writeUInt32LE(entry.crc ?? crc32(data), 8);
  fields.writeUInt32LE(packed.length, 12);
  fields.writeUInt32LE(entry.bytes ?? data.length, 16);
  fields.writeUInt16LE(name.length, 20);
  return fields;
}

function localRecord(entry: ZipEntry, packed: Buffer): Buffer {
  const name = Buffer.from(entry.localName ?? entry.name);
  const head = Buffer.alloc(6);
  head.writeUInt32LE(0x04034b50, 0);
  head.writeUInt16LE(20, 4);
  return Buffer.concat([head, sharedFields(entry, packed, name), name, packed]);
}

function directoryRecord(entry: ZipEntry, packed: Buffer, offset: number): Buffer {
  const name = Buffer.from(entry.name);
  const head = Buffer.alloc(8);
  head.writeUInt32LE(0x02014b50, 0);
  head.writeUInt16LE((3 << 8) | 20, 4);
  head.writeUInt16LE(20, 6);
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE((((entry.mode ?? 0o100644) << 16) >>> 0) as number, 6);
  tail.writeUInt32LE(offset, 10);
  return Buffer.concat([head, sharedFields(entry, packed, name), tail, name]);
}
