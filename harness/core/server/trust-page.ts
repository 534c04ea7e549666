import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { closeInTime, createServer, listen } from '../http-server.ts';
import { pagesFolder } from '../project.ts';
import { addGuards, findRoute } from './guards.ts';
import { escapeHtml, htmlPage } from './html-page.ts';

/** An authority that no device trusts by itself. */
export interface Authority {
  /** In PEM. */
  readonly certificate: string;
}

/** Where a device learns to trust a server, over plain HTTP. */
export interface TrustPage {
  readonly origin: string;
  /** SHA-256 of the authority's certificate, as `AB:CD:…`. */
  readonly fingerprint: string;
  /** The address that leads to a page of the server by this one; at once where the device trusts it. */
  readonly wayTo: (url: string) => string;
  readonly close: () => Promise<void>;
}

interface TrustPageOptions {
  /** Address of this machine to listen on. */
  readonly host: string;
  readonly authority: Authority;
  /** Origin of the server. */
  readonly site: string;
  /** Adds further routes. */
  readonly door?: ((app: FastifyInstance) => Promise<void>) | undefined;
}

/** Route of the server that a page of another origin may ask for: only who trusts the server is answered. */
const trustedRoute = '/trusted';

/** Lets a page of another origin see whether its browser trusts a server. Before all doors. */
export function addTrustedRoute(app: FastifyInstance): void {
  app.get(trustedRoute, (_request, reply) => reply.code(204).send());
  app.addHook('onRequest', async (request, reply) => {
    if (reply.sent || findRoute(request) !== trustedRoute) return;
    await reply.header('cross-origin-resource-policy', 'cross-origin').code(204).send();
  });
}

/** Serves the page and the authority's certificate, to everybody, at any free port. Errors: those of `listen`. */
export async function startTrustPage({
  host,
  authority,
  site,
  door,
}: TrustPageOptions): Promise<TrustPage> {
  const { fingerprint256: fingerprint, raw, subject } = new X509Certificate(authority.certificate);
  const app = await createServer();
  addGuards(app, { address: host });
  await door?.(app);
  const html = trustHtml({ site, fingerprint, name: subject.replace(/^[\s\S]*CN=/, '') });
  app.get('/', (_request, reply) => reply.type('text/html; charset=utf-8').send(html));
  // By this type Safari on iOS offers it as a profile; Chrome on Android keeps it as a file.
  app.get('/authority.crt', (_request, reply) =>
    reply.type('application/x-x509-ca-cert').send(raw),
  );
  for (const [file, type] of files) {
    app.get(`/${file}`, async (_request, reply) =>
      reply.type(type).send(await readFile(join(pagesFolder(), file))),
    );
  }
  await listen(app, { port: 0, host });
  const origin = `http://${host}:${String((app.server.address() as AddressInfo).port)}`;
  return {
    origin,
    fingerprint,
    // Behind the #, which is not sent: a code does not travel in the clear.
    wayTo: (url) => `${origin}/#${new URL(url).pathname}`,
    close: () => closeInTime(app),
  };
}

const files = [
  ['kit/page.css', 'text/css; charset=utf-8'],
  ['kit/trust.js', 'text/javascript; charset=utf-8'],
] as const;

interface TrustText {
  readonly site: string;
  readonly fingerprint: string;
  /** The authority's name on a device. */
  readonly name: string;
}

function trustHtml({ site, fingerprint, name }: TrustText): string {
  const called = `<b>${escapeHtml(name)}</b>`;
  return htmlPage(
    'Trust this farm once',
    `<p id="status" role="status" data-site="${escapeHtml(site)}"></p>
<p><a class="button" id="go" href="${escapeHtml(site)}">Go on</a></p>
<div id="steps">
<p>Over HTTPS your browser gives pages its fine clock and shared memory, and keeps the screen on. The farm has a certificate authority of its own for that. Trust it once on this device.</p>
<h2>1. Get it</h2>
<p><a class="button" href="/authority.crt">Get the authority</a></p>
<p>The farm’s terminal shows the same fingerprint (SHA-256):<br><code>${escapeHtml(fingerprint)}</code></p>
<h2>2. Trust it</h2>
${system('ios', 'iPhone and iPad', [
  'Open this page in Safari, tap <b>Get the authority</b>, and allow the profile.',
  `Settings → General → VPN &amp; Device Management → ${called} → <b>Install</b>.`,
  `Settings → General → About → Certificate Trust Settings: switch ${called} on.`,
])}
${system('android', 'Android', [
  'Tap <b>Get the authority</b>, and keep the file.',
  'Settings → Security &amp; privacy → More security settings → Encryption &amp; credentials → Install a certificate → <b>CA certificate</b> → Install anyway; choose the file. The way differs a little by maker: search the settings for “CA certificate”.',
  'Chrome, Edge and Samsung Internet trust it now. Firefox: Settings → About Firefox, tap the logo five times; then Settings → Secret Settings → <b>Use third party CA certificates</b>.',
])}
${system('other', 'A computer', [
  'Windows: open the file → Install Certificate → Current User → <b>Trusted Root Certification Authorities</b>.',
  'macOS: open the file, which adds it to the keychain; then its <b>Trust</b> → Always Trust.',
  'Chrome on Linux: Settings → Privacy and security → Security → Manage certificates. Firefox anywhere: Settings → Certificates → View Certificates → Authorities → <b>Import</b>.',
])}
<h2>3. Come back</h2>
<p>This page then goes on by itself. If it does not, reload it.</p>
<p class="soft">The authority can vouch for private addresses, such as 192.168.1.7, and for names in .local alone. Its key stays on the farm’s computer. Remove it from this device when you no longer measure. To go on without it, ask the farm’s owner to leave <code>--tls</code> out: the clock is coarser then, and benchmarks of threads fail.</p>
</div>
<script type="module" src="/kit/trust.js"></script>`,
  );
}

/** The steps on one system. They are HTML of ours. */
function system(id: string, title: string, steps: readonly string[]): string {
  const items = steps.map((step) => `<li>${step}</li>`).join('\n');
  return `<details data-system="${id}">
<summary>${title}</summary>
<ol>
${items}
</ol>
</details>`;
}
