import { execa } from 'execa';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** A disk that can be filled to the last byte without other effects. */
export interface SmallDisk {
  readonly folder: string;
  fill(): Promise<void>;
  empty(): Promise<void>;
  remove(): Promise<void>;
}

const mebibyte = 2 ** 20;

/** No night measures with less than one gibibyte. Unwritten space takes no memory. */
const roomyBytes = 2_048 * mebibyte;

/** Mounts a small disk; null if this user may not. */
export async function mountSmallDisk(folder: string): Promise<SmallDisk | null> {
  await mkdir(folder, { recursive: true });
  const { failed } = await execa(
    'mount',
    ['-t', 'tmpfs', '-o', `size=${String(roomyBytes)}`, 'tmpfs', folder],
    { reject: false },
  );
  if (failed) return null;
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: async () => {
      // It shrinks to little more than its content, so that filling it is quick.
      const { blocks, bfree, bsize } = await statfs(folder);
      await resize(folder, (blocks - bfree) * bsize + mebibyte);
      fillDisk(ballast);
    },
    empty: async () => {
      rmSync(ballast, { force: true });
      await resize(folder, roomyBytes);
    },
    remove: async () => {
      await execa('umount', ['-l', folder], { reject: false });
    },
  };
}

async function resize(folder: string, bytes: number): Promise<void> {
  await execa('mount', ['-o', `remount,size=${String(bytes)}`, folder]);
}

function fillDisk(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (const size of [65_536, 1]) {
      const bytes = Buffer.alloc(size);
      for (let written = size; written === size;) written = writeOrNothing(file, bytes);
    }
  } finally {
    closeSync(file);
  }
}

function writeOrNothing(file: number, bytes: Buffer): number {
  try {
    return writeSync(file, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return 0;
    throw error;
  }
}
