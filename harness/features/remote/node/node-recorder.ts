import type { PidStat } from '../../../core/procfs.ts';
import { everyProcess, type Frame, type NodeLine, NodeUnreadable, parseFrame } from './frame.ts';
import { type NodeSample, type NodeWindow, parseProcesses, toSample } from './node-window.ts';

/**
 * How often the machine is looked at. One look was seen to take some milliseconds of one core there,
 * for 120 threads, and counts as the probe's own cost.
 */
export const lookMs = 100;

const surroundings = [
  ...['/proc/loadavg', '/proc/meminfo', '/proc/pressure/cpu', '/proc/cpuinfo'],
  '/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor',
  '/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq',
];

export interface RecorderOptions {
  readonly line: NodeLine;
  readonly ticksPerSecond: number;
  /** When the session was asked for, in ticks after boot of its machine. */
  readonly bornAfter: number;
}

/**
 * Looks at another machine around one timed window. Marking the window does not wait for it: a
 * question is sent at once, and its answer is taken when it comes. A look that is still on its way
 * when the next one is due is not followed by another.
 */
export class NodeRecorder {
  readonly #options: RecorderOptions;
  #before: Promise<Frame> | null = null;
  #samples: Promise<NodeSample>[] = [];
  #after: Promise<Frame> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #looking = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  attach(): void {
    this.#before ??= quiet(
      this.#read(['/proc/uptime', '/proc/stat', ...surroundings, `${everyProcess}/stat`]),
    );
  }

  start(): void {
    if (this.#timer !== null) return;
    this.#samples = [];
    this.#after = null;
    this.#look();
    this.#timer = setInterval(() => {
      if (!this.#looking) this.#look();
    }, lookMs).unref();
  }

  stop(): void {
    if (this.#timer === null) return;
    this.#endTimer();
    this.#look();
    this.#after = quiet(this.#readNames());
  }

  /** @throws NodeUnreadable when anything of it could not be read. */
  async window(): Promise<NodeWindow> {
    const [before, after] = [await this.#before, await this.#after];
    if (before === null || after === null) throw new TypeError('the window has not ended');
    const samples = inOrder(await Promise.all(this.#samples));
    return { before, samples, after, ticksPerSecond: this.#options.ticksPerSecond };
  }

  detach(): void {
    this.#endTimer();
  }

  #endTimer(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #look(): void {
    this.#looking = true;
    const sample = this.#sample().finally(() => {
      this.#looking = false;
    });
    this.#samples.push(quiet(sample));
  }

  async #sample(): Promise<NodeSample> {
    const pids = await this.#pids();
    const files = pids.flatMap((pid) => {
      const folder = `/proc/${String(pid)}`;
      return [`${folder}/task/*/schedstat`, `${folder}/stat`];
    });
    return toSample(await this.#read(['/proc/stat', ...files]), pids);
  }

  /** Processes that began since `attach` are in no sample: their threads' beginnings are not known. */
  async #pids(): Promise<readonly number[]> {
    if (this.#before === null) throw new TypeError('attach() comes before start()');
    const { bornAfter } = this.#options;
    return sessionProcesses([...parseProcesses(await this.#before).values()], bornAfter);
  }

  async #readNames(): Promise<Frame> {
    const pids = await this.#pids();
    return this.#read([
      '/proc/uptime',
      ...surroundings,
      ...pids.flatMap((pid) => {
        const folder = `/proc/${String(pid)}`;
        return [`${folder}/task/*/stat`, `${folder}/cmdline`];
      }),
    ]);
  }

  async #read(paths: readonly string[]): Promise<Frame> {
    const frame = parseFrame(await this.#options.line.ask(`files ${paths.join(' ')}`));
    if (paths.includes('/proc/stat') && frame.files.read('/proc/stat') === null) {
      throw new NodeUnreadable('the machine has no /proc/stat: it is no Linux');
    }
    return frame;
  }
}

/** An agent may answer the last question before the one that was still on its way. */
function inOrder(samples: readonly NodeSample[]): readonly NodeSample[] {
  const end = samples.at(-1)?.atMs ?? 0;
  return samples.filter(({ atMs }, index) => index === samples.length - 1 || atMs < end);
}

/** A failure is reported when the window is asked for, which may be later or never. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/**
 * Programs of which a session consists, by the names that the kernel shows (cut at 15 characters):
 * the browsers' own and their driver servers'.
 */
const programs =
  /^(chrom(e|ium)|chromedriver|google-chrome|msedge|firefox|GeckoMain|geckodriver|MiniBrowser|WebKit|WPE)/;

/**
 * The processes of the only session on a remote machine. Its browser carries no mark of ours, since
 * another process started it; but trials are serial on each machine, so what began since the
 * session was asked for and is a browser or its driver server belongs to it, with all below it.
 */
export function sessionProcesses(
  processes: readonly PidStat[],
  /** In ticks after boot of that machine. */
  bornAfter: number,
): readonly number[] {
  const born = processes.filter(({ startTick }) => startTick >= bornAfter);
  const known = new Set(born.filter(({ name }) => programs.test(name)).map(({ pid }) => pid));
  for (let before = -1; before !== known.size;) {
    before = known.size;
    for (const { pid, ppid } of born) if (known.has(ppid)) known.add(pid);
  }
  return [...known];
}
