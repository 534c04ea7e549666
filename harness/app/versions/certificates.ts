import { createHash, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect, rootCertificates } from 'node:tls';
import { errorText, FarmError } from '../../errors.ts';

/** A file of its certificates, and what it holds. */
interface Authority {
  readonly path: string;
  readonly pem: string;
}

/**
 * The keys of the server's certificate and of its authority, once that is seen to have signed it.
 * @throws FarmError `bad-argument`
 */
export async function keysBehind(
  url: string,
  { path, pem }: Authority,
): Promise<readonly string[]> {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  try {
    if (blocks.length === 0) throw new Error('the file has no certificate in the form of PEM');
    const authorities = blocks.map((block) => new X509Certificate(block));
    const own = await certificateOf(url, { host, trusted: [...rootCertificates, ...blocks] });
    return [...new Set([own, ...authorities].map(keyOf))];
  } catch (error) {
    throw new FarmError('bad-argument', {
      what: `The certificate of ${new URL(url).host} does not come from ${path}: ${errorText(error)}.`,
      next: 'Check the file; a self-signed certificate is its own authority. --insecure takes any.',
    });
  }
}

const answerMs = 10_000;

function certificateOf(
  url: string,
  { host, trusted }: { readonly host: string; readonly trusted: string[] },
): Promise<X509Certificate> {
  const port = Number(new URL(url).port || 443);
  return new Promise((resolve, reject) => {
    const name = isIP(host) === 0 ? { servername: host } : {};
    const socket = connect({ host, port, ca: trusted, ...name }, () => {
      const found = socket.getPeerX509Certificate();
      socket.destroy();
      if (found === undefined) reject(new Error('it shows none'));
      else resolve(found);
    });
    socket.setTimeout(answerMs, () => socket.destroy(new Error('no answer within 10 s')));
    socket.once('error', reject);
  });
}

/** As Chromium names a key. */
function keyOf({ publicKey }: X509Certificate): string {
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest('base64');
}
