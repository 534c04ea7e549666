import { test, expect } from '@playwright/test';
import { prepare } from './benchmark.js';
import { watchFrames } from './frames.js';

/** A screen that draws when the test says so. */
function aScreen() {
  let time = 0;
  let draw: (() => void) | null = null;
  return {
    requestAnimationFrame(callback: () => void) {
      draw = callback;
      return 1;
    },
    cancelAnimationFrame() {
      draw = null;
    },
    now: () => time,
    drawAt(at: number) {
      time = at;
      draw?.();
    },
    isWatched: () => draw !== null,
  };
}

test('the longest gap between frames is that of the stretch that is looked at', () => {
  const screen = aScreen();
  const frames = watchFrames(screen);
  screen.drawAt(500);
  frames.begin();
  for (const at of [516, 532, 600, 616]) screen.drawAt(at);
  expect(frames.longestMs()).toBe(68);
  frames.begin();
  screen.drawAt(632);
  expect(frames.longestMs()).toBe(16);
  frames.end();
  expect(screen.isWatched()).toBe(false);
});

test('counts a gap from the last frame before to the first after', async () => {
  const screen = aScreen();
  const frames = watchFrames(screen);
  screen.drawAt(10);
  frames.begin();
  const next = frames.next();
  screen.drawAt(210);
  await next;
  expect(frames.longestMs()).toBe(200);
  frames.end();
});

interface Key {
  readonly salt: Uint8Array;
  readonly key: Uint8Array;
}

for (const name of ['pbkdf2', 'pbkdf2Async', 'deriveBits']) {
  test(`${name} makes the keys that the other implementation makes, and times them`, async () => {
    const made = await prepare({ function: name, rounds: 10, keys: 3 });
    expect(made.asynchronous).toBe(true);
    const keys = (await made.once()) as Key[];
    await made.check(keys);
    expect(made.also).toEqual([{ metric: 'hashing', unit: 'ms', values: [expect.any(Number)] }]);
    const [first, , last] = keys as [Key, Key, Key];
    const wrong = [...keys.slice(0, 2), { ...last, key: new Uint8Array(32) }];
    await expect(made.check(wrong)).rejects.toThrow('the other implementation made');
    await expect(made.check([first, first, first])).rejects.toThrow(
      '1 different keys instead of 3',
    );
  });

  test(`${name} never gets a salt twice, so no key can be remembered`, async () => {
    const { once } = await prepare({ function: name, rounds: 1, keys: 4 });
    const runs = [await once(), await once(), await once()] as Key[][];
    expect(new Set(runs.flat().map(({ salt }) => salt.join())).size).toBe(12);
  });
}

test('an unknown function and numbers out of range are refused', async () => {
  const sound = { function: 'pbkdf2', rounds: 1, keys: 1 };
  await expect(prepare({ ...sound, function: 'toString' })).rejects.toThrow(
    'no function "toString"',
  );
  await expect(prepare({ ...sound, rounds: 0 })).rejects.toThrow('rounds cannot be 0');
  await expect(prepare({ ...sound, keys: 101 })).rejects.toThrow('keys cannot be 101');
});
