import { X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import { expect, test } from '@playwright/test';
import { issueCertificate } from '../app/tls/authority.ts';
import { pagesFolder } from '../project.ts';
import { useOwnState } from '../../testing/own-state.ts';
import { clientCookie } from './trial-routes.ts';
import { type PageCertificate, type PageServer, startPageServer } from './page-server.ts';

useOwnState();

let tls: PageCertificate;
let server: PageServer;

test.beforeEach(async () => {
  tls = await issueCertificate('127.0.0.1');
  server = await startPageServer({
    pages: pagesFolder(),
    port: 0,
    tls,
    door: (app) => {
      app.addHook('onRequest', async (asked, reply) => {
        if (!reply.sent && asked.url === '/fib/index.html') await reply.code(403).send('closed');
      });
      return Promise.resolve();
    },
  });
});

test.afterEach(() => server.close());

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Asks as a browser that trusts the authority. */
function ask(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // The certificate of these tests is for an address, and tests ask for other hosts, too.
    const trust = { ca: tls.authority!.certificate, checkServerIdentity: () => undefined };
    request(url, { ...trust, headers }, (answer) => {
      answer.resume();
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers });
    })
      .on('error', reject)
      .end();
  });
}

test('serves pages over HTTPS, isolated, to its own origin alone', async () => {
  expect(server.origin).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  const { status, headers } = await ask(`${server.origin}/kit/page.css`, { origin: server.origin });
  expect(status).toBe(200);
  expect(headers['cross-origin-embedder-policy']).toBe('require-corp');
  const origin = server.origin.replace('https', 'http');
  expect((await ask(`${server.origin}/kit/page.css`, { origin })).status).toBe(403);
  await expect(fetch(server.origin)).rejects.toThrow();
  await expect(fetch(server.origin.replace('https', 'http'))).rejects.toThrow();
});

test('a page of another origin learns only whether its browser trusts the server', async () => {
  const seen = await ask(`${server.origin}/trusted`, { 'sec-fetch-site': 'cross-site' });
  expect(seen.status).toBe(204);
  expect(seen.headers['cross-origin-resource-policy']).toBe('cross-origin');
  expect((await ask(`${server.origin}/fib/index.html`)).status).toBe(403);
});

test('no page over plain HTTP gets or replaces the secret of a device for HTTPS', () => {
  const over = (protocol: 'http' | 'https'): string => clientCookie({ protocol }, 'x'.repeat(22));
  expect(over('https')).toMatch(/^__Host-crossfarm-client=x{22}; Path=\/;.*; Secure$/);
  expect(over('http')).toMatch(/^crossfarm-client=x{22};.*SameSite=Strict$/);
});

test('a separate origin of a page speaks HTTPS, too', async () => {
  const origin = await server.originOf('none', 'session');
  expect(origin).toMatch(/^https:/);
  expect((await ask(`${origin}/.crossfarm/empty`)).status).toBe(200);
});

test('is reached by the name of its owner’s certificate, and by no other', async () => {
  const { certificate, key } = tls;
  const own = { certificate, key, name: 'farm.example' };
  const named = await startPageServer({ pages: pagesFolder(), port: 0, tls: own });
  try {
    const { port, hostname } = new URL(named.origin);
    expect(hostname).toBe('farm.example');
    expect(named.trust).toBeUndefined();
    const at = `https://127.0.0.1:${port}/kit/page.css`;
    expect((await ask(at, { host: `farm.example:${port}` })).status).toBe(200);
    expect((await ask(at, { host: `evil.example:${port}` })).status).toBe(403);
  } finally {
    await named.close();
  }
});

test('over plain HTTP everybody gets the authority and its fingerprint, and nothing else', async () => {
  const { origin, fingerprint, wayTo } = server.trust!;
  const page = await fetch(origin);
  expect(await page.text()).toContain(fingerprint);
  const offered = await fetch(`${origin}/authority.crt`);
  expect(offered.headers.get('content-type')).toBe('application/x-x509-ca-cert');
  const bytes = Buffer.from(await offered.arrayBuffer());
  expect(new X509Certificate(bytes).fingerprint256).toBe(fingerprint);
  for (const path of ['/fib/index.html', '/kit/join.js', '/trusted', '/authority.pem']) {
    expect((await fetch(origin + path)).status, path).toBe(404);
  }
  // A code behind the # is not sent in the clear.
  const way = wayTo(`${server.origin}/join/AAAAAAAAAAAAAAAAAAAAAA`);
  expect(way).toBe(`${origin}/#/join/AAAAAAAAAAAAAAAAAAAAAA`);
});

test('ends with its server', async () => {
  const { origin } = server.trust!;
  await server.close();
  await expect(fetch(origin)).rejects.toThrow();
});
