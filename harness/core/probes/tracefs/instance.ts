import {
  closeSync,
  mkdirSync,
  openSync,
  readSync,
  rmdirSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { realFiles } from '../../system-files.ts';
import { sweepTracefs } from './leftovers.ts';
import { type MountedTracefs, mountTracefs, newOwnedName, pidNamespace } from './mounting.ts';

/** The kinds of event that a schedule is made of. */
const events = ['sched/sched_switch', 'sched/sched_stat_runtime', 'task/task_newtask'];

/**
 * Memory for events over all cores. An event takes some 70 bytes, so 32 MiB hold 450,000 of them;
 * Chromium with parallel garbage collection was seen with some 10,000 a second.
 */
const bufferKib = 32 * 1024;

const chunkBytes = 2 ** 18;

/**
 * A separate tracing instance: it shares no events, buffers or switches with other programs that
 * trace (kernel: Documentation/trace/ftrace.rst, "Instances"). Unlike `perf sched record` it needs
 * no further package, runs no other program meanwhile, and has the clock of `process.hrtime`
 * (CLOCK_MONOTONIC).
 */
export class TraceInstance {
  readonly #mount: MountedTracefs;
  readonly #path: string;
  #switch: number | null = null;
  #used = false;
  #closed = false;

  /** @throws an Error when the kernel or the container refuses; nothing is then left behind. */
  constructor(cores: number) {
    this.#mount = mountTracefs();
    const instances = join(this.#mount.path, 'instances');
    this.#path = join(instances, newOwnedName(realFiles, pidNamespace()));
    try {
      // Every run starts with this, but instances of a farm that unmounted before it died show only now.
      sweepTracefs();
      mkdirSync(this.#path);
      this.#write('tracing_on', '0');
      this.#write('trace_clock', 'mono');
      // The newest events are dropped when the buffer is full, so that what is there is whole.
      this.#write('options/overwrite', '0');
      this.#write('buffer_size_kb', String(Math.ceil(bufferKib / cores)));
      for (const event of events) this.#write(`events/${event}/enable`, '1');
      this.#switch = openSync(join(this.#path, 'tracing_on'), 'w');
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Starts recording; discards an earlier recording. */
  start(): void {
    if (this.#used) this.#write('trace', '');
    this.#used = true;
    this.#flip('1');
  }

  stop(): void {
    this.#flip('0');
  }

  /** The recorded lines, oldest first. */
  *lines(): Generator<string> {
    const fd = openSync(join(this.#path, 'trace'), 'r');
    try {
      const chunk = Buffer.alloc(chunkBytes);
      const decoder = new StringDecoder('utf8');
      let rest = '';
      for (;;) {
        const length = readSync(fd, chunk);
        if (length === 0) break;
        const lines = (rest + decoder.write(chunk.subarray(0, length))).split('\n');
        rest = lines.pop() ?? '';
        yield* lines;
      }
      if (rest !== '') yield rest;
    } finally {
      closeSync(fd);
    }
  }

  /** Events that the kernel dropped on each core because the buffer was full. */
  lostByCore(cores: number): readonly number[] {
    return Array.from({ length: cores }, (_, core) =>
      parseLostEvents(realFiles.read(join(this.#path, `per_cpu/cpu${String(core)}/stats`)) ?? ''),
    );
  }

  /** Removes the instance and the mount that was made for it; may be called again. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    try {
      if (this.#switch !== null) closeSync(this.#switch);
      this.#switch = null;
      if (realFiles.list(this.#path).length > 0) rmdirSync(this.#path);
    } finally {
      this.#mount.release();
    }
  }

  #flip(state: '0' | '1'): void {
    if (this.#switch === null) throw new Error('this tracing instance is closed');
    writeSync(this.#switch, state, 0);
  }

  #write(file: string, text: string): void {
    writeFileSync(join(this.#path, file), text);
  }
}

/**
 * per_cpu/cpu<n>/stats of tracefs: events that the ring buffer of one core holds and has lost. Kernel:
 * Documentation/trace/ftrace.rst, "per_cpu/cpu0/stats".
 */

/** Counts the events of this core that were lost, for any reason. */
export function parseLostEvents(text: string): number {
  const losses = text.matchAll(/^(overrun|commit overrun|dropped events): (\d+)$/gm);
  return Array.from(losses, ([, , count]) => Number(count)).reduce((sum, count) => sum + count, 0);
}
