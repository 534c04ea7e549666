import { expect, test } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLiving } from '../shared/child-program.ts';
import { bounds, type Case } from './case.ts';
import { expectNothingLeft, findMarked } from './session-processes.ts';

const userAgent = 'crossfarm conformance';

/** Flags that change the user agent, by product: what a page can see of a flag. */
const userAgentFlags: Readonly<Record<string, readonly string[]>> = {
  chromium: [`--user-agent=${userAgent}`],
  chrome: [`--user-agent=${userAgent}`],
  edge: [`--user-agent=${userAgent}`],
  webkitgtk: [`--user-agent=${userAgent}`],
};

/** Flags, preferences, processes and traces. */
export const abilityCases = {
  'hands flags to the browser': {
    run: async ({ launch, testPages, subject }) => {
      const flags = userAgentFlags[subject.browser];
      test.skip(flags === undefined, `no flag of ${subject.browser} changes what a page sees`);
      const session = await launch({ flags: flags ?? [] });
      await session.open(testPages.page('one'), bounds);
      expect((await testPages.seen('one')).userAgent).toBe(userAgent);
    },
  },
  'hands preferences to the browser': {
    needs: 'preferences',
    run: async ({ launch, testPages }) => {
      const session = await launch({ preferences: { 'general.useragent.override': userAgent } });
      await session.open(testPages.page('one'), bounds);
      expect((await testPages.seen('one')).userAgent).toBe(userAgent);
    },
  },
  'lists the processes that it started, which carry the given environment': {
    shares: true,
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
