import { createServer, type Server, type Socket } from 'node:net';
import type { AdbStream } from './adb-stream.ts';

export interface ReverseSetting {
  /** The address of this machine that stands for the device's loopback. */
  readonly loopback: string;
  /** Asks adb's server for a stream to one of its ports. */
  readonly open: (destination: string) => AdbStream;
}

/** Forwards of `adb reverse`: from ports of the device to ports of adb's machine. */
export class ReversePorts {
  readonly #setting: ReverseSetting;
  readonly #servers = new Map<string, { readonly server: Server; readonly to: string }>();
  readonly #sockets = new Set<Socket>();

  constructor(setting: ReverseSetting) {
    this.#setting = setting;
  }

  /** Answers one request, `forward:tcp:1;tcp:2`, in the words of adb's own daemon. */
  async answer(request: string): Promise<string> {
    const [, from, to] = /^forward:(?:norebind:)?(tcp:\d+);(tcp:\d+)$/.exec(request) ?? [];
    if (from !== undefined && to !== undefined) return this.#listen(from, to);
    const removed = /^killforward:(tcp:\d+)$/.exec(request)?.[1];
    if (removed !== undefined) return this.#remove(removed);
    if (request === 'killforward-all') {
      await this.close();
      return 'OKAY';
    }
    if (request === 'list-forward') return withLength(this.#list());
    return `FAIL${withLength(`cannot do ${request}`)}`;
  }

  async close(): Promise<void> {
    for (const from of [...this.#servers.keys()]) await this.#remove(from);
    for (const socket of this.#sockets) socket.destroy();
  }

  async #listen(from: string, to: string): Promise<string> {
    await this.#remove(from);
    const server = createServer((socket) => {
      this.#connect(socket, to);
    });
    const port = Number(from.slice('tcp:'.length));
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, this.#setting.loopback, resolve);
      });
    } catch (error) {
      return `FAIL${withLength(`cannot bind listener: ${String(error)}`)}`;
    }
    this.#servers.set(from, { server, to });
    return 'OKAY';
  }

  #connect(socket: Socket, to: string): void {
    this.#sockets.add(socket);
    const stream = this.#setting.open(to);
    socket.on('data', (data: Buffer) => {
      stream.write(data);
    });
    socket.on('close', () => {
      this.#sockets.delete(socket);
      stream.end();
    });
    socket.on('error', () => socket.destroy());
    stream.handler = {
      onData: (data) => socket.write(data),
      onClose: () => socket.end(),
    };
  }

  async #remove(from: string): Promise<string> {
    const known = this.#servers.get(from);
    if (known === undefined) return `FAIL${withLength(`listener '${from}' not found`)}`;
    this.#servers.delete(from);
    // Connections that are open go on, as they do on a phone.
    known.server.close();
    return Promise.resolve('OKAY');
  }

  #list(): string {
    return [...this.#servers].map(([from, { to }]) => `(reverse) ${from} ${to}\n`).join('');
  }
}

function withLength(text: string): string {
  return text.length.toString(16).padStart(4, '0') + text;
}
