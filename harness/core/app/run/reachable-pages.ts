import { FarmError } from '../../errors.ts';
import { type Device, pagesOf, type Presence, type Target } from '../../model/device.ts';
import type { RunnerSession } from '../../run/session-keeper.ts';
import { reachedAt, type PageServer } from '../../server/page-server.ts';
import { findAskingHost, lan } from './lan-server.ts';

/** Lists the addresses at which browsers of other machines ask for this machine's pages. */
export function listPublicOrigins(presences: readonly Presence[]): readonly string[] {
  const pages = presences.flatMap(({ device }) => pagesOf(device) ?? []);
  return [...new Set(pages.filter((one) => one !== lan).map((one) => new URL(one).origin))];
}

/** @throws FarmError `bad-argument` when other machines could not know the port. */
export function refuseUnknownPort(publicOrigins: readonly string[], port: number): void {
  const [first] = publicOrigins;
  if (first === undefined || port !== 0) return;
  throw new FarmError('bad-argument', {
    what: `A device reaches the pages at ${first}, which leads to a port of this machine, and any free one would be taken.`,
    next: 'Say which it leads to, such as --port 8700.',
  });
}

interface OwnServers {
  /** The run's own page server. */
  readonly server: PageServer;
  /** Starts another one on the address of this machine that a host in the local network reaches; null: any. */
  readonly startLanServer: (towards: string | null) => Promise<PageServer>;
}

/** The page servers of sessions on other machines. Each started one ends with the run. */
export class ReachablePages {
  readonly #own: OwnServers;
  /** By the host that reaches it. */
  readonly #lanServers = new Map<string | null, Promise<PageServer>>();

  constructor(own: OwnServers) {
    this.#own = own;
  }

  /** The started session with a page server that its browser reaches; unchanged where it reaches the run's. */
  async equip({ device }: Target, start: () => Promise<RunnerSession>): Promise<RunnerSession> {
    const pages = pagesOf(device);
    if (device.remote === undefined && pages === undefined) return start();
    const server = await this.#serverAt(pages, device);
    return { ...(await start()), server };
  }

  async close(): Promise<void> {
    // One that could not be started failed its trials already.
    const started = await Promise.allSettled(this.#lanServers.values());
    for (const one of started) if (one.status === 'fulfilled') await one.value.close();
  }

  #serverAt(pages: string | undefined, device: Device): Promise<PageServer> {
    const { server, startLanServer } = this.#own;
    if (pages === undefined) return Promise.resolve(server);
    if (pages !== lan) return Promise.resolve(reachedAt(server, new URL(pages).origin));
    const towards = findAskingHost(device);
    const known = this.#lanServers.get(towards) ?? startLanServer(towards);
    this.#lanServers.set(towards, known);
    return known;
  }
}
