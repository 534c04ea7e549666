import { createPrivateKey, generateKeyPairSync, webcrypto, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { aFolderOf } from '../../../testing/folder.ts';
import { farmInProcess } from '../../../testing/in-process-farm.ts';
import { useOwnState } from '../../../testing/own-state.ts';
import { openCertificate, readCertificate } from './certificate.ts';

useOwnState();

interface Pair {
  readonly certificate: string;
  readonly key: string;
}

const dayMs = 86_400_000;

/** A certificate that signs itself, valid for some days from now on. */
async function makePair(names: readonly string[], days = 10): Promise<Pair> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const isAddress = (name: string): boolean => /^[\d.]+$/.test(name);
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=own',
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(Date.now() - 20 * dayMs),
    notAfter: new Date(Date.now() + days * dayMs),
    extensions: [
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isAddress(value) ? 'ip' : 'dns', value }) as const),
      ),
    ],
  });
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return {
    certificate: made.toString('pem'),
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

async function optionsFor({
  certificate,
  key,
}: Pair): Promise<{ tlsCert: string; tlsKey: string }> {
  const folder = await aFolderOf({ 'own.crt': certificate, 'own.key': key });
  return { tlsCert: join(folder, 'own.crt'), tlsKey: join(folder, 'own.key') };
}

test('takes the certificate of the owner, by the name that it is for', async () => {
  const byAddress = await optionsFor(await makePair(['farm.example', '192.168.1.7']));
  expect(await openCertificate(byAddress, '192.168.1.7')).not.toHaveProperty('name');
  expect(await openCertificate(byAddress, '192.168.1.8')).toMatchObject({ name: 'farm.example' });
  const found = await openCertificate(byAddress, '192.168.1.7');
  expect(found).not.toHaveProperty('authority');
  expect(
    new X509Certificate(found!.certificate).checkPrivateKey(createPrivateKey(found!.key)),
  ).toBe(true);
  const ofMany = await optionsFor(await makePair(['*.farm.example']));
  await expect(openCertificate(ofMany, '192.168.1.7')).rejects.toThrow(
    /neither for 192\.168\.1\.7/,
  );
});

test('without an option pages go over plain HTTP', async () => {
  expect(await openCertificate({}, '192.168.1.7')).toBeUndefined();
});

test('refuses a certificate that cannot be used, and says why and what next', async () => {
  const pair = await makePair(['farm.example']);
  const other = await makePair(['farm.example']);
  const weak = generateKeyPairSync('rsa', { modulusLength: 512 }).privateKey;
  const encrypted = createPrivateKey(pair.key).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'x',
  } as const);
  const cases: readonly (readonly [Pair, RegExp])[] = [
    [{ ...pair, key: other.key }, /own\.key: the key is not that of the certificate in .*own\.crt/],
    [await makePair(['farm.example'], -1), /own\.crt: it is valid from .* to /],
    [{ certificate: 'no', key: pair.key }, /own\.crt: it is no certificate in PEM/],
    [{ certificate: pair.key, key: pair.key }, /own\.crt: it is no certificate in PEM/],
    [{ ...pair, key: pair.certificate }, /own\.key: it is no private key in PEM/],
    [
      { ...pair, key: weak.export({ type: 'pkcs8', format: 'pem' }).toString() },
      /own\.key: the key is not/,
    ],
    [{ ...pair, key: encrypted.toString() }, /own\.key: the key takes a passphrase/],
  ];
  for (const [wrong, why] of cases) {
    const refused = readCertificate(await optionsFor(wrong));
    await expect(refused).rejects.toMatchObject({ code: 'bad-argument' });
    await expect(refused).rejects.toThrow(why);
    const text = await refused.catch((error: unknown) => JSON.stringify(error));
    expect(text).not.toContain('PRIVATE KEY');
  }
  const options = await optionsFor(pair);
  for (const place of ['/nowhere/own.crt', '/', '/dev/zero']) {
    await expect(readCertificate({ ...options, tlsCert: place })).rejects.toMatchObject({
      code: 'bad-argument',
    });
  }
  await expect(readCertificate({ tlsCert: options.tlsCert })).rejects.toThrow(/was given alone/);
});

test('a command refuses it before anything starts, and never prints the key', async () => {
  const pair = await makePair(['farm.example'], -1);
  const { tlsCert, tlsKey } = await optionsFor(pair);
  const folder = await aFolderOf({});
  for (const words of [
    ['run'],
    ['compare', 'chromium', 'firefox'],
    ['attend', '--lan'],
    ['serve', '--lan'],
  ]) {
    const { code, stdout, stderr } = await farmInProcess(
      folder,
      ...[...words, '--tls-cert', tlsCert, '--tls-key', tlsKey],
    );
    expect(code, words[0]).toBe(2);
    expect(stderr).toMatch(/--tls-cert .*own\.crt: it is valid from .*\n.*Renew it/);
    expect(stdout + stderr).not.toContain(pair.key.split('\n')[1]);
  }
  expect(existsSync(join(folder, '.farm'))).toBe(false);
});

test('--tls without --lan is refused where devices join', async () => {
  for (const command of ['attend', 'serve']) {
    const { code, stderr } = await farmInProcess(await aFolderOf({}), command, '--tls');
    expect(code, command).toBe(2);
    expect(stderr).toContain('Add --lan');
  }
});
