import { crc32, deflateSync } from 'node:zlib';
import type { NightDocument } from './night-document.ts';

/** The nights as a picture that every mail program shows: a PNG of a few hundred bytes. */

const barWidth = 12;
const gap = 4;
const height = 48;
const margin = 6;

/** White, the line that the bars stand on, and the colour of each outcome. */
const palette = [
  [0xff, 0xff, 0xff],
  [0xc6, 0xcb, 0xd1],
  [0x17, 0x6b, 0x3a],
  [0xc2, 0x70, 0x0a],
  [0xa6, 0x1b, 0x1b],
] as const;

/** How an outcome is drawn: the worse the night, the higher the bar, so that colour is not needed. */
const looks: Readonly<Record<NightDocument['status'], { colour: number; share: number }>> = {
  fine: { colour: 2, share: 0.3 },
  attention: { colour: 3, share: 0.65 },
  running: { colour: 3, share: 0.65 },
  red: { colour: 4, share: 1 },
  'broken-off': { colour: 4, share: 1 },
};

/** A bar for each night, the oldest first. */
export function drawNights(statuses: readonly NightDocument['status'][]): Buffer {
  const width = 2 * margin + statuses.length * (barWidth + gap);
  const base = height - margin;
  const rows = Array.from({ length: height }, (_, y) => {
    const row = Buffer.alloc(1 + width);
    if (y === base) row.fill(1, 1);
    statuses.forEach((status, i) => {
      const { colour, share } = looks[status];
      if (y >= base || y < base - Math.round(share * (base - margin))) return;
      const x = 1 + margin + i * (barWidth + gap);
      row.fill(colour, x, x + barWidth);
    });
    return row;
  });
  return encodePng(width, Buffer.concat(rows));
}

/** PNG with a palette, eight bits a pixel; each row of `data` begins with its filter, none. */
function encodePng(width: number, data: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(data)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
