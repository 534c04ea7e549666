import { expect, test } from '@playwright/test';
import type { Session } from '../driver.ts';
import type { TestPageServer } from '../doubles/test-page-server.ts';
import { bounds, type Case, type Tried } from './case.ts';
import { expectNothingLeft, kill } from './session-processes.ts';

/** Closing, and the death of a browser. */
export const endingCases = {
  'closing leaves nothing running, and is not reported as a death': {
    run: async ({ launch, testPages, mark }) => {
      const session = await launch();
      await session.open(testPages.page('one'), bounds);
      await testPages.asked('one');
      await session.close();
      await expectNothingLeft(mark);
      expect(await Promise.race([session.ended, Promise.resolve('alive')])).toBe('alive');
    },
  },
  'closing works before any page was opened': {
    run: async ({ launch, mark }) => {
      const session = await launch();
      await session.close();
      await expectNothingLeft(mark);
    },
  },
  'reports the death of the browser': {
    needs: 'noticesDeath',
    run: async ({ launch, testPages, subject }) => {
      const session = await launch();
      await crash(session, testPages, subject);
      expect(await session.ended).toMatch(/\w+ (ended|died|crashed)/);
    },
  },
  'reports the death of the driver server in front of the browser': {
    needs: 'noticesDeath',
    run: async ({ launch }) => {
      const session = await launch();
      const [server, ...others] = await session.processes();
      test.skip(others.length === 0, 'no server stands between this driver and the browser');
      kill(server);
      expect(await session.ended).toMatch(/\w+ ended/);
    },
  },
  'closing after a crash comes to an end': {
    run: async ({ launch, testPages, subject }) => {
      const session = await launch();
      await crash(session, testPages, subject);
      await session.close().catch((error: unknown) => {
        expect(error).toBeInstanceOf(Error);
      });
    },
  },
} as const satisfies Record<string, Case>;

async function crash(session: Session, testPages: TestPageServer, subject: Tried): Promise<void> {
  if (subject.crash !== undefined) return subject.crash(session, testPages);
  await session.open(testPages.page('doomed'), bounds);
  await testPages.asked('doomed');
  // The last one is the browser itself where a driver server stands before it.
  kill((await session.processes()).at(-1));
}
