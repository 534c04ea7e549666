import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { errorText, FarmError } from '../../errors.ts';
import type { ServerCertificate } from '../../http-server.ts';
import { openRegularFile, readBounded } from '../../regular-file.ts';
import type { PageCertificate } from '../../server/page-server.ts';

/** How pages for other devices are served: over HTTPS with any of these, else over plain HTTP. */
export interface TlsOptions {
  /** With a certificate of the farm's own authority. */
  readonly tls?: boolean | undefined;
  /** With the owner's certificate, and those between it and its authority: a file in PEM … */
  readonly tlsCert?: string | undefined;
  /** … and that of its key. */
  readonly tlsKey?: string | undefined;
}

/** True if pages for other devices are served over HTTPS. */
export function isOverTls({ tls, tlsCert, tlsKey }: TlsOptions): boolean {
  return tls === true || tlsCert !== undefined || tlsKey !== undefined;
}

/** Takes these options out of all those of a command. */
export function pickTls({ tls, tlsCert, tlsKey }: TlsOptions): TlsOptions {
  return { tls, tlsCert, tlsKey };
}

/** @throws FarmError `bad-argument` where pages stay on this machine, whose browsers need no HTTPS */
export function requireLan(options: TlsOptions & { readonly lan?: string | true }): void {
  if (!isOverTls(options) || options.lan !== undefined) return;
  throw new FarmError('bad-argument', {
    what: '--tls is for devices of the local network, and without --lan none can join.',
    next: 'Add --lan, or leave --tls out: on this machine pages need no HTTPS.',
  });
}

/**
 * The certificate of pages at an address of this machine; undefined where they are served over plain
 * HTTP. @throws FarmError `bad-argument`, or those of `issueCertificate`
 */
export async function openCertificate(
  options: TlsOptions,
  address: string,
): Promise<PageCertificate | undefined> {
  const own = await readCertificate(options);
  if (own === null) {
    if (options.tls !== true) return undefined;
    return (await import('./authority.ts')).issueCertificate(address);
  }
  const { leaf, pem } = own;
  if (leaf.checkIP(address) !== undefined) return pem;
  const name = findName(leaf);
  if (name !== undefined) return { ...pem, name };
  throw new FarmError('bad-argument', {
    what: `The certificate in ${String(options.tlsCert)} is neither for ${address} nor for one name (${(leaf.subjectAltName ?? 'it names nothing').slice(0, 300)}).`,
    next: 'Use one for this address, or for a name that leads to it; or let the farm make one: --tls alone.',
  });
}

/** The first name of one host. */
function findName({ subjectAltName = '' }: X509Certificate): string | undefined {
  return /DNS:([a-z\d][a-z\d.-]*)(?:,|$)/i.exec(subjectAltName)?.[1]?.toLowerCase();
}

interface ReadCertificate {
  readonly leaf: X509Certificate;
  readonly pem: ServerCertificate;
}

/**
 * Reads the owner's certificate and key, and sees that they can be used; null where none is named.
 * @throws FarmError `bad-argument`; it quotes neither file.
 */
export async function readCertificate({
  tlsCert,
  tlsKey,
}: TlsOptions): Promise<ReadCertificate | null> {
  if (tlsCert === undefined && tlsKey === undefined) return null;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new FarmError('bad-argument', {
      what: `${tlsCert === undefined ? '--tls-key' : '--tls-cert'} was given alone.`,
      next: 'A certificate takes its key: --tls-cert FILE --tls-key FILE. --tls alone lets the farm make both.',
    });
  }
  const blocks = readBlocks(await readText('--tls-cert', tlsCert));
  const certificate = blocks.join('');
  const leaf = parse('--tls-cert', tlsCert, () => new X509Certificate(certificate));
  const text = await readText('--tls-key', tlsKey);
  if (text.includes('ENCRYPTED')) {
    throw refuse(
      '--tls-key',
      tlsKey,
      'the key takes a passphrase',
      `Decrypt it: openssl pkey -in ${tlsKey} -out plain.pem`,
    );
  }
  const key = parse('--tls-key', tlsKey, () => createPrivateKey(text));
  if (!leaf.checkPrivateKey(key)) {
    throw refuse('--tls-key', tlsKey, `the key is not that of the certificate in ${tlsCert}`);
  }
  refuseOutdated(leaf, tlsCert);
  const pem = { certificate, key: key.export({ type: 'pkcs8', format: 'pem' }).toString() };
  parse('--tls-cert', tlsCert, () => createSecureContext({ cert: pem.certificate, key: pem.key }));
  return { leaf, pem };
}

function readBlocks(text: string): readonly string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g) ?? [];
}

/** A chain of certificates has some kilobytes. */
const mostBytes = 2 ** 20;

async function readText(option: string, path: string): Promise<string> {
  try {
    const file = await openRegularFile(path);
    try {
      return (await readBounded(file, mostBytes)).toString('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw refuse(option, path, code === 'ENOENT' ? 'no such file' : errorText(error));
  }
}

function parse<T>(option: string, path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const kind = option === '--tls-key' ? 'private key' : 'certificate';
    throw refuse(option, path, `it is no ${kind} in PEM that can be used (${errorText(error)})`);
  }
}

function refuseOutdated({ validFrom, validTo }: X509Certificate, path: string): void {
  const now = Date.now();
  if (now >= Date.parse(validFrom) && now <= Date.parse(validTo)) return;
  const next = 'Renew it, or let the farm make one: --tls alone.';
  throw refuse('--tls-cert', path, `it is valid from ${validFrom} to ${validTo}`, next);
}

function refuse(
  option: string,
  path: string,
  why: string,
  next = 'Name a certificate and its key, both in PEM: --tls-cert FILE --tls-key FILE.',
): FarmError {
  return new FarmError('bad-argument', { what: `${option} ${path}: ${why}.`, next });
}
