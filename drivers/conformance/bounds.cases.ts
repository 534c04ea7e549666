import { expect } from '@playwright/test';
import { DriverError } from '../driver.ts';
import { bounds, never, type Case } from './case.ts';
import { expectNothingComes } from './session-processes.ts';

/** Launches and pages that fail, are aborted or take too long. */
export const boundCases = {
  'a launch that is aborted before it begins starts nothing': {
    run: async ({ launch, mark }) => {
      const reason = new Error('changed my mind');
      await expect(launch({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      await expectNothingComes(mark);
    },
  },
  'a launch that is aborted on the way leaves nothing running': {
    run: async ({ launch, mark }) => {
      const reason = new Error('changed my mind');
      const controller = new AbortController();
      const launching = launch({ signal: controller.signal });
      // Wherever it is by now, it is under way: the libraries are loaded by the cases before.
      setTimeout(() => {
        controller.abort(reason);
      }, 50);
      await expect(launching).rejects.toBe(reason);
      await expectNothingComes(mark);
    },
  },
  'a launch that takes too long is given up and leaves nothing running': {
    run: async ({ launch, mark }) => {
      await expect(launch({ timeoutMs: 1 })).rejects.toMatchObject({
        name: 'DriverError',
        code: 'timed-out',
      });
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
  'opening a page that never answers ends in time': {
    run: async ({ launch, testPages }) => {
      const session = await launch();
      const opening = session.open(testPages.silent, { signal: never, timeoutMs: 2000 });
      // Navigation may have begun in time: then the farm's own deadline for the page counts.
      const ending = await opening.then(
        () => 'begun',
        (error: unknown) => (error instanceof DriverError ? error.code : error),
      );
      expect(['begun', 'timed-out']).toContain(ending);
    },
  },
  'opening with an aborted signal opens nothing': {
    shares: true,
    run: async ({ launch, testPages }) => {
      const session = await launch();
      const reason = new Error('changed my mind');
      const signal = AbortSignal.abort(reason);
      await expect(session.open(testPages.page('one'), { ...bounds, signal })).rejects.toBe(reason);
    },
  },
  'opening can be aborted while the page keeps it waiting': {
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
} as const satisfies Record<string, Case>;
