import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * The network between a host and its server: a port that passes everything on, until it is cut.
 * While it is cut nothing passes and no side hears of it, as behind a pulled cable.
 */
export class SeverableLink {
  readonly #to: number;
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  /** Connections that began while it was cut: each client gives up in its own time. */
  readonly #unanswered = new Set<Socket>();
  #isCut = false;

  private constructor(to: number) {
    this.#to = to;
    this.#server = createServer((socket) => {
      this.#pass(socket);
    });
  }

  static async open(to: number): Promise<SeverableLink> {
    const link = new SeverableLink(to);
    link.#server.listen(0, '127.0.0.1');
    await once(link.#server, 'listening');
    return link;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  cut(): void {
    this.#isCut = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.pause();
  }

  /** What was on its way arrives. */
  mend(): void {
    this.#isCut = false;
    for (const pair of this.#pairs) for (const socket of pair) socket.resume();
    for (const socket of this.#unanswered) socket.destroy();
    this.#unanswered.clear();
  }

  /** Ends all connections at once, as a router does that restarts. */
  reset(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  close(): void {
    this.mend();
    this.reset();
    this.#server.close();
  }

  #pass(socket: Socket): void {
    socket.on('error', () => undefined);
    if (this.#isCut) {
      this.#unanswered.add(socket.pause());
      return;
    }
    const onward = connect(this.#to, '127.0.0.1').on('error', () => undefined);
    const pair = [socket, onward] as const;
    this.#pairs.add(pair);
    for (const [from, to] of [pair, [onward, socket] as const]) {
      from.on('data', (bytes: Buffer) => to.write(bytes));
      from.once('close', () => {
        to.destroy();
        this.#pairs.delete(pair);
      });
    }
  }
}
