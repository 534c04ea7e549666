import { createPrivateKey, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { link, rm, writeFile } from 'node:fs/promises';
import { BlockList } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type * as X509 from '@peculiar/x509';
import { FarmError } from '../../errors.ts';
import { makeOwnFolder } from '../../own-path.ts';
import { stateFolder } from '../../project.ts';
import { openRegularFile, readBounded } from '../../regular-file.ts';
import type { PageCertificate } from '../../server/page-server.ts';

/** The farm's own certificate authority, which devices trust once. */
interface OwnAuthority {
  /** In PEM, as its key. */
  readonly certificate: string;
  readonly key: string;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

const dayMs = 86_400_000;

/** Devices trust it by hand, each of them again when it ends. */
const authorityDays = 3650;

/** Apple's systems refuse a certificate of 398 days and more. The farm makes a new one at each start. */
const leafDays = 390;

/**
 * All that the authority can vouch for: a thief of its key can pose as no site of the internet.
 * Addresses that routers hand out (RFC 1918, 3927, 6598), those of test networks (RFC 2544, 5737),
 * and this machine's own.
 */
const ranges: readonly (readonly [address: string, bits: number])[] = [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['192.0.2.0', 24],
  ['198.18.0.0', 15],
];
const names = 'local';

/**
 * Makes a certificate of the farm's own authority for an address of this machine, and the authority
 * when it is missing. @throws FarmError `bad-argument` for a public address, `setup-failed` for
 * an authority that cannot be used
 */
export async function issueCertificate(address: string): Promise<PageCertificate> {
  if (!isPrivate(address)) {
    throw new FarmError('bad-argument', {
      what: `${address} is a public address, and the farm’s own authority vouches for private ones alone.`,
      next: 'Use a certificate for it: --tls-cert FILE --tls-key FILE.',
    });
  }
  const authority = await openAuthority(join(stateFolder(), 'tls'));
  const { x509, crypto } = await loadLibrary();
  const above = new x509.X509Certificate(authority.certificate);
  const der = createPrivateKey(authority.key).export({ type: 'pkcs8', format: 'der' });
  const signingKey = await crypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
  const keys = await makeKeys(crypto);
  const own = await x509.X509CertificateGenerator.create({
    ...validFor(leafDays, above.notAfter),
    // Not the address: OpenSSL holds what looks like a host's name against the permitted names.
    subject: [{ CN: ['crossfarm pages'] }],
    issuer: above.subjectName,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: address }]),
      await x509.AuthorityKeyIdentifierExtension.create(above.publicKey),
    ],
  });
  return {
    certificate: `${own.toString('pem')}\n${authority.certificate}`,
    key: await exportKey(crypto, keys.privateKey),
    authority: { certificate: authority.certificate },
  };
}

function isPrivate(address: string): boolean {
  const list = new BlockList();
  for (const [network, bits] of ranges) list.addSubnet(network, bits);
  return list.check(address);
}

async function openAuthority(folder: string): Promise<OwnAuthority> {
  const file = join(folder, 'authority.pem');
  return (await readAuthority(file)) ?? makeAuthority(folder, file);
}

/** Null without a file. @throws FarmError `setup-failed` */
async function readAuthority(file: string): Promise<OwnAuthority | null> {
  const text = await readOwnFile(file);
  if (text === null) return null;
  const [key, certificate] = ['PRIVATE KEY', 'CERTIFICATE'].map((kind) => findBlock(text, kind));
  const why = whyUnusable(key, certificate);
  if (why === null && key !== undefined && certificate !== undefined) return { certificate, key };
  throw unusable(file, why ?? 'it is damaged');
}

function whyUnusable(key: string | undefined, pem: string | undefined): string | null {
  if (key === undefined || pem === undefined) return 'it is damaged';
  try {
    const certificate = new X509Certificate(pem);
    if (!certificate.checkPrivateKey(createPrivateKey(key))) return 'its key is of another one';
    // A certificate ends with its authority at the latest, and a run takes some days at most.
    const left = Date.parse(certificate.validTo) - Date.now();
    return left < 30 * dayMs ? `it ends on ${certificate.validTo}` : null;
  } catch {
    return 'it is damaged';
  }
}

function findBlock(text: string, kind: string): string | undefined {
  return new RegExp(`-----BEGIN ${kind}-----[^-]+-----END ${kind}-----\n?`).exec(text)?.[0];
}

/** @throws FarmError `setup-failed` for a file that others may read, and for a folder, link or device */
async function readOwnFile(path: string): Promise<string | null> {
  try {
    const file = await openRegularFile(path);
    try {
      const { mode, uid } = await file.stat();
      const own = process.getuid?.();
      if (own !== undefined && uid !== own) throw unusable(path, 'it is another user’s');
      // Windows has no such modes.
      if (own !== undefined && (mode & 0o077) !== 0) {
        throw unusable(path, 'others may read it, and its key may be known');
      }
      return (await readBounded(file, 64 * 1024)).toString('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error instanceof FarmError ? error : unusable(path, (error as Error).message);
  }
}

function unusable(file: string, why: string): FarmError {
  return new FarmError('setup-failed', {
    what: `The farm’s certificate authority, ${file}, cannot be used: ${why}.`,
    next: 'Remove the file: the farm makes a new authority, which each device has to trust again.',
  });
}

/** Where another farm was quicker, its authority is taken. */
async function makeAuthority(folder: string, file: string): Promise<OwnAuthority> {
  const { x509, crypto } = await loadLibrary();
  const keys = await makeKeys(crypto);
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    ...validFor(authorityDays),
    name: [{ CN: [`crossfarm on ${hostname().slice(0, 40)}`] }],
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      new x509.Extension(nameConstraints, true, permittedNames()),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const authority = {
    certificate: `${made.toString('pem')}\n`,
    key: await exportKey(crypto, keys.privateKey),
  };
  await makeOwnFolder(folder, { mode: 0o700 });
  const half = `${file}.${randomBytes(4).toString('hex')}.half`;
  try {
    await writeFile(half, authority.key + authority.certificate, { mode: 0o600, flag: 'wx' });
    await link(half, file);
    return authority;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return (await readAuthority(file)) ?? authority;
  } finally {
    await rm(half, { force: true });
  }
}

const nameConstraints = '2.5.29.30';

/** NameConstraints of RFC 5280, 4.2.1.10, with permitted subtrees alone; each length is below 128. */
function permittedNames(): Buffer {
  const tagged = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
    const body = Buffer.concat(parts);
    return Buffer.concat([Buffer.from([tag, body.length]), body]);
  };
  const bytesOf = (address: string): Buffer => Buffer.from(address.split('.').map(Number));
  const maskOf = (bits: number): Buffer => {
    const mask = Buffer.alloc(4);
    mask.writeUInt32BE((0xffff_ffff << (32 - bits)) >>> 0);
    return mask;
  };
  const subtrees = [
    // A dNSName and iPAddresses, each in a GeneralSubtree.
    tagged(0x82, Buffer.from(names)),
    ...ranges.map(([address, bits]) => tagged(0x87, bytesOf(address), maskOf(bits))),
  ].map((name) => tagged(0x30, name));
  return tagged(0x30, tagged(0xa0, ...subtrees));
}

/** From yesterday on, as a device's clock may be late. */
function validFor(
  days: number,
  atMost?: Date,
): {
  readonly serialNumber: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly signingAlgorithm: typeof algorithm;
} {
  const notBefore = new Date(Date.now() - dayMs);
  const end = notBefore.getTime() + days * dayMs;
  return {
    // Positive, as the standard wants it.
    serialNumber: `01${randomBytes(15).toString('hex')}`,
    notBefore,
    notAfter: new Date(Math.min(end, atMost?.getTime() ?? end)),
    signingAlgorithm: algorithm,
  };
}

async function makeKeys(crypto: webcrypto.Crypto): Promise<webcrypto.CryptoKeyPair> {
  return (await crypto.subtle.generateKey(algorithm, true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair;
}

async function exportKey(crypto: webcrypto.Crypto, key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', key));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString();
}

/** Loaded for a certificate alone. */
async function loadLibrary(): Promise<{
  readonly x509: typeof X509;
  readonly crypto: webcrypto.Crypto;
}> {
  // The library wants it to be there first.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto);
  return { x509, crypto: webcrypto };
}
