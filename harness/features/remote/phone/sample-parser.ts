import { type CoreTicks, parsePidStat, parseStat, type PidStat } from '../../../core/procfs.ts';

/** Readings of the phone at one instant. */
export interface SampleDump {
  /** Of the phone's own clock, since its boot, in milliseconds; whole hundredths of a second. */
  readonly atMs: number;
  /** Why it read: `go`, `tick`, `mark` or `stop`. */
  readonly word: string;
  readonly cores: readonly CoreTicks[];
  /** The sampler's own shell; null where threads were not read. */
  readonly own: PidStat | null;
  /** The app's processes with their threads; null where they were not read. */
  readonly processes: ReadonlyMap<number, SampledProcess> | null;
}

export interface SampledProcess {
  readonly process: PidStat;
  readonly threads: readonly PidStat[];
}

/** The events of the stream, in order. */
export type SampleEvent =
  | { readonly kind: 'ready' }
  | { readonly kind: 'pong'; readonly atMs: number }
  /** A process of the app, and how it is called. */
  | { readonly kind: 'process'; readonly pid: number; readonly name: string }
  /** A fact that was asked for once: `loadavg`, `available`, `governor`, `khz`. */
  | { readonly kind: 'fact'; readonly name: string; readonly value: string }
  | { readonly kind: 'dump'; readonly dump: SampleDump };

const longestLine = 2000;
const mostLines = 5000;

/**
 * Reads what the sampling script prints, however it was cut into pieces. A phone may be hostile:
 * lines that are too long or of another form are left out, and so is a dump without its end.
 */
export class SampleParser {
  #rest = '';
  #lines: string[] | null = null;
  readonly #known = new Set<number>();

  /** Takes the next piece. @returns what it completed. */
  feed(piece: string): readonly SampleEvent[] {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = (lines.pop() ?? '').slice(-longestLine);
    return lines.flatMap((line) => this.#take(line.replace(/\r$/, '')));
  }

  #take(line: string): readonly SampleEvent[] {
    if (line.startsWith('@ ')) {
      this.#lines = [line];
      return [];
    }
    if (this.#lines === null) return this.#takeSingle(line);
    if (line === '.') {
      const dump = readDump(this.#lines, this.#known);
      this.#lines = null;
      return dump === null ? [] : [{ kind: 'dump', dump }];
    }
    if (line.length <= longestLine && this.#lines.length < mostLines) this.#lines.push(line);
    return [];
  }

  #takeSingle(line: string): readonly SampleEvent[] {
    const events = readSingle(line);
    for (const event of events) if (event.kind === 'process') this.#known.add(event.pid);
    return events;
  }
}

function readSingle(line: string): readonly SampleEvent[] {
  if (line === 'ready') return [{ kind: 'ready' }];
  const pong = /^pong (\d+\.\d+)$/.exec(line)?.[1];
  if (pong !== undefined) return [{ kind: 'pong', atMs: toMs(pong) }];
  const [, pid, name] = /^\+ (\d{1,10}) (\S{1,200})$/.exec(line) ?? [];
  if (pid !== undefined && name !== undefined) {
    return [{ kind: 'process', pid: Number(pid), name }];
  }
  const [, fact, value] = /^= ([a-z]+) (.{1,200})$/.exec(line) ?? [];
  return fact === undefined || value === undefined ? [] : [{ kind: 'fact', name: fact, value }];
}

function readDump(
  [first = '', ...lines]: readonly string[],
  known: ReadonlySet<number>,
): SampleDump | null {
  const [, at, word] = /^@ (\d+\.\d+) ([a-z]+)$/.exec(first) ?? [];
  if (at === undefined || word === undefined) return null;
  const cores = parseStat(`${lines.filter((line) => line.startsWith('cpu')).join('\n')}\n`);
  const own = lines.find((line) => line.startsWith('$ '))?.slice(2);
  return {
    atMs: toMs(at),
    word,
    cores,
    own: own === undefined ? null : (parsePidStat(own) ?? null),
    processes: own === undefined ? null : readProcesses(lines, known),
  };
}

/**
 * Each process stands before its threads, the first of which has its number again. No thread has
 * the number of another process, so a number that `ps` gave begins the next one.
 */
function readProcesses(
  lines: readonly string[],
  known: ReadonlySet<number>,
): ReadonlyMap<number, SampledProcess> {
  const processes = new Map<number, SampledProcess>();
  let current: { readonly process: PidStat; readonly threads: PidStat[] } | null = null;
  for (const line of lines) {
    // A line is cut when its thread ends meanwhile.
    const stat = /^\d/.test(line) ? parsePidStat(line) : null;
    if (stat === null) continue;
    const isMain = current?.process.pid === stat.pid && current.threads.length === 0;
    if (known.has(stat.pid) && !isMain) {
      current = { process: stat, threads: [] };
      processes.set(stat.pid, current);
    } else current?.threads.push(stat);
  }
  return processes;
}

function toMs(seconds: string): number {
  return Math.round(Number(seconds) * 1000);
}
