import { expect, test } from '@playwright/test';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { keepListening } from './page-server.ts';

let server: Server;

test.beforeEach(async () => {
  server = createServer((_, response) => response.end('here')).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

test.afterEach(() => {
  server.close();
});

const portOf = (one: Server): number => (one.address() as AddressInfo).port;

test('a server that closes unasked listens again at the same place', async () => {
  const ended = new AbortController();
  keepListening(server, ended.signal);
  const port = portOf(server);
  for (let time = 1; time <= 2; time += 1) {
    const again = once(server, 'listening');
    server.close();
    server.closeAllConnections();
    await again;
    const answer = await fetch(`http://127.0.0.1:${String(port)}/`);
    expect(await answer.text()).toBe('here');
  }
  ended.abort();
});

test('a server that was ended stays closed', async () => {
  const ended = new AbortController();
  keepListening(server, ended.signal);
  ended.abort();
  const closed = once(server, 'close');
  server.close();
  await closed;
  expect(server.listening).toBe(false);
});
