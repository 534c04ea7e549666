import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askFreshProcess } from '../kit/fresh-process.js';
import { checkContents, checksum, describeContents, randomContent } from './content.js';
import { modes } from './reads.cjs';

/**
 * Files of the system, read through `node:fs`, which Node.js, Deno and Bun have.
 *
 * @import { Preparation } from '../kit/execution.js'
 * @import { Asked } from './benchmark.js'
 * @import { Expected, Seen } from './content.js'
 */

/**
 * Answer of a fresh process.
 * @typedef {Seen & { ms: number, fetched: number | null }} FreshRead
 */

/**
 * The files lie in their own folder below the session's TMPDIR, which the farm removes with
 * the session, so that not even a crash leaves them behind.
 *
 * @param {Asked} asked
 * @returns {Promise<Preparation>}
 */
export async function prepareReads(asked) {
  const folder = mkdtempSync(join(tmpdir(), 'file-read-'));
  const end = () => rmSync(folder, { recursive: true, force: true });
  try {
    const expected = writeFiles(folder, asked);
    const operation =
      asked.state === 'warm'
        ? warmReads(folder, asked, expected)
        : await freshReads(folder, asked, expected);
    return { ...operation, end };
  } catch (error) {
    end();
    throw error;
  }
}

/**
 * Writes the files 0, 1, 2 … and one other.
 * @param {string} folder
 * @param {Asked} asked
 * @returns {Expected}
 */
function writeFiles(folder, { files, bytes, state }) {
  const write = (/** @type {string} */ name) => {
    const content = randomContent(bytes);
    const file = openSync(join(folder, name), 'wx', 0o600);
    try {
      for (let done = 0; done < bytes;) done += writeSync(file, content, done);
      if (state === 'cold') fsyncSync(file); // The kernel drops no page that the disk has not seen.
    } finally {
      closeSync(file);
    }
    return checksum(content);
  };
  write('other');
  return { bytes, checksums: Array.from({ length: files }, (_, i) => write(String(i))) };
}

/**
 * Again and again in this process, by one function.
 * @type {(folder: string, asked: Asked, expected: Expected) => Preparation}
 */
function warmReads(folder, { files, bytes, mode }, expected) {
  const paths = Array.from({ length: files }, (_, i) => `${folder}/${String(i)}`);
  const read = modes[mode];
  if (read === undefined) throw new Error(`There is no mode "${mode}".`);
  return {
    once: () => read(paths),
    asynchronous: mode !== 'sync',
    check(value) {
      checkContents(describeContents(/** @type {Uint8Array[]} */ (value)), expected);
    },
    counters: () => ({ bytes: files * bytes }),
  };
}

/**
 * Reads once in each of many fresh processes, which time themselves.
 * @type {(folder: string, asked: Asked, expected: Expected) => Promise<Preparation>}
 */
async function freshReads(folder, { files, bytes, mode, state, after }, expected) {
  /** @type {number[]} */
  const reading = [];
  let fetched = 0;
  const readFresh = () => askFresh({ folder, files, mode, after });
  const readCold = async () => {
    dropFromCache(folder, files);
    const seen = await readFresh();
    fetched = checkFetched(seen, files * bytes);
    return seen;
  };
  const readOnce = state === 'cold' ? readCold : readFresh;
  if (state === 'cold') {
    await readFresh(); // Or the runtime's own program might be what is fetched from the disk.
    await readCold();
  }
  return {
    async once() {
      const seen = await readOnce();
      reading.push(seen.ms);
      return seen;
    },
    asynchronous: true,
    fresh: true,
    also: [{ metric: 'reading', unit: 'ms', values: reading }],
    check(value) {
      checkContents(/** @type {FreshRead} */ (value), expected);
    },
    counters: () => ({ bytes: files * bytes, ...(state === 'cold' && { fetched }) }),
  };
}

/**
 * @param {{ folder: string, files: number, mode: string, after: string }} order
 * @returns {Promise<FreshRead>}
 */
function askFresh(order) {
  return askFreshProcess(new URL('fresh-reads.cjs', import.meta.url), order);
}

/** GNU dd asks the kernel by `posix_fadvise`, which needs no root. */
const dropping = `
  file=0
  while [ "$file" -lt "$2" ]; do
    dd if="$1/$file" iflag=nocache count=0 status=none || exit 1
    file=$((file + 1))
  done`;

/**
 * Drops the contents of the files from the page cache; their names and places stay known.
 * @param {string} folder
 * @param {number} files
 */
function dropFromCache(folder, files) {
  try {
    /** @type {import('node:child_process').ExecFileSyncOptions} */
    const options = { stdio: ['ignore', 'ignore', 'pipe'], timeout: 30_000 };
    execFileSync('/bin/sh', ['-c', dropping, 'sh', folder, String(files)], options);
  } catch (cause) {
    const said = /** @type {{ stderr?: Uint8Array }} */ (cause).stderr;
    const words = new TextDecoder().decode(said).trim().slice(0, 200) || String(cause);
    throw new Error(
      `The page cache cannot be emptied of files here, so that none is cold: GNU dd is asked for it (coreutils 8.11 or later), and what came was: ${words}`,
      { cause },
    );
  }
}

/**
 * Checks that the bytes came from the disk: a file system in memory keeps what it should drop.
 * @param {FreshRead} seen
 * @param {number} bytes
 */
function checkFetched({ fetched }, bytes) {
  if (fetched === null) {
    throw new Error('Whether a read was cold cannot be seen here: there is no /proc/self/io.');
  }
  if (fetched >= bytes) return fetched;
  throw new Error(
    `The files were not cold: ${String(bytes)} bytes were read, and ${String(fetched)} of them came from the disk. The folder for temporary files (TMPDIR) has to lie on one.`,
  );
}
