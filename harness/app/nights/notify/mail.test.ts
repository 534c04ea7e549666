import { expect, test } from '@playwright/test';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { aNight } from '../../../testing/nights.ts';
import { takeChannels } from './channels.ts';
import { notifyOfNight, type SendRules } from './send.ts';

const rules: SendRules = { deadlineMs: 60_000, retryAfterMs: 0 };

const night = aNight({ changes: [{ kind: 'device-lost', text: 'pixel is lost: größer <b>' }] });

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
  // What a client does to its connection is the client's business.
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

test('e-mail goes to everybody named, with the changes as plain text', async () => {
  const server = await aMailServer();
  const sent = await notifyOfNight(night, server.channelsFor('hunter2secret'), { rules });
  await server.close();
  expect(sent).toEqual([{ channel: 'mail', sent: true, attempts: 1, because: null }]);
  expect(server.received).toHaveLength(1);
  const { from, to, text } = server.received[0]!;
  expect(from).toBe('farm@example.org');
  expect(to).toEqual(['one@example.org', 'two@example.org']);
  expect(text).toMatch(/^Subject: =\?UTF-8\?/m);
  expect(text).toMatch(/^Content-Type: text\/plain; charset=utf-8/m);
  expect(text).not.toContain('text/html');
});

test('a wrong password is tried twice, and is told without user, password or answer', async () => {
  const server = await aMailServer();
  const sent = await notifyOfNight(night, server.channelsFor('wrongsecret'), { rules });
  await server.close();
  expect(sent).toEqual([
    {
      ...{ channel: 'mail', sent: false, attempts: 2 },
      because: 'the mail server did not take it (EAUTH, answer 535)',
    },
  ]);
  expect(server.received).toEqual([]);
});

test('a mail server that greets nobody is given up when the time is over', async () => {
  const server = await aMailServer({ onConnect: () => undefined });
  const sent = await notifyOfNight(night, server.channelsFor('hunter2secret'), {
    rules: { ...rules, deadlineMs: 300 },
  });
  await server.close();
  expect(sent).toEqual([
    {
      ...{ channel: 'mail', sent: false, attempts: 2 },
      because: 'Sending it took longer than 0 s',
    },
  ]);
});

test('a mail server that is not there is told by its code', async () => {
  const server = await aMailServer();
  const channels = server.channelsFor('hunter2secret');
  await server.close();
  const sent = await notifyOfNight(night, channels, { rules });
  expect(sent[0]).toMatchObject({ sent: false, attempts: 2 });
  expect(sent[0]!.because).toMatch(
    /^the mail server did not take it \((ESOCKET|ECONNECTION|ECONNREFUSED)\)$/,
  );
});
