import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** Paths of the farm below the origin of a foreign page; all else there is the page's. */
const reserved = '/.crossfarm/';

/** Route of the page server's empty page, and its path at an origin. */
export const emptyRoute = '/empty';
export const emptyPage = `${reserved}empty`;

/** A session opens a page twice at most, and few sessions live at one time. */
const mostOpen = 16;

/** A browser opens six to one host. */
const mostConnections = 64;

/** An origin at which a folder of pages stands alone. */
interface OwnOrigin {
  readonly origin: string;
  readonly port: number;
  /** The folder's name below `/guest/`. */
  readonly mount: string;
  readonly server: Server;
  /** Of the trial that its page is opened for. */
  token: string | null;
  /** A driver has the farm's script run before those of its pages, which are served without. */
  isBare: boolean;
}

/** The page server that the origins belong to. */
interface Site {
  /** Address of this machine to listen on. */
  readonly address: string;
  readonly originAt: (port: number) => string;
  readonly accept: (socket: Socket) => void;
}

/**
 * Separate origins for foreign pages: each has its folder at `/`, as a separate server would,
 * shares no storage with another, and needs no token in its address. Their connections are handed
 * to the page server, which knows by the port what is meant.
 */
export class OwnOrigins {
  readonly #open = new Map<string, OwnOrigin>();
  readonly #site: Site;

  constructor(site: Site) {
    this.#site = site;
  }

  /** The origin of a folder in a session: the same one each time, so that what a browser has kept is found. */
  async at(mount: string, session: string): Promise<string> {
    const key = `${session} ${mount}`;
    const known = this.#open.get(key);
    if (known !== undefined) return known.origin;
    const { address, originAt, accept } = this.#site;
    const server = createServer(accept);
    server.maxConnections = mostConnections;
    server.listen(0, address);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const origin = originAt(port);
    this.#open.set(key, { origin, port, mount, server, token: null, isBare: false });
    const [oldest] = this.#open;
    if (oldest !== undefined && this.#open.size > mostOpen) {
      oldest[1].server.close();
      this.#open.delete(oldest[0]);
    }
    return origin;
  }

  /** The one that a request came to; undefined for the page server's own. */
  ofPort(port: number | undefined): OwnOrigin | undefined {
    return [...this.#open.values()].find((one) => one.port === port);
  }

  /** The one that an address lies in; undefined for the page server's own, or none. */
  ofAddress(url: string): OwnOrigin | undefined {
    return [...this.#open.values()].find(({ origin }) => url.startsWith(`${origin}/`));
  }

  /** The target of a request to the page server. */
  rewrite({ url = '/', socket }: IncomingMessage): string {
    if (url.startsWith(reserved)) return url.slice(reserved.length - 1);
    const own = this.ofPort(socket?.localPort);
    return own === undefined ? url : `/guest/${own.mount}${url}`;
  }

  close(): void {
    for (const { server } of this.#open.values()) server.close();
    this.#open.clear();
  }
}
