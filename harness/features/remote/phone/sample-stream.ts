import type { RemoteShell } from '../../../../drivers/driver.ts';
import { granuleMs } from './phone-clock.ts';
import { type SampleDump, type SampleEvent, SampleParser } from './sample-parser.ts';
import { samplingScript } from './sampling-script.ts';

/** The one shell on a phone through which its cores and threads are watched, for a whole session. */
export interface SampleStream {
  /** Resolves with why when the phone is gone without having been asked to; never rejects. */
  readonly lost: Promise<string>;
  /** Begins to sample; values of an earlier window are forgotten. */
  begin(): void;
  /** Has everything read now. */
  mark(): void;
  /** Reads everything again, and ends the sampling. */
  stop(): void;
  /** Resolves when what `stop` had read has come, or never will; never rejects. */
  stopped(): Promise<void>;
  /** Everything that has come since `begin`. */
  kept(): KeptSamples;
  /** Of the phone's clock against `performance.now()`; the bound is worse the longer it was aligned ago. */
  alignment(): Alignment;
  close(): Promise<void>;
}

export interface KeptSamples {
  readonly dumps: readonly SampleDump[];
  /** Names of the app's processes. */
  readonly names: ReadonlyMap<number, string>;
  readonly facts: ReadonlyMap<string, string>;
}

const pings = 12;

/** Limits for the shell's start, with its clock, and for its last answer. */
const patienceMs = 10_000;

/** Ten samples a second for a quarter of an hour. */
const mostDumps = 10_000;

/**
 * Starts the shell and aligns the clocks.
 * @throws an Error when the shell is missing, or does not answer; or the signal's reason.
 */
export async function openSampleStream(
  shell: RemoteShell,
  signal: AbortSignal,
): Promise<SampleStream> {
  const { execa } = await import('execa');
  const [program = '', ...args] = shell.command;
  const child = execa(program, [...args, samplingScript(shell.app)], {
    env: shell.environment,
    extendEnv: false,
    reject: false,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    buffer: { stdout: false, stderr: true },
    maxBuffer: 64 * 1024,
  });
  const stream = new Stream({
    write: (word) => {
      if (child.stdin.writable) child.stdin.write(`${word}\n`);
    },
    end: async () => {
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), 1000);
      await child;
      clearTimeout(timer);
    },
    ended: child.then(({ stderr }) => stderr.trim().split('\n')[0] ?? ''),
  });
  child.stdin.on('error', () => child.kill());
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (piece: string) => {
    stream.hear(piece, performance.now());
  });
  try {
    await stream.align(AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]));
    return stream;
  } catch (error) {
    await stream.close();
    signal.throwIfAborted();
    throw error;
  }
}

interface Wire {
  readonly write: (word: string) => void;
  readonly end: () => Promise<void>;
  /** Resolves with its last words when the shell has ended. */
  readonly ended: Promise<string>;
}

class Stream implements SampleStream {
  readonly lost: Promise<string>;
  readonly #wire: Wire;
  readonly #parser = new SampleParser();
  readonly #names = new Map<number, string>();
  readonly #facts = new Map<string, string>();
  #dumps: SampleDump[] = [];
  #aligned: { readonly alignment: Alignment; readonly atMs: number } | null = null;
  #hear: (event: SampleEvent, atMs: number) => void = () => undefined;
  #stopped: Promise<void> = Promise.resolve();
  #closing = false;

  constructor(wire: Wire) {
    this.#wire = wire;
    this.lost = new Promise((tell) => {
      void wire.ended.then((words) => {
        const why = words === '' ? 'its shell ended' : words;
        if (!this.#closing) tell(`the phone is gone: ${why}`);
      });
    });
  }

  hear(piece: string, atMs: number): void {
    for (const event of this.#parser.feed(piece)) {
      if (event.kind === 'process') this.#names.set(event.pid, event.name);
      if (event.kind === 'fact') this.#facts.set(event.name, event.value);
      if (event.kind === 'dump') this.#keep(event.dump);
      this.#hear(event, atMs);
    }
  }

  /** Late answers of an earlier window are discarded. */
  #keep(dump: SampleDump): void {
    if (dump.word === 'go') this.#dumps = [];
    if (this.#dumps.length < mostDumps) this.#dumps.push(dump);
  }

  async align(signal: AbortSignal): Promise<void> {
    const heard: Ping[] = [];
    await this.#until(signal, 'ready', () => true);
    while (heard.length < pings) {
      const askedMs = performance.now();
      this.#wire.write('ping');
      await this.#until(signal, 'pong', (toldMs, heardMs) => {
        heard.push({ askedMs, heardMs, toldMs });
        return true;
      });
    }
    const alignment = alignClocks(heard, granuleMs);
    if (alignment === null) throw new Error('the clock of the phone was set while it was asked');
    this.#aligned = { alignment, atMs: performance.now() };
  }

  begin(): void {
    this.#dumps = [];
    this.#names.clear();
    this.#wire.write('go');
  }

  mark(): void {
    this.#wire.write('mark');
  }

  stop(): void {
    this.#wire.write('stop');
    const signal = AbortSignal.timeout(patienceMs);
    this.#stopped = this.#until(signal, 'dump', () => this.#dumps.at(-1)?.word === 'stop').catch(
      // The reader sees that the readings are missing.
      () => undefined,
    );
  }

  stopped(): Promise<void> {
    return this.#stopped;
  }

  kept(): KeptSamples {
    return { dumps: this.#dumps, names: this.#names, facts: this.#facts };
  }

  alignment(): Alignment {
    if (this.#aligned === null) throw new Error('the clocks were not aligned');
    const { alignment, atMs } = this.#aligned;
    return aged(alignment, performance.now() - atMs);
  }

  close(): Promise<void> {
    this.#closing = true;
    return this.#wire.end();
  }

  /** Waits for an event of this kind. @throws when the shell ends, or it is not there in time. */
  async #until(
    signal: AbortSignal,
    kind: SampleEvent['kind'],
    take: (told: number, atMs: number) => boolean,
  ): Promise<void> {
    let giveUp = (): void => undefined;
    const come = new Promise<void>((resolve, reject) => {
      this.#hear = (event, atMs) => {
        if (event.kind !== kind) return;
        if (take(event.kind === 'pong' ? event.atMs : 0, atMs)) resolve();
      };
      giveUp = () => {
        reject(new Error('the shell on the phone did not answer in time'));
      };
      if (signal.aborted) giveUp();
      signal.addEventListener('abort', giveUp, { once: true });
    });
    const gone = this.lost.then((why) => {
      throw new Error(why);
    });
    gone.catch(() => undefined);
    try {
      await Promise.race([come, gone]);
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }
}

/** One question for another clock. All in milliseconds. */
export interface Ping {
  /** By our clock. */
  readonly askedMs: number;
  readonly heardMs: number;
  /** The other clock's answer: it had reached so much, and not yet one granule more. */
  readonly toldMs: number;
}

/** How another clock stands to ours. */
export interface Alignment {
  /** Theirs = ours + this, give or take `errorMs`. */
  readonly offsetMs: number;
  readonly errorMs: number;
}

/**
 * Each answer was given between question and hearing, so it bounds the offset from both sides; the
 * offset lies where all bounds overlap (Marzullo's intersection, of intervals that all hold). Clocks
 * with a coarse granule, asked at many phases of it, are so known better than to a granule.
 * @returns null without pings, or when no offset can be that of all of them: a clock was set.
 */
export function alignClocks(pings: readonly Ping[], granuleMs: number): Alignment | null {
  if (pings.length === 0) return null;
  const low = Math.max(...pings.map(({ toldMs, heardMs }) => toldMs - heardMs));
  const high = Math.min(...pings.map(({ toldMs, askedMs }) => toldMs + granuleMs - askedMs));
  if (low > high) return null;
  return { offsetMs: (low + high) / 2, errorMs: (high - low) / 2 };
}

/** Quartz clocks differ by less than 100 parts in a million: what was aligned some time ago is known so much worse. */
const drift = 1e-4;

export function aged({ offsetMs, errorMs }: Alignment, ageMs: number): Alignment {
  return { offsetMs, errorMs: errorMs + ageMs * drift };
}
