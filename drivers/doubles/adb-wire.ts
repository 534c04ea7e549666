/**
 * The protocol between adb's server and a device, as AOSP's `packages/modules/adb/protocol.txt` has
 * it: messages of 24 bytes and a payload, all numbers little-endian.
 */
const commands = {
  CNXN: 0x4e584e43,
  AUTH: 0x48545541,
  OPEN: 0x4e45504f,
  OKAY: 0x59414b4f,
  CLSE: 0x45534c43,
  WRTE: 0x45545257,
} as const;

export type CommandName = keyof typeof commands;

export interface Packet {
  readonly command: CommandName | null;
  readonly arg0: number;
  readonly arg1: number;
  readonly payload: Buffer;
}

const headerBytes = 24;

export function encodePacket(
  command: CommandName,
  [arg0, arg1]: readonly [number, number],
  payload: Buffer | string = Buffer.alloc(0),
): Buffer {
  const data = typeof payload === 'string' ? Buffer.from(payload, 'utf8') : payload;
  const header = Buffer.alloc(headerBytes);
  const code = commands[command];
  header.writeUInt32LE(code, 0);
  header.writeUInt32LE(arg0, 4);
  header.writeUInt32LE(arg1, 8);
  header.writeUInt32LE(data.length, 12);
  header.writeUInt32LE(checksum(data), 16);
  header.writeUInt32LE((code ^ 0xffffffff) >>> 0, 20);
  return Buffer.concat([header, data]);
}

function checksum(data: Buffer): number {
  let sum = 0;
  for (const byte of data) sum = (sum + byte) >>> 0;
  return sum;
}

/** Puts messages together again, however TCP cut them. */
export class PacketReader {
  #rest = Buffer.alloc(0);

  feed(piece: Buffer): readonly Packet[] {
    this.#rest = Buffer.concat([this.#rest, piece]);
    const packets: Packet[] = [];
    while (this.#rest.length >= headerBytes) {
      const length = this.#rest.readUInt32LE(12);
      if (this.#rest.length < headerBytes + length) break;
      packets.push(readPacket(this.#rest, length));
      this.#rest = this.#rest.subarray(headerBytes + length);
    }
    return packets;
  }
}

function readPacket(bytes: Buffer, length: number): Packet {
  const code = bytes.readUInt32LE(0);
  const names = Object.keys(commands) as CommandName[];
  return {
    command: names.find((name) => commands[name] === code) ?? null,
    arg0: bytes.readUInt32LE(4),
    arg1: bytes.readUInt32LE(8),
    payload: Buffer.from(bytes.subarray(headerBytes, headerBytes + length)),
  };
}

/** Packets of the shell protocol, version 2, inside a stream: one byte of kind, four of length. */
export const shellKinds = { stdin: 0, stdout: 1, stderr: 2, exit: 3, closeStdin: 4 } as const;

export function encodeShell(kind: number, data: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt8(kind, 0);
  header.writeUInt32LE(data.length, 1);
  return Buffer.concat([header, data]);
}

export class ShellReader {
  #rest = Buffer.alloc(0);

  feed(piece: Buffer): readonly { readonly kind: number; readonly data: Buffer }[] {
    this.#rest = Buffer.concat([this.#rest, piece]);
    const packets: { kind: number; data: Buffer }[] = [];
    while (this.#rest.length >= 5) {
      const length = this.#rest.readUInt32LE(1);
      if (this.#rest.length < 5 + length) break;
      packets.push({
        kind: this.#rest.readUInt8(0),
        data: Buffer.from(this.#rest.subarray(5, 5 + length)),
      });
      this.#rest = this.#rest.subarray(5 + length);
    }
    return packets;
  }
}
