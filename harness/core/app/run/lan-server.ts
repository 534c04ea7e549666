import { resolve } from 'node:path';
import { type Device, pagesOf, type Presence } from '../../model/device.ts';
import type { ExternalFolders } from '../../server/files.ts';
import { type PageServer, startPageServer } from '../../server/page-server.ts';
import { isOverTls, openCertificate, type TlsOptions } from '../tls/certificate.ts';
import { lanAddress, lanAddressTowards } from './lan-address.ts';

/** A device's `pages` for this machine's own address in the local network. */
export const lan = 'lan';

/** Name of the host that asks for a device's pages; null where it is not known. */
export function findAskingHost({ server }: Pick<Device, 'server'>): string | null {
  return server === undefined ? null : new URL(server).hostname;
}

function findAddress(towards: string | null): string | Promise<string> {
  return towards === null ? lanAddress(true) : lanAddressTowards(towards);
}

/** Checks before any work that the pages of all devices can be served. @throws FarmError as `openCertificate` */
export async function requireLanCertificate(
  presences: readonly Presence[],
  options: TlsOptions,
): Promise<void> {
  if (!isOverTls(options)) return;
  const found = presences.filter(
    ({ status, device }) => status === 'found' && pagesOf(device) === lan,
  );
  const hosts = new Set(found.map(({ device }) => findAskingHost(device)));
  for (const host of hosts) await openCertificate(options, await findAddress(host));
}

interface LanServerOptions extends TlsOptions {
  readonly pages: string;
  readonly externals?: ExternalFolders;
  readonly say: (sentence: string) => void;
}

/**
 * Starts a page server on the address of this machine that a host of the local network reaches, any
 * where it is null. It is separate from the run's own, so that the pages of this machine's browsers
 * stay secure contexts.
 */
export async function startLanServer(
  { pages, externals = new Map(), say, ...options }: LanServerOptions,
  towards: string | null,
): Promise<PageServer> {
  const host = await findAddress(towards);
  const tls = await openCertificate(options, host);
  const place = { pages: resolve(pages), port: 0, host, tls };
  const server = await startPageServer({ ...place, guests: externals });
  say(`pages are served in the local network at ${server.origin}`);
  const { trust } = server;
  if (trust !== undefined)
    say(`devices learn to trust them at ${trust.origin} (SHA-256 ${trust.fingerprint})`);
  return server;
}
