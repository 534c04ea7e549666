import { test, expect } from '@playwright/test';
import type { Metric } from '../model/case.ts';
import type { Explanation, LocateScripts } from '../model/explanation.ts';
import type { Reading } from '../model/reading.ts';
import { explain, undeclared } from './attempt.ts';
import { defaultLimits } from './limits.ts';

const duration: Metric = { id: 'duration', title: 'Duration', unit: 'ms', direction: 'lower' };
const wait: Metric = { id: 'wait', title: 'Wait', unit: 'µs', direction: 'lower' };

function posted(...names: readonly (readonly [string, string])[]) {
  return { samples: names.map(([metric, unit]) => ({ metric, unit, warmUp: [], timed: [1] })) };
}

const both = posted(['wait', 'µs'], ['duration', 'ms']);

test('a result holds every declared metric, in any order', () => {
  expect(undeclared(both, [duration, wait])).toBeNull();
  expect(undeclared(posted(['duration', 'ms']), [duration, wait])).toMatch(
    /duration in ms\b.*benchmark\.json.*duration in ms, wait in µs$/,
  );
});

test('an optional metric may be left out, and may be there', () => {
  const metrics = [duration, { ...wait, optional: true }];
  expect(undeclared(posted(['duration', 'ms']), metrics)).toBeNull();
  expect(undeclared(both, metrics)).toBeNull();
});

test('names a metric that is not declared, or in another unit', () => {
  expect(undeclared(both, [duration])).toContain('posted wait in µs, duration in ms');
  expect(undeclared(posted(['duration', 's']), [duration])).toContain('posted duration in s');
});

const slow = { ms: 90, layoutMs: 0, name: 'a', source: 'app.js', line: 1, column: 9, invoker: '' };
const frame = { ms: 140, blockedMs: 90, frames: 1, scripts: [slow] };
const told: readonly Explanation[] = [{ metric: 'inp', frame }];

/** Explains a trial whose scripts are named by this. */
function explained(
  locateScripts: LocateScripts,
  { scriptsMs = defaultLimits.scriptsMs, signal = new AbortController().signal } = {},
): Promise<readonly Reading[]> {
  return explain(told, { locateScripts, limits: { scriptsMs }, servesPage: () => true, signal });
}

const asTheBrowserSays = [{ values: { inpScript1: { value: 'a (app.js:1)' } } }];

const untilItsEnd: LocateScripts = (_, { signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });

test('a trial is complete without the names of its scripts', async () => {
  const fails = (): Promise<never> => Promise.reject(new TypeError('an odd source map'));
  expect(await explained(fails)).toMatchObject(asTheBrowserSays);
});

test('scripts that are not named in time are called as the browser calls them', async () => {
  expect(await explained(untilItsEnd, { scriptsMs: 1 })).toMatchObject(asTheBrowserSays);
});

test('whoever interrupts a trial does not wait for the names of its scripts', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const explaining = explained(untilItsEnd, { scriptsMs: 3_600_000, signal });
  controller.abort(new Error('Ctrl-C'));
  await expect(explaining).rejects.toThrow('Ctrl-C');
});
