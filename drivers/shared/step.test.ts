import { expect, test } from '@playwright/test';
import { DriverError } from '../driver.ts';
import { firstLine, runStep, watchEnding } from './step.ts';

const never = new AbortController().signal;
const step = {
  what: 'Launching x',
  code: 'launch-failed',
  signal: never,
  timeoutMs: 60_000,
} as const;

test('a step that succeeds gives its value', async () => {
  expect(await runStep(() => Promise.resolve(3), step)).toBe(3);
});

test("a library's error is wrapped once, in one line, and kept as the cause", async () => {
  const cause = new Error('\u001b[2mno such file\u001b[22m\nCall log:\n  - many lines');
  const error: unknown = await runStep(() => Promise.reject(cause), step).catch((e: unknown) => e);
  expect(error).toMatchObject({
    name: 'DriverError',
    code: 'launch-failed',
    message: 'Launching x failed: no such file',
    cause,
  });
  const own = new DriverError('not-supported', 'not here');
  await expect(runStep(() => Promise.reject(own), step)).rejects.toBe(own);
});

test('gives up a slow step and undoes it before throwing its error', async () => {
  const undone: string[] = [];
  const work = (abandoned: AbortSignal): Promise<string> =>
    new Promise((succeed) => {
      abandoned.addEventListener('abort', () => {
        succeed('late browser');
      });
    });
  const options = { ...step, timeoutMs: 1, undo: (late: string) => undone.push(late) };
  await expect(runStep(work, options)).rejects.toThrow('took longer than 0 s');
  expect(undone).toEqual(['late browser']);
});

test("an aborted step rejects with the signal's reason and never starts late", async () => {
  const reason = new Error('stop');
  let started = false;
  const start = (): Promise<never> => {
    started = true;
    return new Promise(() => undefined);
  };
  const early = runStep(start, { ...step, signal: AbortSignal.abort(reason) });
  await expect(early).rejects.toBe(reason);
  expect(started).toBe(false);
  const controller = new AbortController();
  const late = runStep(start, { ...step, signal: controller.signal });
  controller.abort(reason);
  await expect(late).rejects.toBe(reason);
});

test('an error without words is still a sentence', () => {
  expect(firstLine(new Error(''))).toBe('no reason given');
  expect(firstLine('x'.repeat(1000))).toHaveLength(300);
});

test('an ending is reported once, and never when it was expected', async () => {
  const first = watchEnding();
  first.tell('crashed');
  first.tell('ended');
  expect(await first.ended).toBe('crashed');
  const second = watchEnding();
  second.expect();
  second.tell('ended');
  expect(await Promise.race([second.ended, Promise.resolve('alive')])).toBe('alive');
});

test('aborts the signal of an abandoned step, not of a successful one', async () => {
  const told: boolean[] = [];
  const noting = (signal: AbortSignal): Promise<void> => {
    signal.addEventListener('abort', () => told.push(true));
    return new Promise(() => undefined);
  };
  await expect(runStep(noting, { ...step, timeoutMs: 1 })).rejects.toThrow('took longer');
  expect(told).toEqual([true]);
  let kept: AbortSignal | null = null;
  await runStep(async (signal) => void (kept = signal), step);
  expect(kept).toMatchObject({ aborted: false });
});
