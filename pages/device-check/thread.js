import { openParent } from '../kit/threads.js';

/**
 * The thread of the device check: it answers one task.
 *
 * @typedef {{ kind: 'echo' } | { kind: 'wait', cells: Int32Array } | { kind: 'file' }} Task
 */

const parent = openParent();
parent.onceMessage((task) => {
  answer(task).then(
    (value) => parent.post({ value }),
    (error) => parent.post({ failed: describe(error) }),
  );
});

/** @param {unknown} error */
function describe(error) {
  if (!(error instanceof Error)) return String(error);
  return error.name === 'Error' ? error.message : `${error.name}: ${error.message}`;
}

/** How long the other thread may take to write. */
const patienceMs = 3000;

/** @param {Task} task */
async function answer(task) {
  if (task.kind === 'echo') return 'heard';
  if (task.kind === 'file') return writeAndRead();
  const how = Atomics.wait(task.cells, 0, 0, patienceMs);
  if (how === 'timed-out') throw new Error('the other thread’s write was never seen');
  return Atomics.add(task.cells, 1, 42);
}

const text = 'crossfarm';

/** In the origin's private file system, where nothing of the owner's lies. */
async function writeAndRead() {
  const { storage } = navigator;
  if (storage?.getDirectory === undefined) {
    throw new Error('navigator.storage.getDirectory is not there');
  }
  const root = await storage.getDirectory();
  const name = 'crossfarm-device-check';
  const file = await root.getFileHandle(name, { create: true });
  const access = await /** @type {any} */ (file).createSyncAccessHandle();
  try {
    access.write(new TextEncoder().encode(text), { at: 0 });
    access.flush();
    const bytes = new Uint8Array(text.length);
    access.read(bytes, { at: 0 });
    const seen = new TextDecoder().decode(bytes);
    if (seen !== text) throw new Error(`the file has "${seen}" instead of "${text}"`);
  } finally {
    access.close();
    await root.removeEntry(name);
  }
}
