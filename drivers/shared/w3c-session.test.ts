import { expect, test } from '@playwright/test';
import type { Browser } from 'webdriverio';
import type { ChildProgram } from './child-program.ts';
import { watchEnding } from './step.ts';
import { makeSession } from './w3c-session.ts';

const lost = (): Promise<never> => Promise.reject(new Error('UND_ERR_SOCKET'));

function aSession(server: ChildProgram | null) {
  const parts = { ending: watchEnding(), server, generations: 0, by: 'WebDriver', dialogs: false };
  return makeSession({ capabilities: {} } as Browser, { ...parts, remove: lost });
}

test('a server of ours that closes the connection instead of an answer is ended all the same', async () => {
  let endings = 0;
  const server: ChildProgram = {
    pid: process.pid,
    ended: new Promise(() => undefined),
    lastWords: () => '',
    end: () => {
      endings += 1;
      return Promise.resolve();
    },
  };
  await aSession(server).close();
  expect(endings).toBe(1);
});

test('a session that somebody else’s server may still hold is an error', async () => {
  await expect(aSession(null).close()).rejects.toThrow('UND_ERR_SOCKET');
});
