import { test, expect } from '@playwright/test';
import type { MeasurementRules } from '../protocol.d.ts';
import { measure } from './measure.js';

const rules: MeasurementRules = {
  iterations: 5,
  minIterations: 2,
  maxTimedMs: 10_000,
  minGranules: 100,
  warmUp: { minIterations: 3, maxIterations: 50, maxMs: 60_000 },
};

/** A world in which only the operation takes time; `costs(call)` is how long that call takes. */
function aWorld(costs: (call: number) => number, granuleMs = 0.005) {
  const world = { time: 0, calls: 0, log: [] as string[] };
  const work = () => {
    world.time += costs(world.calls);
    world.calls += 1;
    return world.calls;
  };
  const clock = { granuleMs, now: () => Math.floor(world.time / granuleMs + 1e-9) * granuleMs };
  const hooks = {
    beforeWindow: async () => {
      world.log.push(`start after ${String(world.calls)}`);
    },
    afterWindow: async () => {
      world.log.push(`end after ${String(world.calls)}`);
    },
  };
  return { world, clock, hooks, operation: { once: work as () => unknown, asynchronous: false } };
}

test('takes the iterations asked for, between the marks', async () => {
  const { world, ...rest } = aWorld(() => 10);
  const found = await measure({ rules, ...rest });
  expect(found.timed).toEqual([10, 10, 10, 10, 10]);
  expect(found).toMatchObject({ repeats: 1, steadiness: 'steady', value: 55 });
  expect(world.log).toEqual(['start after 50', 'end after 55']);
});

test('warms up for 500 ms at least, and for six iterations at least', async () => {
  const short = await measure({ rules, ...aWorld(() => 10) });
  expect(short.warmUp).toHaveLength(50);
  const long = await measure({ rules, ...aWorld(() => 100) });
  expect(long.warmUp).toHaveLength(6);
});

test('warms up on when a plateau ends', async () => {
  const plateau = (call: number) => (call < 9 ? 20 : 10);
  const found = await measure({ rules, ...aWorld(plateau) });
  expect(found.warmUp.length).toBeGreaterThan(12);
  expect(found.timed).toEqual([10, 10, 10, 10, 10]);
  expect(found.steadiness).toBe('steady');
});

test('work that got faster than the clock can tell inside the window was not steady', async () => {
  const late = aWorld((call) => (call < 51 ? 10 : 0.1));
  const found = await measure({ rules, ...late });
  expect(found.timed).toEqual([10, 0.1, 0.1, 0.1, 0.1]);
  expect(found.steadiness).toBe('no steady state');
});

test('repeats short work until an iteration lasts 100 granules, and divides by the repeats', async () => {
  const { world, ...rest } = aWorld(() => 0.001);
  const found = await measure({ rules, ...rest });
  expect(found.repeats).toBeGreaterThanOrEqual(500);
  expect(found.repeats).toBeLessThanOrEqual(5000);
  for (const duration of found.timed) expect(duration).toBeCloseTo(0.001, 5);
  expect(world.calls).toBeGreaterThan(found.repeats * 5);
});

test('repeats work that the clock cannot see at all', async () => {
  const found = await measure({ rules, ...aWorld(() => 1e-4, 0.1) });
  expect(found.repeats * 1e-4).toBeGreaterThanOrEqual(10);
  expect(found.timed[0]).toBeCloseTo(1e-4, 6);
});

test('finds more repeats when the work gets faster during warm-up', async () => {
  const found = await measure({ rules, ...aWorld((call) => (call < 4 ? 1 : 0.01)) });
  expect(found.repeats * 0.01).toBeGreaterThanOrEqual(0.5);
  expect(found.steadiness).toBe('steady');
});

test('keeps the repeats through the timed window', async () => {
  const { world, ...rest } = aWorld((call) => (call < 1000 ? 1 : 0.001));
  const found = await measure({ rules: { ...rules, iterations: 1000 }, ...rest });
  expect(found.repeats).toBe(1);
  expect(found.timed).toHaveLength(1000);
  expect(world.calls).toBe(1000 + found.warmUp.length);
});

test('ends the window early, but not before the minimum', async () => {
  const slow = { ...rules, iterations: 50, minIterations: 4 };
  const enough = await measure({ rules: { ...slow, maxTimedMs: 65 }, ...aWorld(() => 10) });
  expect(enough.timed).toHaveLength(7);
  const least = await measure({ rules: { ...slow, maxTimedMs: 1 }, ...aWorld(() => 10) });
  expect(least.timed).toHaveLength(4);
});

test('takes no more than `iterations` even if the minimum asks for more', async () => {
  const found = await measure({ rules: { ...rules, minIterations: 9 }, ...aWorld(() => 10) });
  expect(found.timed).toHaveLength(5);
});

test('warms up for the minimum even when steady at once', async () => {
  const warmUp = { ...rules.warmUp, minIterations: 70, maxIterations: 100 };
  const found = await measure({ rules: { ...rules, warmUp }, ...aWorld(() => 10) });
  expect(found.warmUp).toHaveLength(70);
  expect(found.steadiness).toBe('steady');
});

test('the cap on iterations ends a warm-up that gets slower, and says so', async () => {
  const found = await measure({ rules, ...aWorld((call) => 10 + call) });
  expect(found.warmUp).toHaveLength(50);
  expect(found.steadiness).toBe('slowing');
});

test('the cap on time ends a warm-up that wanders, and says so', async () => {
  const warmUp = { ...rules.warmUp, maxMs: 300 };
  const found = await measure({
    rules: { ...rules, warmUp },
    ...aWorld((call) => (call % 2 === 0 ? 10 : 20)),
  });
  expect(found.warmUp).toHaveLength(20);
  expect(found.steadiness).toBe('no steady state');
});

test('a cap of zero still finds the repeats', async () => {
  const warmUp = { minIterations: 0, maxIterations: 0, maxMs: 0 };
  const found = await measure({ rules: { ...rules, warmUp }, ...aWorld(() => 0.001) });
  expect(found.repeats).toBeGreaterThanOrEqual(500);
  expect(found.steadiness).toBe('no steady state');
});

test('awaits each asynchronous call before the next', async () => {
  const { world, clock, hooks } = aWorld(() => 0);
  let running = 0;
  let together = 0;
  const once = async () => {
    running += 1;
    together = Math.max(together, running);
    await Promise.resolve();
    world.time += 0.1;
    running -= 1;
    return 'value';
  };
  const found = await measure({ operation: { once, asynchronous: true }, rules, clock, hooks });
  expect(together).toBe(1);
  expect(found.repeats).toBeGreaterThan(1);
  expect(found.value).toBe('value');
  expect(found.timed[0]).toBeCloseTo(0.1, 9);
});

test('gives no turn to the microtask queue inside a synchronous window', async () => {
  const { world, clock, operation, hooks } = aWorld(() => 10);
  let turns = 0;
  let going = true;
  const turn = (): void => {
    turns += 1;
    if (going) queueMicrotask(turn);
  };
  const seen: number[] = [];
  const watched = {
    beforeWindow: async () => {
      await hooks.beforeWindow();
      queueMicrotask(turn);
    },
    afterWindow: async () => {
      going = false;
      await hooks.afterWindow();
    },
  };
  const once = () => {
    if (world.log.length === 1) seen.push(turns);
    return operation.once();
  };
  await measure({
    operation: { once, asynchronous: false },
    rules: { ...rules, iterations: 1000 },
    clock,
    hooks: watched,
  });
  expect(new Set(seen).size).toBe(1);
  expect(seen).toHaveLength(1000);
});

test('an error of the operation comes through', async () => {
  const { clock, hooks } = aWorld(() => 1);
  const once = () => {
    throw new Error('broken');
  };
  await expect(
    measure({ operation: { once, asynchronous: false }, rules, clock, hooks }),
  ).rejects.toThrow('broken');
});

test('where the first run counts there is no warm-up, and one call is timed', async () => {
  const { world, operation, ...rest } = aWorld((call) => (call === 0 ? 40 : 1));
  const found = await measure({ rules, operation: { ...operation, firstRun: true }, ...rest });
  expect(found).toMatchObject({ warmUp: [], timed: [40], repeats: 1, steadiness: 'first run' });
  expect(world.log).toEqual(['start after 0', 'end after 1']);
});

test('a first run that is shorter than the clock can tell keeps its label', async () => {
  const { operation, ...rest } = aWorld(() => 0.1);
  const found = await measure({ rules, operation: { ...operation, firstRun: true }, ...rest });
  expect(found).toMatchObject({ timed: [0.1], steadiness: 'first run' });
});

test('what the benchmark measures besides is split at the start of the window', async () => {
  const values: number[] = [];
  const { world, operation, ...rest } = aWorld(() => 10);
  const once = () => {
    operation.once();
    values.push(world.calls, 0.5);
  };
  const also = [{ metric: 'wait', unit: 'µs', values }];
  const found = await measure({ rules, operation: { ...operation, once, also }, ...rest });
  const [wait] = found.also;
  expect(wait).toMatchObject({ metric: 'wait', unit: 'µs' });
  expect(wait?.warmUp).toHaveLength(100);
  expect(wait?.timed).toEqual([51, 0.5, 52, 0.5, 53, 0.5, 54, 0.5, 55, 0.5]);
});
