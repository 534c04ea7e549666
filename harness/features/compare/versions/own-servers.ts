import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { execa } from 'execa';
import getPort from 'get-port';
import { FarmError } from '../../../core/errors.ts';
import type { ExternalPlace } from '../../../core/model/case.ts';
import { plain } from '../../../core/run/progress/plain-text.ts';
import { endingAllItStarts } from '../../../core/session/marked-command.ts';
import type { Caller } from '../../../core/app/caller.ts';
import { withoutRepository } from './git.ts';

/** The server that each version brings itself, as its user asked for it. */
export interface ServerOptions {
  /** A command of the user's shell; `{port}` stands for the port, which `PORT` has, too. */
  readonly server?: string;
  /** The page's address, with `{port}`. */
  readonly url?: string;
}

/** How the server of a version is started, and where its page then is. */
export interface ServerCommand {
  readonly command: string;
  readonly url: string;
}

/**
 * Reads `--server` and `--url`; null without them.
 * @throws FarmError `bad-argument` for one without the other, or a malformed address
 */
export function readServer({ server, url }: ServerOptions): ServerCommand | null {
  if (server === undefined && url === undefined) return null;
  const next =
    "Such as: --server 'npm run preview -- --port {port}' --url 'http://localhost:{port}/'";
  if (server === undefined || url === undefined) {
    const [given, missing] = server === undefined ? ['--url', '--server'] : ['--server', '--url'];
    throw new FarmError('bad-argument', { what: `${given} needs ${missing}.`, next });
  }
  if (!url.includes('{port}')) {
    throw new FarmError('bad-argument', {
      what: `--url ${url} lacks {port}: each version's server gets another port.`,
      next,
    });
  }
  const address = addressAt(url, 1);
  const isAddress = URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
  if (!isAddress || new URL(address).port !== '1') {
    throw new FarmError('bad-argument', {
      what: `--url ${url} is not the address of a page.`,
      next,
    });
  }
  return { command: server, url };
}

/** The address of the page where its server has this port. */
export function addressAt(url: string, port: number): string {
  return url.replaceAll('{port}', String(port));
}

/** A version whose server is started in its folder. */
export interface ServedVersion {
  readonly name: string;
  readonly folder: string;
}

/** Where the page of a version is while its server runs. */
export interface VersionAtUrl {
  readonly name: string;
  readonly kind: 'url';
  readonly place: Extract<ExternalPlace, { readonly kind: 'url' }>;
}

interface Using<T> {
  readonly caller: Caller;
  readonly use: (versions: readonly VersionAtUrl[]) => Promise<T>;
  /** The longest wait until a server listens, in milliseconds. */
  readonly deadlineMs?: number;
}

/**
 * Starts the server of each version, one after the other, and ends them all with everything that they
 * have started when `use` has ended.
 * @throws FarmError `bad-argument` with the last words of a server that ends, or does not listen in time
 */
export async function withServers<T>(
  versions: readonly ServedVersion[],
  how: ServerCommand,
  { caller, use, deadlineMs = 60_000 }: Using<T>,
): Promise<T> {
  const stop = new AbortController();
  const signal = AbortSignal.any([caller.signal, stop.signal]);
  const started: OwnServer[] = [];
  try {
    for (const version of versions) {
      started.push(await startServer(version, how, { ...caller, signal, deadlineMs }));
    }
    return await use(started.map(({ version }) => version));
  } finally {
    stop.abort();
    await Promise.all(started.map(({ ended }) => ended));
  }
}

/** A port may be taken between the look for a free one and the server's start. */
const mostAttempts = 3;

interface Starting extends Caller {
  readonly deadlineMs: number;
}

async function startServer(
  { name, folder }: ServedVersion,
  how: ServerCommand,
  { signal, say, deadlineMs }: Starting,
): Promise<OwnServer> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await getPort();
    const command = addressAt(how.command, port);
    say(`${name}: ${command}`);
    const url = addressAt(how.url, port);
    const server = new OwnServer({ name, folder, command, port, url }, signal);
    const why = await server.awaitListening(deadlineMs);
    if (why === null) {
      server.sayIfItEnds(say);
      return server;
    }
    await server.end();
    signal.throwIfAborted();
    if (attempt < mostAttempts && /EADDRINUSE|address already in use/i.test(why)) continue;
    throw new FarmError('bad-argument', {
      what: `The server of ${name} ${why}`,
      about: [name],
      next: `Run it by hand in a fresh copy: PORT=${String(port)} ${command}. In --server, {port} stands for the port.`,
    });
  }
}

interface ServerFacts extends ServedVersion {
  readonly command: string;
  readonly port: number;
  readonly url: string;
}

/** How much of what a server has printed is kept, in characters. */
const mostKept = 4000;

/** Between two attempts to connect. */
const connectEveryMs = 100;

/** A server that runs until `close`, or ends by itself. */
class OwnServer {
  readonly version: VersionAtUrl;
  readonly ended: Promise<void>;
  readonly #facts: ServerFacts;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  #printed = '';
  /** How it ended by itself; null while it runs. */
  #end: string | null = null;

  constructor(facts: ServerFacts, signal: AbortSignal) {
    const { name, folder, command, port, url } = facts;
    this.#facts = facts;
    this.version = { name, kind: 'url', place: { kind: 'url', url } };
    this.#signal = AbortSignal.any([signal, this.#stop.signal]);
    const ran = endingAllItStarts(this.#signal, (marks) => {
      const child = execa(command, {
        cwd: folder,
        shell: true,
        stdin: 'ignore',
        all: true,
        buffer: false,
        reject: false,
        // Servers of pages may open a browser.
        env: { ...marks, ...withoutRepository, PORT: String(port), BROWSER: 'none' },
      });
      child.all.setEncoding('utf8').on('data', (text: string) => {
        this.#printed = (this.#printed + text).slice(-mostKept);
      });
      return child;
    });
    this.ended = ran.then(
      ({ exitCode, signal: by }) => {
        this.#end = `ended with ${by ?? `code ${String(exitCode ?? 'unknown')}`}`;
      },
      () => undefined,
    );
  }

  /** @returns null once it listens; else why it does not, with its last words */
  async awaitListening(deadlineMs: number): Promise<string | null> {
    const until = performance.now() + deadlineMs;
    while (!this.#signal.aborted) {
      if (await canConnect(this.#facts.url)) {
        // A stranger may listen where it could not.
        await pause(connectEveryMs, undefined, { signal: this.#signal }).catch(() => undefined);
        if (this.#end === null) return null;
      }
      if (this.#end !== null) return `${this.#end} before it listened${this.#lastWords()}`;
      if (performance.now() > until) {
        const seconds = String(Math.round(deadlineMs / 1000));
        return `does not listen on port ${String(this.#facts.port)} after ${seconds} s${this.#lastWords()}`;
      }
      await pause(connectEveryMs, undefined, { signal: this.#signal }).catch(() => undefined);
    }
    return 'was stopped';
  }

  /** Says so if it ends before it is told to. */
  sayIfItEnds(say: Caller['say']): void {
    void this.ended.then(() => {
      if (this.#signal.aborted || this.#end === null) return;
      say(`the server of ${this.#facts.name} ${this.#end}${this.#lastWords()}`);
    });
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.ended;
  }

  #lastWords(): string {
    const lines = this.#printed.split('\n').map(plain);
    const said = lines.filter((line) => line.trim() !== '').slice(-15);
    return said.length === 0 ? ', and it has said nothing' : `:\n${said.join('\n')}`;
  }
}

/** True if something accepts connections there. */
function canConnect(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) });
    const settle = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.setTimeout(2000, () => {
      settle(false);
    });
    socket.once('connect', () => {
      settle(true);
    });
    socket.once('error', () => {
      settle(false);
    });
  });
}
