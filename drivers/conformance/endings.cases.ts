import { expect, test } from '@playwright/test';
import type { Session } from '../driver.ts';
import type { TestPageServer } from '../doubles/test-page-server.ts';
import { bounds, type Case, type BrowserUnderTest } from './case.ts';
import { expectNothingLeft, kill } from './session-processes.ts';

/** Deaths, and closing what was never used, which is the driver's work for every browser. */
export const endingCases = {
  'reports the death of the browser, and can still be closed': {
    shares: 'ends',
    run: async ({ launch, testPages, subject, capabilities }) => {
      const session = await launch();
      await crash(session, testPages, subject);
      if (capabilities.noticesDeath.supported) {
        expect(await session.ended).toMatch(/\w+ (ended|died|crashed)/);
      }
      await session.close().catch((error: unknown) => {
        expect(error).toBeInstanceOf(Error);
      });
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
  'closing works before any page was opened': {
    run: async ({ launch, mark }) => {
      const session = await launch();
      await session.close();
      await expectNothingLeft(mark);
    },
  },
} as const satisfies Record<string, Case>;

async function crash(
  session: Session,
  testPages: TestPageServer,
  subject: BrowserUnderTest,
): Promise<void> {
  if (subject.crash !== undefined) return subject.crash(session, testPages);
  await session.open(testPages.page('doomed'), bounds);
  await testPages.asked('doomed');
  // The last one is the browser itself where a driver server stands before it.
  kill((await session.processes()).at(-1));
}
