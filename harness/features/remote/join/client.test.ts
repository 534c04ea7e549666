import { test, expect } from '@playwright/test';
import { Client } from './client.ts';

const never = new AbortController().signal;
const progress = { done: 0, planned: 3 };

function aSeat(): Client {
  return new Client({ secret: 's', name: 'Pixel', userAgent: 'test' });
}

/** The value to which it has settled by now, or `open`. */
async function now<T>(promise: Promise<T>): Promise<T | 'open'> {
  return Promise.race([promise, new Promise<'open'>((resolve) => setImmediate(resolve, 'open'))]);
}

test('a question stays open until there is a page', async () => {
  const client = aSeat();
  const answer = client.ask(null);
  await client.arrived(never);
  expect(await now(answer)).toBe('open');
  const lost = client.hand('/one', progress);
  expect(await answer).toEqual({ kind: 'open', number: 1, url: '/one', progress });
  expect(await now(lost)).toBe('open');
});

test('neither a held page nor a finished one counts as lost', async () => {
  const client = aSeat();
  void client.ask(null);
  const lost = client.hand('/one', progress);
  const next = client.ask(1);
  expect(await now(lost)).toBe('open');
  client.release();
  void client.hand('/two', progress);
  expect(await next).toMatchObject({ number: 2, url: '/two' });
  expect(await now(lost)).toBe('open');
});

test('a device that returns without its page lost it and gets another', async () => {
  const client = aSeat();
  void client.ask(null);
  const lost = client.hand('/one', progress);
  void client.ask(null);
  expect(await lost).toMatch(/^Pixel: .*without.*page/);
  await client.arrived(never);
});

test('a page that reports its loss twice is lost once', async () => {
  const client = aSeat();
  void client.ask(null);
  const lost = client.hand('/one', progress);
  client.lose('its screen was locked');
  client.lose('again');
  expect(await lost).toBe('Pixel: its screen was locked');
});

test('waits for a device until it asks or the waiting is aborted', async () => {
  const client = aSeat();
  const arriving = client.arrived(never);
  expect(await now(arriving)).toBe('open');
  void client.ask(null);
  await arriving;
  const absent = aSeat();
  const controller = new AbortController();
  const waiting = absent.arrived(controller.signal);
  const reason = new Error('enough');
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});

test('a question over a closed connection does not count as presence', async () => {
  const client = aSeat();
  const gone = new AbortController();
  void client.ask(null, gone.signal);
  gone.abort();
  expect(await now(client.arrived(never))).toBe('open');
});

test('a second tab takes the place of the first', async () => {
  const client = aSeat();
  const first = client.ask(null);
  const second = client.ask(null);
  expect(await first).toEqual({ kind: 'replaced' });
  void client.hand('/one', progress);
  expect(await second).toMatchObject({ kind: 'open' });
});

test('when it is over, open and later questions hear so', async () => {
  const client = aSeat();
  const open = client.ask(null);
  await client.end('Thank you.');
  expect(await open).toEqual({ kind: 'over', text: 'Thank you.' });
  expect(await client.ask(null)).toEqual({ kind: 'over', text: 'Thank you.' });
});
