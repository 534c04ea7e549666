import { execa } from 'execa';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A disk of a few megabytes, which can be filled to the last byte without harming anybody. */
export interface SmallDisk {
  readonly folder: string;
  fill(): void;
  empty(): void;
  remove(): Promise<void>;
}

const megabytes = 24;

/** Null where this user may not mount one. */
export async function mountSmallDisk(folder: string): Promise<SmallDisk | null> {
  await mkdir(folder, { recursive: true });
  const size = `size=${String(megabytes)}m`;
  const { failed } = await execa('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', folder], {
    reject: false,
  });
  if (failed) return null;
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: () => {
      fillDisk(ballast);
    },
    empty: () => {
      rmSync(ballast, { force: true });
    },
    remove: async () => {
      await execa('umount', ['-l', folder], { reject: false });
    },
  };
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
