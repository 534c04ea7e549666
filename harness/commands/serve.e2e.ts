import { expect, test } from '@playwright/test';
import { networkInterfaces } from 'node:os';
import { farm, startFarm } from '../testing/farm.ts';
import { aFolder } from '../testing/folder.ts';
import { aStoredHistory } from '../testing/stored-history.ts';

test('farm serve says where it listens, answers, and ends by Ctrl-C', async () => {
  const database = await aStoredHistory();
  const serving = startFarm(await aFolder(), [
    ...['serve', '--json', '--port', '0', '--database', database],
  ]);
  let printed = '';
  for await (const chunk of serving.stdout as AsyncIterable<Buffer>) {
    printed += chunk.toString();
    if (printed.includes('}')) break;
  }
  const { url, api } = JSON.parse(printed) as { url: string; api: string };
  expect(new URL(url).hostname).toBe('127.0.0.1');
  const page = await (await fetch(url)).text();
  expect(page).toContain('crossfarm · explorer');
  for (const [, file] of page.matchAll(/(?:src|href)="((?!data:)[^"#]+\.(?:js|css))"/g)) {
    expect((await fetch(new URL(file!, url))).status, file).toBe(200);
  }
  expect(await (await fetch(api)).json()).toMatchObject({ openapi: '3.1.0' });
  serving.kill('SIGINT');
  expect((await serving).exitCode).toBe(0);
});

const lan = Object.values(networkInterfaces())
  .flatMap((one) => one ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

test('with --lan devices of the local network may join, and the explorer stays on this machine', async () => {
  test.skip(lan === undefined, 'this machine has no address in a local network');
  const folder = await aFolder();
  const serving = startFarm(folder, ['serve', '--json', '--port', '0', '--lan']);
  let printed = '';
  for await (const chunk of serving.stdout as AsyncIterable<Buffer>) {
    printed += chunk.toString();
    if (printed.includes('"invitation"') && printed.endsWith('\n')) break;
  }
  const event = printed.indexOf('{"type":"invitation"');
  const explorer = JSON.parse(printed.slice(0, event)) as { url: string };
  const invitation = JSON.parse(printed.slice(event)) as { url: string; screen: string };
  expect(new URL(explorer.url).hostname).toBe('127.0.0.1');
  expect(new URL(invitation.url).hostname).toBe(lan);
  expect(await (await fetch(invitation.screen)).text()).toContain('<svg');
  expect(await (await fetch(invitation.url)).text()).toContain('What do you call this device?');
  // Who has not joined sees nothing of the pages.
  expect((await fetch(new URL('/promise/index.html', invitation.url))).status).toBe(403);
  serving.kill('SIGINT');
  expect((await serving).exitCode).toBe(0);
});

test('a database that is not there is not made by serving it', async () => {
  const folder = await aFolder();
  const { code, stderr } = await farm(folder, 'serve');
  expect(stderr).toMatch(/nothing to serve[\s\S]*farm run/);
  expect(code).toBe(2);
  expect((await farm(folder, 'report')).stderr).toContain('There is no run');
});
