import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@playwright/test';
import type { Browser } from 'webdriverio';
import type { LaunchOptions } from '../driver.ts';
import type { ChildProgram } from './child-program.ts';
import { launchStep, watchEnding } from './step.ts';
import { makeSession, startBrowser } from './w3c-session.ts';

const lost = (): Promise<never> => Promise.reject(new Error('UND_ERR_SOCKET'));

function aSession(server: ChildProgram | null, generations: number) {
  const parts = { ending: watchEnding(), server, generations, by: 'WebDriver', dialogs: false };
  return makeSession({ capabilities: {} } as Browser, { ...parts, remove: lost });
}

/** A server that counts how often it is ended. */
function aServer() {
  const counted = { endings: 0 };
  const server: ChildProgram = {
    pid: process.pid,
    ended: new Promise(() => undefined),
    lastWords: () => '',
    end: () => {
      counted.endings += 1;
      return Promise.resolve();
    },
  };
  return { server, counted };
}

test('ends a server of ours that closes the connection without an answer', async () => {
  const { server, counted } = aServer();
  await aSession(server, 1).close();
  expect(counted.endings).toBe(1);
});

test('fails for a session left on a phone and ends our server', async () => {
  const { server, counted } = aServer();
  await expect(aSession(server, 0).close()).rejects.toThrow('UND_ERR_SOCKET');
  expect(counted.endings).toBe(1);
});

test("fails when another user's server may still hold a session", async () => {
  await expect(aSession(null, 0).close()).rejects.toThrow('UND_ERR_SOCKET');
});

test('an opening that was given up is over before its session is deleted', async () => {
  const asked: string[] = [];
  const note = (command: string) => (): Promise<void> => {
    asked.push(command);
    return Promise.resolve();
  };
  let openWindow: (window: { handle: string }) => void = () => undefined;
  const browser = {
    capabilities: {},
    createWindow: () => new Promise((resolve) => (openWindow = resolve)),
    closeWindow: note('close window'),
    switchToWindow: note('switch'),
    navigateTo: note('navigate'),
  } as unknown as Browser;
  const parts = { ending: watchEnding(), server: null, generations: 0, by: 'WebDriver' };
  const session = makeSession(browser, { ...parts, dialogs: false, remove: note('delete') });
  const controller = new AbortController();
  const reason = new Error('changed my mind');
  const opening = session.open('http://x/', { signal: controller.signal, timeoutMs: 60_000 });
  controller.abort(reason);
  await expect(opening).rejects.toBe(reason);
  const closing = session.close();
  openWindow({ handle: 'two' });
  await closing;
  expect(asked).toEqual(['close window', 'switch', 'navigate', 'delete']);
});

test('a question that the browser has lost ends, and the next one is answered', async () => {
  const answers = [new Promise(() => undefined), Promise.resolve(12)];
  const browser = { capabilities: {}, executeScript: () => answers.shift() } as unknown as Browser;
  const parts = { ending: watchEnding(), server: null, generations: 0, by: 'WebDriver' };
  const session = makeSession(browser, { ...parts, dialogs: false, answerMs: 1 });
  await expect(session.evaluate?.('rows')).rejects.toMatchObject({ code: 'timed-out' });
  expect(await session.evaluate?.('rows')).toBe(12);
});

/** A server whose sessions begin when `begin` is called, and that notes what it is asked. */
async function aSlowServer() {
  const asked: string[] = [];
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const server: Server = createServer((request, response) => {
    asked.push(`${String(request.method)} ${String(request.url)}`);
    const answer = (value: unknown): void => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ value }));
    };
    if (request.method === 'DELETE') answer(null);
    else
      void begun.then(() => {
        answer({ sessionId: 'late', capabilities: {} });
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return { asked, begin, address, server };
}

test("deletes a session that another user's server grants too late", async () => {
  const { asked, begin, address, server } = await aSlowServer();
  const launch = launchStep(async ({ timeoutMs }) => {
    const browser = await startBrowser({ address, timeoutMs, capabilities: {} });
    const parts = { ending: watchEnding(), server: null, generations: 0, by: 'WebDriver' };
    return makeSession(browser, { ...parts, dialogs: false });
  });
  const { signal } = new AbortController();
  const options = { browser: 'chromium', timeoutMs: 20, signal } as LaunchOptions;
  const launching = expect(launch(options)).rejects.toMatchObject({ code: 'timed-out' });
  await expect.poll(() => asked).toContain('POST /session');
  // Longer than the limit, which webdriverio may have had for its own.
  await new Promise((resolve) => setTimeout(resolve, 100));
  begin();
  await launching;
  await expect.poll(() => asked).toContain('DELETE /session/late');
  server.close();
});
