import { once } from 'node:events';
import { connect, createServer, type ListenOptions, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { FarmError, errorText } from '../../errors.ts';
import { within } from '../../run/deadline.ts';
import { plain } from '../../run/progress/plain-text.ts';

/**
 * One farm at a time measures on a machine: two take cores from each other, and neither sees why.
 *
 * The lock is an address at which only one process of any user can listen. The kernel frees it when
 * the process ends, however it ends, so none is ever left behind; and a waiting farm is connected
 * to the holder, which names itself, and whose end it hears.
 */

/**
 * `off` switches the lock off, and a name makes one that only farms with the same name share: for
 * users who knowingly run several farms at once, as tests do.
 */
const variable = 'CROSSFARM_HOST_LOCK';

/** Not among the ports that systems give to programs by themselves. */
const port = 27_614;

/**
 * Where the lock is; a port has no name. Under Linux an abstract socket, which has no file, and
 * under Windows a pipe: both are of this farm alone. Elsewhere a port, which some other program may
 * have. Tried under Linux alone.
 */
export function addressOfLock(
  own = '',
  platform: NodeJS.Platform = process.platform,
): ListenOptions {
  const name = ['crossfarm-measuring', own].filter((part) => part !== '').join('-');
  if (platform === 'linux') return { path: `\0${name}` };
  if (platform === 'win32') return { path: `\\\\.\\pipe\\${name}` };
  return { host: '127.0.0.1', port };
}

export interface LockOptions {
  /** True if it waits for another farm, instead of ending; it waits when left out. */
  readonly wait?: boolean | undefined;
  readonly signal: AbortSignal;
  readonly say: (sentence: string) => void;
}

/**
 * The answer of a measuring farm to another one. Every user of the machine may ask: it holds no
 * arguments.
 */
const holder = z.object({
  pid: z.int().positive(),
  folder: z.string().max(4_000),
  command: z.string().max(100),
});

type Holder = z.infer<typeof holder>;

/** How long another farm may take to say who it is: it may be stopped, or busy. */
const patienceMs = 5_000;
const longestAnswer = 8_000;
const againMs = 100;
/** Of one farm that is waited for: a week is more than any run takes. */
const longestWaitMs = 7 * 86_400_000;

let waitedMs = 0;

/** Milliseconds of a clock that stands still while this process waits for another farm: for budgets. */
export function timeWithoutWaits(): number {
  return performance.now() - waitedMs;
}

/** The lock of one machine, as one process has it: its own work may take it several times at once. */
export class HostLock {
  readonly #own: string | undefined;
  #address: ListenOptions = {};
  #users = 0;
  #taking: Promise<void> | null = null;
  #held: HeldLock | null = null;

  /** @param own name of the lock; of the environment when left out */
  constructor(own?: string) {
    this.#own = own;
  }

  /** @throws FarmError `machine-in-use` where it may not wait, or the signal's reason. */
  async hold<T>(options: LockOptions, work: () => Promise<T>): Promise<T> {
    const own = this.#own ?? process.env[variable];
    if (own === 'off') return work();
    this.#address = addressOfLock(own);
    this.#users += 1;
    try {
      await (this.#taking ??= this.#take(options));
      return await work();
    } finally {
      this.#users -= 1;
      if (this.#users === 0) {
        this.#held?.free();
        this.#held = null;
        this.#taking = null;
      }
    }
  }

  /** Takes no lock where the measuring farm cannot be known. */
  async #take(options: LockOptions): Promise<void> {
    const since = performance.now();
    try {
      for (let before: string | null = ''; before !== null;) {
        options.signal.throwIfAborted();
        const bound = await bind(this.#address);
        if (bound === 'in use') {
          before = await this.#waitOnce(before, options);
          continue;
        }
        if (bound instanceof Error) options.say(unknown(errorText(bound)));
        else this.#held = bound;
        return;
      }
    } finally {
      waitedMs += performance.now() - since;
    }
  }

  /**
   * Waits until the farm ends that measures now. Gives what it is called; null for another program.
   */
  async #waitOnce(
    before: string,
    { wait = true, signal, say }: LockOptions,
  ): Promise<string | null> {
    const socket = await reach(this.#address);
    if (socket === null) {
      // It has ended just now.
      await pause(againMs);
      return before;
    }
    const gone = new Promise<void>((resolve) => {
      socket.once('close', () => {
        resolve();
      });
    });
    try {
      const other = await readHolder(socket);
      if (other === null && this.#address.port !== undefined) {
        say(unknown(`port ${String(port)} has another program`));
        return null;
      }
      const who = describeHolder(other);
      if (!wait) throw inUse(who);
      if (who !== before) say(`waits for ${who}, which measures here (--no-wait ends instead)`);
      await within(gone, { what: 'Another farm', ms: longestWaitMs, signal });
      return who;
    } finally {
      socket.destroy();
    }
  }
}

/** The lock of this machine. */
export const hostLock = new HostLock();

function unknown(why: string): string {
  return `whether another farm measures on this machine is not known: ${why}`;
}

function describeHolder(other: Holder | null): string {
  if (other === null) return 'another farm, which does not say who it is';
  const { pid, command, folder } = other;
  return `another farm (process ${String(pid)}, ${plain(`farm ${command}`).trim()}, in ${plain(folder)})`;
}

function inUse(who: string): FarmError {
  return new FarmError('machine-in-use', {
    what: `Nothing is measured: this machine has ${who}, which measures.`,
    next: `Wait until it has ended, or leave out --no-wait. Two at a time disturb each other; ${variable}=off lets them.`,
  });
}

interface HeldLock {
  free(): void;
}

/** Listens, and tells everybody who asks who it is, for as long as it holds the lock. */
function bind(address: ListenOptions): Promise<HeldLock | 'in use' | Error> {
  const [command = ''] = process.argv.slice(2);
  const self: Holder = {
    pid: process.pid,
    folder: process.cwd(),
    command: /^[a-z]{1,30}$/.test(command) ? command : '',
  };
  const waiting = new Set<Socket>();
  const server = createServer((socket) => {
    waiting.add(socket);
    // The waiting one may end first.
    socket.on('error', () => undefined).on('close', () => waiting.delete(socket));
    socket.unref().write(`${JSON.stringify(self)}\n`);
  });
  const free = (): void => {
    server.close();
    for (const socket of waiting) socket.destroy();
  };
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'EADDRINUSE' ? 'in use' : error);
    });
    server.listen(address, () => {
      server.unref();
      resolve({ free });
    });
  });
}

/** Null without a listener. */
async function reach({ path, host, port: at }: ListenOptions): Promise<Socket | null> {
  const socket = path === undefined ? connect({ port: at ?? port, host }) : connect({ path });
  try {
    await once(socket, 'connect');
    return socket.on('error', () => undefined);
  } catch {
    socket.destroy();
    return null;
  }
}

/** Null when it does not say in time who it is, or says something else. */
async function readHolder(socket: Socket): Promise<Holder | null> {
  let text = '';
  const line = new Promise<string>((resolve) => {
    socket.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      if (text.includes('\n') || text.length > longestAnswer) resolve(text);
    });
    socket.once('close', () => {
      resolve(text);
    });
  });
  const said = await Promise.race([line, pause(patienceMs, '', { ref: false })]);
  try {
    return holder.parse(JSON.parse(said));
  } catch {
    return null;
  }
}
