import { z } from 'zod';
import { parseOwnBytes } from '../procfs.ts';
import { realFiles, type SystemFiles } from '../system-files.ts';
import { declareProbe, type ValueWatch } from './declare-probe.ts';
import { memoryProbe } from '../model/measures.ts';
import { cpuMsSince, type RegisteredProbe, type Support, type WatchedSession } from './probe.ts';

/**
 * How often memory is read. The kernel walks every mapping of a process for it, and holds up the
 * process meanwhile, which is why this probe watches on request only.
 */
const intervalMs = 200;

const bytesPerMb = 1e6;

const megabytes = z.number().min(0).nullable();

const values = {
  peak: { title: 'Most memory', unit: 'MB', schema: megabytes },
  end: { title: 'Memory at the end', unit: 'MB', schema: megabytes },
};

/**
 * The memory of the whole browser: what all its processes have written, in proportional sizes, so
 * that what several share is counted once. Pages of files, as the browser's own program, are left
 * out: other browsers on the machine share them, and a Chromium with two others was seen to hold
 * 198 MB with them instead of 357 MB. The peak is the largest of the sums that were read; those
 * inside the window are of the processes that were there at its beginning.
 */
export function createMemoryProbe(
  files: SystemFiles = realFiles,
  platform: NodeJS.Platform = process.platform,
): RegisteredProbe {
  return declareProbe({
    name: memoryProbe,
    onRequest: 'memory of the browser',
    values,
    supports: () => supportsMemory(files, platform),
    attach: (session) => new MemoryWatch(session, files),
  });
}

function supportsMemory(files: SystemFiles, platform: NodeJS.Platform): Support {
  if (platform === 'linux' && parseOwnBytes(files.read('/proc/self/smaps_rollup') ?? '') !== null) {
    return { supported: true };
  }
  return {
    supported: false,
    because: `memory is read from smaps_rollup of Linux's /proc (5.3 or newer), which this ${platform} does not have`,
  };
}

class MemoryWatch implements ValueWatch<typeof values> {
  readonly #session: WatchedSession;
  readonly #files: SystemFiles;
  /** Found outside the window: to look for them takes time as well. */
  #pids: readonly number[];
  #timer: NodeJS.Timeout | null = null;
  #sums: (number | null)[] = [];
  #cpuAtStart = process.cpuUsage();
  #costMs = 0;

  constructor(session: WatchedSession, files: SystemFiles) {
    this.#session = session;
    this.#files = files;
    this.#pids = session.processTree();
  }

  start(): void {
    this.#cpuAtStart = process.cpuUsage();
    this.#sums = [];
    this.#timer = setInterval(() => {
      this.#sums.push(this.#read());
    }, intervalMs).unref();
  }

  /** The last reading comes after the window, and has the processes that began in it as well. */
  stop(): void {
    this.detach();
    this.#costMs = cpuMsSince(this.#cpuAtStart);
    this.#pids = this.#session.processTree();
    this.#sums.push(this.#read());
  }

  collect(): ReturnType<ValueWatch<typeof values>['collect']> {
    const whole = this.#sums.filter((one) => one !== null);
    const peak = whole.length === this.#sums.length ? Math.max(...whole) : null;
    return { values: { peak, end: this.#sums.at(-1) ?? null }, costMs: this.#costMs };
  }

  detach(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /**
   * MB of all processes now. Null when one that lives cannot be read, as the sandboxed ones of
   * Chromium unless the farm is root: a sum without the page's own process would mislead.
   */
  #read(): number | null {
    let sum = 0;
    for (const pid of this.#pids) {
      const folder = `/proc/${String(pid)}`;
      const bytes = parseOwnBytes(this.#files.read(`${folder}/smaps_rollup`) ?? '');
      // A process that has ended is gone, or has no command line any more.
      const lives = bytes !== null || Boolean(this.#files.read(`${folder}/cmdline`));
      if (bytes === null && lives) return null;
      sum += bytes ?? 0;
    }
    return sum / bytesPerMb;
  }
}
