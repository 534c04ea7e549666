import { checkContents, checksum, describeContents, randomContent } from './content.js';

/**
 * Files of the origin-private file system, which browsers have.
 *
 * @import { Preparation } from '../kit/execution.js'
 * @import { Asked } from './benchmark.js'
 * @import { Expected } from './content.js'
 */

/**
 * Lets a worker read and write a file without waiting; it locks the file until it is closed. Not
 * among the types of a window.
 * @typedef {object} SyncHandle
 * @property {() => number} getSize
 * @property {(buffer: Uint8Array, options: { at: number }) => number} read
 * @property {(buffer: Uint8Array, options: { at: number }) => number} write
 * @property {() => void} flush
 * @property {() => void} close
 */

/** @typedef {FileSystemFileHandle & { createSyncAccessHandle: () => Promise<SyncHandle> }} WorkerFileHandle */

/**
 * Reads all files once.
 * @typedef {() => (Uint8Array | ArrayBuffer)[] | Promise<(Uint8Array | ArrayBuffer)[]>} ReadAll
 */

/**
 * Where the files are, and what has to be closed in the end.
 * @typedef {object} Place
 * @property {FileSystemDirectoryHandle} folder
 * @property {SyncHandle[]} opened
 */

/**
 * @param {Asked} asked
 * @returns {Promise<Preparation>}
 */
export async function prepareReads(asked) {
  const root = await openRoot();
  if (asked.mode === 'sync' && !hasSyncHandles()) throw new Error(whyNoSyncHandles());
  const name = `file-read-${crypto.randomUUID()}`;
  const place = { folder: await root.getDirectoryHandle(name, { create: true }), opened: [] };
  const end = () => tidy(root, name, place);
  try {
    return { ...(await prepareIn(place, asked)), end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** @returns {Promise<FileSystemDirectoryHandle>} */
async function openRoot() {
  /** @type {{ storage?: Partial<StorageManager> }} */
  const { storage } = navigator;
  if (typeof storage?.getDirectory !== 'function') {
    throw new Error(
      'This browser has no origin-private file system here (navigator.storage.getDirectory).',
    );
  }
  try {
    return await storage.getDirectory();
  } catch (cause) {
    throw new Error(
      `The origin-private file system cannot be opened, perhaps because the window is private: ${String(cause)}`,
      { cause },
    );
  }
}

/** @type {(root: FileSystemDirectoryHandle, name: string, place: Place) => Promise<void>} */
async function tidy(root, name, { opened }) {
  for (const handle of opened) handle.close(); // What is open is locked, and cannot be removed.
  await root.removeEntry(name, { recursive: true });
}

/**
 * How often the other file is read before.
 * @type {Readonly<Record<string, number>>}
 */
const earlierReads = { read: 1, many: 200 };

/**
 * @param {Place} place
 * @param {Asked} asked
 * @returns {Promise<Preparation>}
 */
async function prepareIn(place, { files, bytes, mode, state, open, after }) {
  const names = Array.from({ length: files }, (_, i) => String(i));
  const expected = await writeFiles(place.folder, names, bytes);
  const make = readers[open]?.[mode];
  if (make === undefined) throw new Error(`There is no mode "${mode}" with open=${open}.`);
  const readAll = await make(place, names);
  const readOther = await make(place, ['other']);
  for (let i = 0; i < (earlierReads[after] ?? 0); i++) await readOther();
  const asynchronous = !(mode === 'sync' && open === 'before');
  /** @type {number[]} */
  const reading = [];
  const isFirst = state === 'first';
  return {
    once: isFirst ? timed(readAll, asynchronous, reading) : readAll,
    asynchronous,
    ...(isFirst && { firstRun: true, also: [{ metric: 'reading', unit: 'ms', values: reading }] }),
    check(value) {
      checkContents(describeContents(/** @type {ArrayBuffer[]} */ (value)), expected);
    },
    counters: () => ({ bytes: files * bytes }),
  };
}

/**
 * Times the first reads separately as well, so that they can be compared with those of runtimes,
 * which are timed in a separate process.
 *
 * @param {ReadAll} readAll
 * @param {boolean} asynchronous
 * @param {number[]} reading
 * @returns {ReadAll}
 */
function timed(readAll, asynchronous, reading) {
  const note = (/** @type {number} */ start) => void reading.push(performance.now() - start);
  if (!asynchronous) {
    return () => {
      const start = performance.now();
      const contents = readAll();
      note(start);
      return contents;
    };
  }
  return async () => {
    const start = performance.now();
    const contents = await readAll();
    note(start);
    return contents;
  };
}

/**
 * Makes the function that is timed, by when the files are opened. A synchronous handle can only be
 * opened asynchronously: `within` opens each file by its name as part of the reading, as runtimes
 * do, and `before` leaves only what is synchronous.
 *
 * @type {Readonly<Record<string, Readonly<Record<string, (place: Place, names: readonly string[]) => ReadAll | Promise<ReadAll>>>>>}
 */
const readers = {
  within: {
    sync:
      ({ folder }, names) =>
      () =>
        inTurn(names, async (name) => {
          const handle = await openSync(folder, name);
          try {
            return readWhole(handle);
          } finally {
            handle.close();
          }
        }),
    'async-parallel':
      ({ folder }, names) =>
      () =>
        Promise.all(names.map(async (name) => readFile(await folder.getFileHandle(name)))),
    'async-sequential':
      ({ folder }, names) =>
      () =>
        inTurn(names, async (name) => readFile(await folder.getFileHandle(name))),
  },
  before: {
    async sync({ folder, opened }, names) {
      const handles = await inTurn(names, (name) => openSync(folder, name));
      opened.push(...handles);
      return () => handles.map(readWhole);
    },
    async 'async-parallel'({ folder }, names) {
      const handles = await inTurn(names, (name) => folder.getFileHandle(name));
      return () => Promise.all(handles.map(readFile));
    },
    async 'async-sequential'({ folder }, names) {
      const handles = await inTurn(names, (name) => folder.getFileHandle(name));
      return () => inTurn(handles, readFile);
    },
  },
};

/**
 * @template Item, Result
 * @param {readonly Item[]} items
 * @param {(item: Item) => Promise<Result>} handle
 */
async function inTurn(items, handle) {
  /** @type {Result[]} */
  const results = [];
  for (const item of items) results.push(await handle(item));
  return results;
}

/** @param {FileSystemFileHandle} handle */
async function readFile(handle) {
  const file = await handle.getFile();
  return file.arrayBuffer();
}

/** @param {SyncHandle} handle */
function readWhole(handle) {
  const content = new Uint8Array(handle.getSize());
  const length = handle.read(content, { at: 0 });
  return content.subarray(0, length);
}

function hasSyncHandles() {
  const { FileSystemFileHandle: handle } = globalThis;
  return typeof handle === 'function' && 'createSyncAccessHandle' in handle.prototype;
}

function whyNoSyncHandles() {
  return typeof document === 'undefined'
    ? 'This browser has no synchronous access handles for its files.'
    : 'Synchronous access handles are for workers alone: choose place=worker.';
}

/**
 * @param {FileSystemDirectoryHandle} folder
 * @param {string} name
 */
async function openSync(folder, name) {
  const file = await folder.getFileHandle(name);
  return /** @type {WorkerFileHandle} */ (file).createSyncAccessHandle();
}

/**
 * Writes the named files and one other.
 * @param {FileSystemDirectoryHandle} folder
 * @param {readonly string[]} names
 * @param {number} bytes
 * @returns {Promise<Expected>}
 */
async function writeFiles(folder, names, bytes) {
  const checksums = await inTurn(['other', ...names], async (name) => {
    const content = randomContent(bytes);
    const file = await folder.getFileHandle(name, { create: true });
    await (hasSyncHandles() ? writeBySyncHandle(folder, name, content) : writeFile(file, content));
    return checksum(content);
  });
  return { bytes, checksums: checksums.slice(1) };
}

/** @type {(folder: FileSystemDirectoryHandle, name: string, content: Uint8Array) => Promise<void>} */
async function writeBySyncHandle(folder, name, content) {
  const handle = await openSync(folder, name);
  try {
    handle.write(content, { at: 0 });
    handle.flush();
  } finally {
    handle.close();
  }
}

/** @type {(file: FileSystemFileHandle, content: Uint8Array<ArrayBuffer>) => Promise<void>} */
async function writeFile(file, content) {
  if (typeof file.createWritable !== 'function') {
    throw new Error('This browser can write such files in workers alone: choose place=worker.');
  }
  const writable = await file.createWritable();
  await writable.write(content);
  await writable.close();
}
