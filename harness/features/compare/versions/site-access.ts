import { createHash, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect, rootCertificates } from 'node:tls';
import type { AccessAbilities, Driver, SiteAccess } from '../../../../drivers/driver.ts';
import { errorText, FarmError } from '../../../core/errors.ts';
import type { Presence } from '../../../core/model/device.ts';
import { withoutCredentials } from '../../../core/run/page-answer.ts';
import { whereabouts } from '../../../core/setup/appium.ts';
import { type Access, readSecrets, refuse } from './access.ts';
import type { Version } from './resolve.ts';

/** A file of its certificates, and what it holds. */
interface Authority {
  readonly path: string;
  readonly pem: string;
}

/**
 * The keys of the server's certificate and of its authority, once that is seen to have signed it.
 * @throws FarmError `bad-argument`
 */
async function keysBehind(url: string, { path, pem }: Authority): Promise<readonly string[]> {
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

/**
 * The versions with what lets a browser in at those at URLs; a user in the address of one is its own.
 * @throws FarmError `bad-argument` where no version is at a URL, or a certificate is another's
 */
export async function withAccess(
  versions: readonly Version[],
  { site, arguments: said }: Access,
  ca: string | undefined,
): Promise<readonly Version[]> {
  const [option] = said;
  if (option !== undefined && !versions.some(({ kind }) => kind === 'url')) {
    throw refuse(
      `${option.replace(/ .*/s, '')} is about pages at URLs, and no version is one.`,
      'Leave it out: the farm serves files and folders itself.',
    );
  }
  return Promise.all(
    versions.map(async ({ place, ...version }) => {
      if (place.kind !== 'url') return { ...version, place };
      const { origin, protocol } = new URL(place.url);
      const keys =
        ca !== undefined && protocol === 'https:'
          ? await keysBehind(place.url, { path: ca, pem: readSecrets(ca, { option: '--ca' }) })
          : null;
      const access = {
        origin,
        ...site,
        ...userIn(place.url),
        ...(keys !== null && { certificates: { keys } }),
      };
      const url = withoutCredentials(place.url);
      const isNeeded = Object.keys(access).length > 1;
      return { ...version, place: { kind: 'url', url, ...(isNeeded && { access }) } as const };
    }),
  );
}

function userIn(url: string): Pick<SiteAccess, 'user'> {
  const { username, password } = new URL(url);
  if (username === '' && password === '') return {};
  return { user: { name: decoded(username), password: decoded(password) } };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const optionOf: Readonly<Record<keyof AccessAbilities, string>> = {
  headers: '--header',
  cookies: '--cookie',
  user: '--basic-auth',
  anyCertificate: '--insecure',
  certificateKeys: '--ca',
};

function neededFor(versions: readonly Version[]): readonly (keyof AccessAbilities)[] {
  const all = versions.flatMap(({ place }) => (place.kind === 'url' ? (place.access ?? []) : []));
  const needed = all.flatMap(({ headers, cookies, user, certificates }) => [
    ...(headers === undefined ? [] : ['headers' as const]),
    ...(cookies === undefined ? [] : ['cookies' as const]),
    ...(user === undefined ? [] : ['user' as const]),
    ...(certificates === undefined
      ? []
      : [certificates === 'any' ? ('anyCertificate' as const) : ('certificateKeys' as const)]),
  ]);
  return [...new Set(needed)];
}

/** The presence, or why its driver cannot let it in where the versions are. */
export async function letInTo(
  versions: readonly Version[],
  presence: Presence,
  load: (name: string) => Promise<Driver>,
): Promise<Presence> {
  if (presence.status === 'missing') return presence;
  const { device, capabilities, target } = presence;
  const driver = await load(target.device.driver);
  const abilities = driver.access?.(device.browser, whereabouts(target.device));
  for (const part of neededFor(versions)) {
    const ability = abilities?.[part] ?? {
      supported: false,
      because: `the driver ${driver.name} has no way to do it`,
    };
    if (ability.supported) continue;
    const option = optionOf[part];
    const reason = `${option} is not supported here, because ${ability.because}`;
    const remedy = `Leave out ${option}, or choose another driver for it.`;
    return { status: 'missing', device, reason, remedy, capabilities };
  }
  return presence;
}
