import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { identify } from '../../core/session/process-table.ts';
import { aFolder } from '../../testing/folder.ts';
import { aNight } from '../../testing/nights.ts';
import { takeChannels } from './channels.ts';
import type { NightDocument } from './night-document.ts';
import { notifyOfNight, type SendRules } from './notice.ts';

const rules: SendRules = { deadlineMs: 60_000, retryAfterMs: 0 };

/** For what never ends; long enough for the work meanwhile, or before it hangs. */
const brief: SendRules = { ...rules, deadlineMs: 1_000 };

const secret = 'hunter2secret';

const night: NightDocument = aNight({
  changes: [{ kind: 'device-lost', text: 'pixel is lost: <!channel> & so on' }],
});

interface ReceivedRequest {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A real server that keeps requests, and answers as given. */
async function aServer(
  answer: (request: IncomingMessage, response: ServerResponse, number: number) => void = (
    _,
    response,
  ) => {
    response.end('ok');
  },
) {
  const received: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += String(chunk)));
    request.on('end', () => {
      const { method, url: path } = request;
      received.push({ method, path, body: JSON.parse(text) as ReceivedRequest['body'] });
      answer(request, response, received.length);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((closed) => server.close(() => closed()));
  };
  return { url: `http://127.0.0.1:${String(port)}/hook/${secret}`, received, close };
}

test('a webhook gets the changes as JSON, once', async () => {
  const server = await aServer();
  const sent = await notifyOfNight(night, takeChannels({ CROSSFARM_WEBHOOK_URL: server.url }), {
    rules,
  });
  await server.close();
  expect(sent).toEqual([{ channel: 'webhook', sent: true, attempts: 1, because: null }]);
  expect(server.received).toHaveLength(1);
  expect(server.received[0]).toMatchObject({
    method: 'POST',
    path: `/hook/${secret}`,
    body: {
      kind: 'crossfarm-notice',
      host: 'bench',
      changes: night.changes,
      subject: expect.stringContaining('pixel is lost'),
    },
  });
});

test('Slack gets a text in which nothing is a mention', async () => {
  const server = await aServer();
  const channels = takeChannels({ CROSSFARM_SLACK_WEBHOOK_URL: server.url });
  await notifyOfNight(night, channels, { rules });
  await server.close();
  const { body } = server.received[0]!;
  expect(Object.keys(body)).toEqual(['text']);
  expect(body['text']).toMatch(/^\*.*pixel is lost: &lt;!channel&gt; &amp; so on\*/);
});

test('a night without changes makes no request', async () => {
  const server = await aServer();
  const channels = takeChannels({ CROSSFARM_WEBHOOK_URL: server.url });
  expect(await notifyOfNight(aNight(), channels, { rules })).toEqual([]);
  await server.close();
  expect(server.received).toEqual([]);
});

test('tries a second time after one failure', async () => {
  const server = await aServer((_, response, number) => {
    response.statusCode = number === 1 ? 503 : 200;
    response.end();
  });
  const channels = takeChannels({ CROSSFARM_WEBHOOK_URL: server.url });
  const sent = await notifyOfNight(night, channels, { rules });
  await server.close();
  expect(sent).toEqual([{ channel: 'webhook', sent: true, attempts: 2, because: null }]);
});

const refusals: readonly [string, Parameters<typeof aServer>[0], string][] = [
  [
    'refuses',
    (_, response) => {
      response.statusCode = 403;
      response.end(`bad token ${secret}`);
    },
    'the webhook answered 403',
  ],
  [
    'sends elsewhere',
    (_, response) => {
      response.writeHead(307, { location: 'http://127.0.0.1:1/' });
      response.end();
    },
    'the webhook answered 307',
  ],
  ['hangs up', (request) => request.socket.destroy(), 'it cannot be reached (UND_ERR_SOCKET)'],
];

for (const [what, answer, because] of refusals) {
  test(`a server that ${what} is tried twice, and the reason holds no secret`, async () => {
    const server = await aServer(answer);
    const channels = takeChannels({ CROSSFARM_WEBHOOK_URL: server.url });
    const sent = await notifyOfNight(night, channels, { rules });
    await server.close();
    expect(sent).toEqual([{ channel: 'webhook', sent: false, attempts: 2, because }]);
    expect(server.received).toHaveLength(2);
  });
}

test('a server that never answers is given up when the time is over, and holds up no other channel', async () => {
  const silent = await aServer(() => undefined);
  const good = await aServer();
  const channels = takeChannels({
    CROSSFARM_WEBHOOK_URL: silent.url,
    CROSSFARM_SLACK_WEBHOOK_URL: good.url,
  });
  const sent = await notifyOfNight(night, channels, { rules: brief });
  await Promise.all([silent.close(), good.close()]);
  expect(sent).toEqual([
    {
      channel: 'webhook',
      sent: false,
      attempts: 2,
      because: 'Sending it took longer than 1 s',
    },
    { channel: 'slack', sent: true, attempts: 1, because: null },
  ]);
});

test('a command gets the facts on its standard input', async () => {
  const folder = await aFolder();
  const channels = takeChannels({ CROSSFARM_NOTIFY_COMMAND: `cat > '${folder}/told.json'` });
  const sent = await notifyOfNight(night, channels, { rules });
  expect(sent).toEqual([{ channel: 'command', sent: true, attempts: 1, because: null }]);
  const told = JSON.parse(await readFile(join(folder, 'told.json'), 'utf8')) as object;
  expect(told).toMatchObject({ kind: 'crossfarm-notice', changes: night.changes });
});

test('a command that fails, or does not read, reports how it ended, without its output', async () => {
  const command = `echo ${secret} >&2; exit 7`;
  const sent = await notifyOfNight(night, takeChannels({ CROSSFARM_NOTIFY_COMMAND: command }), {
    rules,
  });
  expect(sent).toEqual([
    { channel: 'command', sent: false, attempts: 2, because: 'the command ended with 7' },
  ]);
});

test('a command that hangs is ended with its child processes', async () => {
  test.skip(!existsSync('/proc'), 'processes are found by /proc');
  const folder = await aFolder();
  const command = `sh -c 'echo $$ >> "${folder}/pids"; sleep 600' & wait`;
  const channels = takeChannels({ CROSSFARM_NOTIFY_COMMAND: command });
  const sent = await notifyOfNight(night, channels, { rules: brief });
  expect(sent[0]).toMatchObject({ sent: false, because: 'Sending it took longer than 1 s' });
  const pids = (await readFile(join(folder, 'pids'), 'utf8')).trim().split('\n').map(Number);
  expect(pids).toHaveLength(2);
  await expect.poll(() => pids.filter((pid) => identify(pid) !== null)).toEqual([]);
});

test('the variables are taken out of the environment, so that nothing that is measured sees them', async () => {
  const environment: Record<string, string> = {
    CROSSFARM_WEBHOOK_URL: `https://example.org/${secret}`,
    CROSSFARM_SMTP_URL: `smtp://me:${secret}@example.org`,
    CROSSFARM_MAIL_FROM: 'farm@example.org',
    CROSSFARM_MAIL_TO: 'me@example.org',
    CROSSFARM_NOTIFY_COMMAND: '  ',
    HOME: '/home/me',
  };
  const channels = takeChannels(environment);
  expect(channels.map(({ name }) => name)).toEqual(['webhook', 'mail']);
  expect(environment).toEqual({ HOME: '/home/me' });
});

const mistakes: readonly [string, Readonly<Record<string, string>>, RegExp][] = [
  [
    'a webhook that is no address',
    { CROSSFARM_WEBHOOK_URL: `ftp://${secret}` },
    /^CROSSFARM_WEBHOOK_URL .*https:\/\//,
  ],
  [
    'a mail server without addressees',
    { CROSSFARM_SMTP_URL: `smtp://me:${secret}@example.org` },
    /CROSSFARM_MAIL_FROM and CROSSFARM_MAIL_TO/,
  ],
  [
    'a mail server that is no address',
    { CROSSFARM_SMTP_URL: secret, CROSSFARM_MAIL_FROM: 'a@b', CROSSFARM_MAIL_TO: 'c@d' },
    /^CROSSFARM_SMTP_URL .*smtp:\/\/user:password@host:port/,
  ],
];

for (const [what, environment, because] of mistakes) {
  test(`${what} is a message that did not go out, and the reason names the variable alone`, async () => {
    const sent = await notifyOfNight(night, takeChannels({ ...environment }), { rules });
    expect(sent).toMatchObject([{ sent: false, because: expect.stringMatching(because) }]);
    expect(JSON.stringify(sent)).not.toContain(secret);
  });
}

test('a channel’s own error text is not quoted', async () => {
  const leaky = {
    name: 'webhook' as const,
    send: () => Promise.reject(new Error(`cannot post to https://example.org/${secret}`)),
  };
  const sent = await notifyOfNight(night, [leaky], { rules });
  expect(sent[0]!.sent).toBe(false);
  expect(JSON.stringify(sent)).not.toContain(secret);
});

const lostNight = aNight({ changes: [{ kind: 'device-lost', text: 'pixel is lost: größer <b>' }] });

interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
}

/** A real mail server that takes everything from `farm`, whose password is `hunter2secret`. */
async function aMailServer(changes: SMTPServerOptions = {}) {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    // A client that was given up may still hold its connection.
    closeTimeout: 50,
    allowInsecureAuth: true,
    authMethods: ['PLAIN', 'LOGIN'],
    onAuth(auth, _session, done) {
      const known = auth.username === 'farm' && auth.password === 'hunter2secret';
      if (known) done(null, { user: 'farm' });
      else done(new Error(`no: ${auth.username ?? ''} ${auth.password ?? ''}`));
    },
    onData(stream, session, done) {
      let text = '';
      stream.on('data', (chunk: Buffer) => (text += String(chunk)));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        received.push({ from, to: rcptTo.map(({ address }) => address), text });
        done();
      });
    },
    ...changes,
  });
  // Errors of a client's connection are the client's business.
  server.on('error', () => undefined);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening()));
  const { port } = server.server.address() as AddressInfo;
  const channelsFor = (password: string) =>
    takeChannels({
      CROSSFARM_SMTP_URL: `smtp://farm:${password}@127.0.0.1:${String(port)}`,
      CROSSFARM_MAIL_FROM: 'Farm <farm@example.org>',
      CROSSFARM_MAIL_TO: 'one@example.org, two@example.org',
    });
  const close = (): Promise<void> => new Promise((closed) => server.close(() => closed()));
  return { received, channelsFor, close };
}

test('e-mail goes to everybody named, as plain text alone', async () => {
  const server = await aMailServer();
  const sent = await notifyOfNight(lostNight, server.channelsFor('hunter2secret'), { rules });
  await server.close();
  expect(sent).toEqual([{ channel: 'mail', sent: true, attempts: 1, because: null }]);
  expect(server.received).toHaveLength(1);
  const { from, to, text } = server.received[0]!;
  expect(from).toBe('farm@example.org');
  expect(to).toEqual(['one@example.org', 'two@example.org']);
  expect(text).toMatch(/^Subject: =\?UTF-8\?/m);
  expect(text).toMatch(/^Content-Type: text\/plain; charset=utf-8/m);
  expect(text).not.toMatch(/multipart|text\/html|image\//);
});

test('a wrong password is tried twice, and is reported without user, password or answer', async () => {
  const server = await aMailServer();
  const sent = await notifyOfNight(lostNight, server.channelsFor('wrongsecret'), { rules });
  await server.close();
  expect(sent).toEqual([
    {
      channel: 'mail',
      sent: false,
      attempts: 2,
      because: expect.stringMatching(/^[\w ]+ \(EAUTH, answer 535\)$/),
    },
  ]);
  expect(JSON.stringify(sent)).not.toMatch(/farm|wrongsecret/);
  expect(server.received).toEqual([]);
});

test('a mail server that sends no greeting is given up at the deadline', async () => {
  const server = await aMailServer({ onConnect: () => undefined });
  const sent = await notifyOfNight(lostNight, server.channelsFor('hunter2secret'), {
    rules: { ...rules, deadlineMs: 300 },
  });
  await server.close();
  expect(sent).toEqual([
    {
      channel: 'mail',
      sent: false,
      attempts: 2,
      because: 'Sending it took longer than 0 s',
    },
  ]);
});

test('a missing mail server is reported by its error code', async () => {
  const server = await aMailServer();
  const channels = server.channelsFor('hunter2secret');
  await server.close();
  const sent = await notifyOfNight(lostNight, channels, { rules });
  expect(sent[0]).toMatchObject({ sent: false, attempts: 2 });
  expect(sent[0]!.because).toMatch(/^[\w ]+ \((ESOCKET|ECONNECTION|ECONNREFUSED)\)$/);
});

test('a webhook with user and password is reached by them', async () => {
  const seen: (string | undefined)[] = [];
  const server = await aServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end('ok');
  });
  const url = server.url.replace('://', '://me:p%40ss@');
  const sent = await notifyOfNight(night, takeChannels({ CROSSFARM_WEBHOOK_URL: url }), { rules });
  await server.close();
  expect(sent).toMatchObject([{ channel: 'webhook', sent: true }]);
  expect(seen).toEqual([`Basic ${Buffer.from('me:p@ss').toString('base64')}`]);
});

test('a line break in a mail address is refused by name @attack', async () => {
  const mail = {
    CROSSFARM_SMTP_URL: 'smtp://127.0.0.1:9',
    CROSSFARM_MAIL_FROM: 'a@example.org',
    CROSSFARM_MAIL_TO: 'b@example.org',
  };
  for (const name of ['CROSSFARM_MAIL_FROM', 'CROSSFARM_MAIL_TO'] as const) {
    const channels = takeChannels({ ...mail, [name]: 'a@example.org\r\nBcc: c@example.org' });
    const [sent] = await notifyOfNight(night, channels, { rules });
    expect(sent).toMatchObject({ sent: false, because: expect.stringContaining(`${name} has a`) });
  }
});
