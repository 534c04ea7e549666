import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';

const tasks = '/proc/self/task';

/** Name of the threads of the pool in Node.js 22 and later; a name has 15 characters at most. */
const poolName = 'libuv-worker';

/**
 * Gives the threads of the pool the name that newer versions give them. Node.js before 22 calls all
 * its threads "node", so that an observer could not tell those that hash from the garbage
 * collector's. They are known by their work: while as many hashes are made at once as there are
 * threads, each of them runs about as long as one hash takes, and V8's threads run for next to
 * nothing. A thread that is not found keeps its name.
 *
 * @param {() => Promise<unknown>} hash makes one hash on the pool
 */
export async function namePoolThreads(hash) {
  if (!isNeeded()) return;
  const size = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4);
  const hashes = Math.min(16, Math.max(1, size));
  await Promise.all(Array.from({ length: hashes }, hash)); // The threads are started by the first.
  const before = timesOnCpu();
  const began = process.cpuUsage();
  await Promise.all(Array.from({ length: hashes }, hash));
  const spent = process.cpuUsage(began);
  const oneHashNs = ((spent.user + spent.system) * 1000) / hashes;
  for (const [tid, time] of timesOnCpu()) {
    const ran = time - (before.get(tid) ?? 0);
    if (tid !== process.pid && ran >= oneHashNs / 2) {
      writeFileSync(`${tasks}/${String(tid)}/comm`, poolName);
    }
  }
}

/** Only Linux shows threads, and Deno and Bun name theirs. */
function isNeeded() {
  const { node, deno, bun } = process.versions;
  if (deno !== undefined || bun !== undefined || Number.parseInt(node, 10) >= 22) return false;
  return existsSync(tasks);
}

/** @returns {ReadonlyMap<number, number>} nanoseconds on a core, by thread */
function timesOnCpu() {
  return new Map(
    readdirSync(tasks).map((tid) => {
      const [ran = '0'] = readFileSync(`${tasks}/${tid}/schedstat`, 'utf8').split(' ');
      return [Number(tid), Number(ran)];
    }),
  );
}
