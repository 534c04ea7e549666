import { createPrivateKey, webcrypto, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { expect, test } from '@playwright/test';
import { stateFolder } from '../../project.ts';
import { useOwnState } from '../../../testing/own-state.ts';
import { issueCertificate } from './authority.ts';

useOwnState();

const address = '192.168.1.7';
const file = (): string => join(stateFolder(), 'tls', 'authority.pem');

/** Connects to a server with this certificate. @returns why it is not trusted, or null */
async function whyDistrusted(
  { certificate: cert, key }: { readonly certificate: string; readonly key: string },
  { ca, name }: { readonly ca: string; readonly name: string },
): Promise<string | null> {
  const server = createServer({ cert, key }, (socket) => socket.end());
  server.on('tlsClientError', () => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise((resolve) => {
      // Asked for by an address no name is sent, and the certificate is held against the address.
      const host = /[a-z]/.test(name) ? { servername: name } : {};
      const socket = connect({
        host: '127.0.0.1',
        port,
        ca,
        ...host,
        checkServerIdentity: () => undefined,
      });
      socket.once('error', (error) => {
        resolve(error.message);
      });
      socket.once('secureConnect', () => {
        socket.destroy();
        resolve(null);
      });
    });
  } finally {
    server.close();
  }
}

test('makes the authority once, for its user alone, and a certificate at each start', async () => {
  const [one, two] = [await issueCertificate(address), await issueCertificate('10.0.0.3')];
  expect(one.authority).toEqual(two.authority);
  expect(one.key).not.toBe(two.key);
  const { mode } = await stat(file());
  expect(mode & 0o777).toBe(0o600);
  const leaf = new X509Certificate(one.certificate);
  const authority = new X509Certificate(one.authority!.certificate);
  expect(leaf.checkIP(address)).toBe(address);
  expect(leaf.checkIP('10.0.0.3')).toBeUndefined();
  expect([leaf.ca, authority.ca]).toEqual([false, true]);
  expect(leaf.checkIssued(authority) && leaf.verify(authority.publicKey)).toBe(true);
  // iOS refuses what is valid for longer than 398 days, or for other purposes than a server's.
  const days = (Date.parse(leaf.validTo) - Date.parse(leaf.validFrom)) / 86_400_000;
  expect(days).toBeLessThanOrEqual(398);
  expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
});

test('only a client that trusts its authority trusts it', async () => {
  const own = await issueCertificate('127.0.0.1');
  const ca = own.authority!.certificate;
  expect(await whyDistrusted(own, { ca, name: '127.0.0.1' })).toBeNull();
  process.env['XDG_STATE_HOME'] = join(stateFolder(), 'of-another');
  const another = await issueCertificate('127.0.0.1');
  expect(await whyDistrusted(another, { ca, name: '127.0.0.1' })).toMatch(
    /self-signed|signature|issuer/,
  );
});

test('a stolen key of the authority vouches for no site of the internet @attack', async () => {
  const { authority } = await issueCertificate(address);
  const stolen = createPrivateKey(await readFile(file(), 'utf8'));
  const x509 = await import('@peculiar/x509');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const der = stolen.export({ type: 'pkcs8', format: 'der' });
  const signingKey = await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const { subjectName: issuer } = new x509.X509Certificate(authority!.certificate);
  const forge = async (type: 'dns' | 'ip', value: string): Promise<string | null> => {
    const forged = await x509.X509CertificateGenerator.create({
      subject: 'CN=x',
      issuer,
      publicKey: keys.publicKey,
      signingKey,
      signingAlgorithm: algorithm,
      extensions: [new x509.SubjectAlternativeNameExtension([{ type, value }])],
    });
    const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
    const pem = `-----BEGIN PRIVATE KEY-----\n${key.toString('base64')}\n-----END PRIVATE KEY-----\n`;
    const pair = { certificate: forged.toString('pem'), key: pem };
    return whyDistrusted(pair, { ca: authority!.certificate, name: value });
  };
  expect(await forge('dns', 'farm.local')).toBeNull();
  expect(await forge('dns', 'bank.example')).toMatch(/permitted subtree/);
  expect(await forge('ip', '93.184.216.34')).toMatch(/permitted subtree/);
});

test('vouches for no public address', async () => {
  await expect(issueCertificate('93.184.216.34')).rejects.toMatchObject({
    code: 'bad-argument',
    next: expect.stringContaining('--tls-cert'),
  });
});

test('refuses an authority that others may read, that is damaged, or no file', async () => {
  await issueCertificate(address);
  await chmod(file(), 0o644);
  await expect(issueCertificate(address)).rejects.toThrow(/others may read it/);
  await chmod(file(), 0o600);
  const text = await readFile(file(), 'utf8');
  for (const damaged of ['', text.slice(0, 100), text.replace(/CERTIFICATE/g, 'CERT')]) {
    await writeFile(file(), damaged);
    await expect(issueCertificate(address)).rejects.toThrow(/authority\.pem.*it is damaged/);
  }
  process.env['XDG_STATE_HOME'] = join(stateFolder(), 'other');
  await mkdir(file(), { recursive: true });
  await expect(issueCertificate(address)).rejects.toMatchObject({
    code: 'setup-failed',
    message: expect.stringContaining('it is not a file'),
    next: expect.stringContaining('trust again'),
  });
});

test('farms that begin at one time have one authority', async () => {
  const all = await Promise.all(
    [1, 2, 3].map((last) => issueCertificate(`10.0.0.${String(last)}`)),
  );
  expect(new Set(all.map(({ authority }) => authority?.certificate)).size).toBe(1);
});
