/** `farm compare` of pages at URLs whose servers let not everybody in. */
import { once as onceEmitted } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, expect } from '@playwright/test';
import { execa } from 'execa';
import { findOnPath } from '../../core/setup/executable.ts';
import { farm, newestTrials, startFarm } from '../../testing/farm.ts';
import { aFolder, aFolderOf } from '../../testing/folder.ts';

test.skip(findOnPath(['chromium', 'chromium-browser']) === null, 'no Chromium is installed');

const once = [
  '--measure',
  'measure:job',
  '--measurement',
  'fast',
  '--max-blocks',
  '1',
  '--no-probes',
];
const secrets = ['geheim77', 'k-4711', 's-0815'];

const open: Server[] = [];
test.afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await onceEmitted(server, 'listening');
  open.push(server);
  return String((server.address() as AddressInfo).port);
}

const noted = ({ headers }: IncomingMessage): string =>
  JSON.stringify([headers['x-key'], headers.authorization, headers.cookie]);

interface Site {
  readonly port: string;
  /** Requests to another site: of a resource of the page, and after a redirect to it. */
  readonly toldOthers: ReadonlySet<string>;
}

/** A site whose pages load a script of it and one of another, for whom `letsIn` lets in. */
async function aSite(letsIn: (request: IncomingMessage) => boolean): Promise<Site> {
  const toldOthers = new Set<string>();
  const other = await listening(
    createServer((request, answer) => {
      toldOthers.add(noted(request));
      answer.setHeader('content-type', 'text/javascript').end('');
    }),
  );
  const answerTo: RequestListener = (request, answer) => {
    if (!letsIn(request)) return void answer.writeHead(401).end('no');
    if (request.url === '/away.js') {
      return void answer.writeHead(302, { location: `http://localhost:${other}/led.js` }).end();
    }
    if (request.url === '/own.js') {
      return void answer.setHeader('content-type', 'text/javascript').end('globalThis.ownMs = 7');
    }
    answer.setHeader('content-type', 'text/html');
    answer.end(`<!doctype html><title>x</title><script src="/own.js"></script>
      <script src="/away.js"></script><script src="http://localhost:${other}/other.js"></script>
      <script>performance.measure('job', { start: 0, end: ownMs })</script>`);
  };
  return { port: await listening(createServer(answerTo)), toldOthers };
}

/** Everything that the farm has written into the folder. */
function writtenIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

for (const browser of ['chromium', 'firefox', 'chromium-puppeteer']) {
  test(`headers, cookies and a user admit ${browser} and reach no other server`, async () => {
    const basic = `Basic ${Buffer.from('bo:geheim77').toString('base64')}`;
    const { port, toldOthers } = await aSite(
      ({ headers }) =>
        headers['x-key'] === 'k-4711' &&
        headers.authorization === basic &&
        headers.cookie === 'sid=s-0815',
    );
    const folder = await aFolder();
    const urls = ['old', 'new'].map((path) => `http://bo:geheim77@127.0.0.1:${port}/${path}`);
    const given = ['--header', 'X-Key: k-4711', '--cookie', 'sid=$SID'];
    const args = ['compare', ...urls, ...given, '--browsers', browser, ...once, '--markdown'];
    const run = await startFarm(folder, args, { SID: 's-0815' });
    const said = `${String(run.stdout)}${String(run.stderr)}`;
    test.skip(/cannot be measured: .*(not installed|not found)/.test(said), said);
    expect(run.exitCode, said).toBe(0);
    expect(said).toContain(
      "--header 'X-Key: $X_KEY' --cookie 'sid=$SID' --basic-auth '$BASIC_AUTH'",
    );
    await farm(folder, 'report');
    const written = writtenIn(folder);
    for (const secret of [...secrets, basic]) {
      expect(said).not.toContain(secret);
      expect(written).not.toContain(secret);
    }
    expect([...toldOthers]).toEqual([JSON.stringify([undefined, undefined, undefined])]);
  });
}

test('a driver that cannot send a header is refused by name before it measures', async () => {
  const { port } = await aSite(() => true);
  const urls = ['old', 'new'].map((path) => `http://127.0.0.1:${port}/${path}`);
  const args = ['compare', ...urls, '--browsers', 'webkitgtk', ...once];
  for (const given of [
    ['--header', 'X-Key: k'],
    ['--cookie', 'sid=1'],
  ]) {
    const run = await farm(await aFolder(), ...args, ...given);
    test.skip(/not installed|not found/.test(run.stderr), run.stderr);
    expect(run.stderr).toContain(`${given[0]!} is not supported here, because WebDriver`);
    expect(run.code).toBe(3);
  }
});

interface SecureSite {
  readonly urls: readonly string[];
  readonly certificate: string;
}

/** Pages behind a certificate that their owner has signed. */
async function aSecureSite(folder: string): Promise<SecureSite> {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'site.pem')];
  await execa('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=site'],
    ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate],
  ]);
  const html = `<!doctype html><title>x</title><script>
    performance.measure('job', { start: 0, end: 7 })</script>`;
  const pem = { key: readFileSync(key), cert: readFileSync(certificate) };
  const server = createSecureServer(pem, ({ headers }, answer) => {
    const isIn = headers.authorization !== undefined;
    answer.writeHead(isIn ? 200 : 401, {
      'content-type': 'text/html',
      'www-authenticate': 'Basic realm="x"',
    });
    answer.end(isIn ? html : 'no');
  });
  const port = await listening(server);
  return { urls: ['old', 'new'].map((path) => `https://127.0.0.1:${port}/${path}`), certificate };
}

for (const browser of ['chromium', 'firefox', 'chromium-webdriver', 'webkitgtk']) {
  test(`${browser} accepts a self-signed certificate with the flag`, async () => {
    test.skip(findOnPath(['openssl']) === null, 'openssl is not installed');
    const folder = await aFolder();
    const { urls, certificate } = await aSecureSite(folder);
    const args = ['compare', ...urls, '--basic-auth', 'bo:x', '--browsers', browser, ...once];
    const refused = await farm(folder, ...args);
    test.skip(
      /cannot be measured: .*(not installed|not found)/.test(refused.stderr),
      refused.stderr,
    );
    expect(refused.code, refused.stderr).toBe(2);
    const run = await farm(folder, ...args, '--insecure');
    expect(run.code, run.stderr).toBe(0);
    expect(run.stdout).toContain("--basic-auth '$BASIC_AUTH' --insecure");
    const byFile = await farm(folder, ...args, '--ca', certificate);
    if (browser.startsWith('chromium')) expect(byFile.code, byFile.stderr).toBe(0);
    else expect(byFile.stderr).toMatch(/--ca is not supported here, because/);
  });
}

test('an authority that has not signed the certificate is refused', async () => {
  test.skip(findOnPath(['openssl']) === null, 'openssl is not installed');
  const [folder, other] = [await aFolder(), await aFolder()];
  const { urls } = await aSecureSite(folder);
  const { certificate } = await aSecureSite(other);
  const run = await farm(folder, 'compare', ...urls, '--ca', certificate, ...once);
  expect(run.stderr).toMatch(/The certificate of 127\.0\.0\.1:\d+ does not come from/);
  expect(run.code).toBe(2);
});

test('names what isolation blocks with a remedy that works', async () => {
  const picture = await listening(
    createServer((_request, answer) => {
      answer.setHeader('content-type', 'text/javascript').end('globalThis.otherMs = 7');
    }),
  );
  const html = `<!doctype html><title>x</title><script src="http://localhost:${picture}/x.js"></script>
    <script>performance.measure('job', { start: 0, end: globalThis.otherMs ?? 1 });
    performance.measure('isolated', { start: 0, end: crossOriginIsolated ? 2 : 1 })</script>`;
  const folder = await aFolderOf({ 'old/index.html': html, 'new/index.html': html });
  const args = ['compare', 'old', 'new', '--browsers', 'chromium', ...once];
  const refused = await farm(folder, ...args);
  expect(refused.stderr).toMatch(/localhost:\d+\/x\.js could not be loaded[^]*--no-isolation/);
  expect(refused.code).toBe(2);
  const run = await farm(
    folder,
    ...args,
    '--measure',
    'measure:isolated',
    '--no-isolation',
    '--json',
  );
  const { comparisons, command } = JSON.parse(run.stdout) as {
    comparisons: readonly { title: string; value: number }[];
    command: string;
  };
  expect(comparisons.map(({ title, value }) => [title, Math.round(value)])).toEqual([
    ['job', 7],
    ['isolated', 1],
  ]);
  expect(command).toContain('--no-isolation');
});

for (const browser of ['chromium', 'webkitgtk']) {
  test(`refuses a page that leads to a log-in later in ${browser}`, async () => {
    const loads = new Map<string, number>();
    const page = `<!doctype html><title>x</title><script>
      performance.measure('job', { start: 0, end: 7 })</script>`;
    const port = await listening(
      createServer(({ url = '/', headers }, answer) => {
        const isPage = String(headers['sec-fetch-dest'] ?? 'document') === 'document';
        const count = (loads.get(url) ?? 0) + Number(isPage);
        if (/^\/(old|new)/.test(url)) loads.set(url, count);
        const session = `/s/a${String(1e6 + loads.size + count)}/app`;
        const location = url === '/new' && count > 1 ? '/login?next=/new' : session;
        if (/^\/(old|new)/.test(url)) return void answer.writeHead(302, { location }).end();
        answer.setHeader('content-type', 'text/html').end(page);
      }),
    );
    const urls = ['old', 'new'].map((path) => `http://127.0.0.1:${port}/${path}`);
    const args = ['compare', ...urls, '--browsers', browser, ...once];
    const folder = await aFolder();
    const run = await farm(folder, ...args);
    test.skip(/cannot be measured: .*(not installed|not found)/.test(run.stderr), run.stderr);
    const outcomes = (await newestTrials(folder)).map(({ outcome }) =>
      outcome.kind === 'failed' ? outcome.failure.message : outcome.kind,
    );
    expect(outcomes.toSorted()).toEqual([
      'completed',
      expect.stringMatching(/\/new led to .*\/login, and the first look to .*\/s\/a\d+\/app/),
    ]);
  });
}
