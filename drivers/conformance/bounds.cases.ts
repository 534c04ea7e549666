import { expect } from '@playwright/test';
import { DriverError } from '../driver.ts';
import { bounds, never, type Case } from './case.ts';
import { expectNothingComes } from './session-processes.ts';

/**
 * Launches and pages that fail, are aborted or take too long, which the driver bounds for every
 * browser.
 */
export const boundCases = {
  // One watch for what comes late serves all three.
  'launches that are given up leave nothing running': {
    run: async ({ launch, mark, subject: { launchesAtOnce = false } }) => {
      const reason = new Error('changed my mind');
      const early = launch({ signal: AbortSignal.abort(reason) });
      await expect(early, 'aborted before it begins').rejects.toBe(reason);
      if (!launchesAtOnce) {
        const controller = new AbortController();
        const launching = launch({ signal: controller.signal });
        // Wherever it is by now, it is under way: the libraries are loaded by the cases before.
        setTimeout(() => {
          controller.abort(reason);
        }, 50);
        await expect(launching, 'aborted on the way').rejects.toBe(reason);
        await expect(launch({ timeoutMs: 1 }), 'takes too long').rejects.toMatchObject({
          name: 'DriverError',
          code: 'timed-out',
        });
      }
      await expectNothingComes(mark);
    },
  },
  'a program that cannot be run is a failed launch': {
    run: async ({ launch }) => {
      const error: unknown = await launch({ executable: '/nowhere/browser' }).catch(
        (one: unknown) => one,
      );
      expect(error).toBeInstanceOf(DriverError);
      expect(error).toMatchObject({ code: 'launch-failed' });
    },
  },
  'opening with an aborted signal opens nothing': {
    shares: 'keeps',
    run: async ({ launch, testPages }) => {
      const session = await launch();
      const reason = new Error('changed my mind');
      const signal = AbortSignal.abort(reason);
      await expect(session.open(testPages.page('one'), { ...bounds, signal })).rejects.toBe(reason);
    },
  },
  'opening can be aborted while the page keeps it waiting': {
    shares: 'keeps',
    run: async ({ launch, testPages }) => {
      const session = await launch();
      const reason = new Error('changed my mind');
      const controller = new AbortController();
      const opening = session
        .open(testPages.silent, { ...bounds, signal: controller.signal })
        .catch((error: unknown) => error);
      await testPages.asked('silent');
      controller.abort(reason);
      expect([undefined, reason]).toContain(await opening);
    },
  },
  'opening a page that never answers ends in time': {
    // The given-up step may still be under way, and would meet a page opened after it.
    shares: 'ends',
    run: async ({ launch, testPages }) => {
      const session = await launch();
      const opening = session.open(testPages.silent, { signal: never, timeoutMs: 1000 });
      // Navigation may have begun in time: then the farm's own deadline for the page counts.
      const ending = await opening.then(
        () => 'begun',
        (error: unknown) => (error instanceof DriverError ? error.code : error),
      );
      expect(['begun', 'timed-out']).toContain(ending);
    },
  },
} as const satisfies Record<string, Case>;
