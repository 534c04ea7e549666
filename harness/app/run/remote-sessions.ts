import { FarmError } from '../../errors.ts';
import type { Presence, Target } from '../../model/device.ts';
import { Nodes } from '../../probes/remote/node/nodes.ts';
import type { RunnerSession } from '../../run/session-keeper.ts';
import { reachedAt, type PageServer } from '../../server/page-server.ts';
import type { LiveSession } from '../../session/session.ts';

/** A device's `pages` for this machine's own address in the local network. */
const lan = 'lan';

/** Lists the addresses at which browsers of other machines ask for this machine's pages. */
export function listPublicOrigins(presences: readonly Presence[]): readonly string[] {
  const pages = presences.flatMap(({ device }) => device.remote?.pages ?? []);
  return [...new Set(pages.filter((one) => one !== lan).map((one) => new URL(one).origin))];
}

/** @throws FarmError `bad-argument` when nobody outside could know which port is meant. */
export function refuseUnknownPort(publicOrigins: readonly string[], port: number): void {
  const [first] = publicOrigins;
  if (first === undefined || port !== 0) return;
  throw new FarmError('bad-argument', {
    what: `A device reaches the pages at ${first}, which leads to a port of this machine, and any free one would be taken.`,
    next: 'Say which it leads to, such as --port 8700.',
  });
}

interface ReusedParts {
  /** The run's own page server. */
  readonly server: PageServer;
  /** Starts another one on this machine's address in the local network. */
  readonly startLanServer: () => Promise<PageServer>;
  readonly nodes?: Nodes;
  readonly signal: AbortSignal;
}

/**
 * Equips sessions on other machines and on phones: each gets a page server that its browser
 * reaches and, on another machine, probes that see it. All of it is ended with the run.
 */
export class RemoteSessions {
  readonly #server: PageServer;
  readonly #startLanServer: () => Promise<PageServer>;
  readonly #nodes: Nodes;
  readonly #signal: AbortSignal;
  #lanServer: Promise<PageServer> | null = null;

  constructor({ server, startLanServer, nodes = new Nodes(), signal }: ReusedParts) {
    this.#server = server;
    this.#startLanServer = startLanServer;
    this.#nodes = nodes;
    this.#signal = signal;
  }

  /** The started session with its equipment; unchanged when its browser is here. */
  async equip({ device }: Target, start: () => Promise<LiveSession>): Promise<RunnerSession> {
    const { remote, phone } = device;
    if (remote === undefined && phone?.pages === undefined) return start();
    const server = await this.#serverAt(remote?.pages ?? phone?.pages);
    // Before the session begins: what runs there already is not of it.
    const outlook = remote === undefined ? {} : await this.#nodes.lookAt(device, this.#signal);
    return { ...(await start()), server, ...outlook };
  }

  async close(): Promise<void> {
    await this.#nodes.close();
    // One that could not be started failed its trials already.
    await (await this.#lanServer?.catch(() => null))?.close();
  }

  #serverAt(pages: string | undefined): Promise<PageServer> {
    if (pages === undefined) return Promise.resolve(this.#server);
    if (pages !== lan) return Promise.resolve(reachedAt(this.#server, new URL(pages).origin));
    this.#lanServer ??= this.#startLanServer();
    return this.#lanServer;
  }
}
