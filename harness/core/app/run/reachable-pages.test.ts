import { expect, test } from '@playwright/test';
import type { RemotePlace, Target } from '../../model/device.ts';
import type { PageServer } from '../../server/page-server.ts';
import type { LiveSession } from '../../session/session.ts';
import { aFoundDevice } from '../../../testing/builders.ts';
import { ReachablePages, listPublicOrigins, refuseUnknownPort } from './reachable-pages.ts';

function aServer(origin: string, closed: string[] = []): PageServer {
  return {
    origin,
    originOf: () => Promise.resolve(origin),
    serves: (url) => url.startsWith(origin),
    issue: (page) => ({
      url: `${origin}/${page}?trial=t`,
      outcome: new Promise(() => undefined),
      begun: new Promise(() => undefined),
      revoke: () => undefined,
    }),
    close: () => {
      closed.push(origin);
      return Promise.resolve();
    },
  };
}

const session: LiveSession = {
  id: 's',
  browserVersion: '1',
  unseen: 'the browser is not on this machine',
  ended: new Promise(() => undefined),
  open: () => Promise.resolve(),
  processTree: () => [],
  close: () => Promise.resolve(),
};

const targetAt = (remote?: RemotePlace): Target =>
  aFoundDevice('one', remote === undefined ? {} : { remote }).target;

async function pageUrlOf(remote: RemotePlace | undefined): Promise<string> {
  const elsewhere = new ReachablePages({
    server: aServer('http://127.0.0.1:8700'),
    startLanServer: () => Promise.resolve(aServer('http://192.168.1.5:41000')),
  });
  const equipped = await elsewhere.equip(targetAt(remote), () => Promise.resolve(session));
  const pageTrial = equipped.server?.issue('fib/index.html', {} as never, {} as never);
  await elsewhere.close();
  return pageTrial?.url ?? 'the run’s own';
}

test('gives a local browser nothing', async () => {
  expect(await pageUrlOf(undefined)).toBe('the run’s own');
});

test('serves pages to a remote browser at an address that it reaches', async () => {
  expect(await pageUrlOf({})).toBe('http://127.0.0.1:8700/fib/index.html?trial=t');
  expect(await pageUrlOf({ pages: 'lan' })).toBe('http://192.168.1.5:41000/fib/index.html?trial=t');
  expect(await pageUrlOf({ pages: 'https://farm.example' })).toBe(
    'https://farm.example/fib/index.html?trial=t',
  );
});

test('a phone of the local network gets its pages there', async () => {
  const elsewhere = new ReachablePages({
    server: aServer('http://127.0.0.1:8700'),
    startLanServer: () => Promise.resolve(aServer('http://192.168.1.5:41000')),
  });
  const { target } = aFoundDevice('iphone', { phone: { platform: 'ios', pages: 'lan' } });
  const equipped = await elsewhere.equip(target, () => Promise.resolve(session));
  await elsewhere.close();
  expect(equipped.server?.origin).toBe('http://192.168.1.5:41000');
  expect(equipped.unseen).toBe(session.unseen);
});

test("starts the local network's server once, on demand, and ends it", async () => {
  const closed: string[] = [];
  let started = 0;
  const elsewhere = new ReachablePages({
    server: aServer('http://127.0.0.1:8700', closed),
    startLanServer: () => {
      started += 1;
      return Promise.resolve(aServer('http://192.168.1.5:41000', closed));
    },
  });
  for (const remote of [{ pages: 'lan' }, { pages: 'lan' }, {}]) {
    await elsewhere.equip(targetAt(remote), () => Promise.resolve(session));
  }
  expect(started).toBe(1);
  await elsewhere.close();
  // The run's own server is ended by the code that started it.
  expect(closed).toEqual(['http://192.168.1.5:41000']);
});

test('lists each public address once; they need a known port', () => {
  const at = (pages: string) => aFoundDevice(pages, { remote: { pages } });
  const origins = listPublicOrigins([
    ...[at('https://farm.example'), at('https://farm.example/'), at('lan')],
    aFoundDevice('phone', { phone: { platform: 'ios', pages: 'https://phone.example' } }),
    aFoundDevice('here'),
  ]);
  expect(origins).toEqual(['https://farm.example', 'https://phone.example']);
  expect(() => {
    refuseUnknownPort(origins, 0);
  }).toThrow(/leads to a port of this machine/);
  refuseUnknownPort(origins, 8700);
  refuseUnknownPort([], 0);
});
