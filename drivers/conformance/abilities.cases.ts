import { expect, test } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLiving } from '../shared/child-program.ts';
import { bounds, hasVisibleFlag, userAgent, type Case, type Setting } from './case.ts';
import { expectNothingLeft, findMarked } from './session-processes.ts';

/** Flags, preferences, processes and traces. */
export const abilityCases = {
  'hands flags to the browser': {
    shares: 'keeps',
    run: async (setting) => {
      const { browser } = setting.subject;
      test.skip(!hasVisibleFlag(browser), `no flag of ${browser} changes what a page sees`);
      await expectUserAgent(setting);
    },
  },
  'hands preferences to the browser': {
    shares: 'keeps',
    needs: 'preferences',
    run: expectUserAgent,
  },
  'lists the processes that it started, which carry the given environment': {
    shares: 'keeps',
    run: async ({ launch, testPages, mark }) => {
      const session = await launch();
      await session.open(testPages.page('one'), bounds);
      await testPages.asked('one');
      const pids = await session.processes();
      expect(pids.length).toBeGreaterThan(0);
      expect(pids.every(isLiving)).toBe(true);
      test.skip(process.platform !== 'linux', 'only Linux shows the environment of a process');
      expect(findMarked(mark)).toEqual(expect.arrayContaining([...pids]));
    },
  },
  'closing leaves nothing running, and is not reported as a death': {
    shares: 'ends',
    run: async ({ launch, testPages, mark }) => {
      const session = await launch();
      await session.open(testPages.page('one'), bounds);
      await testPages.asked('one');
      await session.close();
      await expectNothingLeft(mark);
      expect(await Promise.race([session.ended, Promise.resolve('alive')])).toBe('alive');
    },
  },
  'writes the trace of a session by the time that it is closed': {
    needs: 'trace',
    run: async ({ launch, testPages, mark }) => {
      const trace = join(mark, 'trace.json');
      const session = await launch({ trace });
      await session.open(testPages.page('one'), bounds);
      await testPages.asked('one');
      await session.close();
      expect(typeof JSON.parse(readFileSync(trace, 'utf8'))).toBe('object');
    },
  },
  'a trace that cannot be written keeps nothing from closing': {
    needs: 'trace',
    run: async ({ launch, testPages, mark }) => {
      const session = await launch({ trace: join(mark, 'no', 'such', 'folder', 'trace.json') });
      await session.open(testPages.page('one'), bounds);
      await testPages.asked('one');
      await session.close().catch((error: unknown) => {
        expect(error).toBeInstanceOf(Error);
      });
      await expectNothingLeft(mark);
    },
  },
} as const satisfies Record<string, Case>;

async function expectUserAgent({ launch, testPages }: Setting): Promise<void> {
  const session = await launch();
  await session.open(testPages.page('one'), bounds);
  expect((await testPages.seen('one')).userAgent).toBe(userAgent);
}
