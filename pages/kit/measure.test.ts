import { test, expect } from '@playwright/test';
import type { SegmentRules } from '../protocol.d.ts';
import { currentRules, measure } from './measure.js';

const rules: SegmentRules = {
  minGranules: 100,
  settled: { ms: 400, calls: 40 },
  window: { ms: 200, iterations: 5 },
  maxMs: 5_000,
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
  const operation = { once: work as () => unknown, asynchronous: false };
  return { world, clock, hooks, operation, random: () => 0 };
}

/** A little noise that is the same in every run. */
const noise = (call: number) => 1 + 0.005 * Math.sin(call * call);

test('times a window inside the last segment, between the marks', async () => {
  const { world, ...rest } = aWorld((call) => (call < 60 ? 5 : 1) * noise(call), 1e-6);
  const found = await measure({ rules, ...rest });
  expect(found.steadiness).toBe('warm-up');
  expect(found.timed.length).toBeGreaterThanOrEqual(200);
  for (const ms of found.timed) expect(ms).toBeCloseTo(1, 1);
  expect(found.steadyState?.steadyAfterMs).toBeGreaterThan(270);
  expect(found.steadyState?.steadyAfterMs).toBeLessThan(330);
  expect(world.log).toHaveLength(2);
});

test('is not taken in by a plateau of some hundred calls', async () => {
  for (const plateau of [53, 103, 205, 390]) {
    const browser = aWorld((call) => (call < plateau ? 1.5 : 0.3) * noise(call), 0.005);
    const found = await measure({
      ...browser,
      rules: { ...rules, settled: { ms: 250, calls: 120 } },
    });
    expect(found.steadiness).toBe('warm-up');
    for (const ms of found.timed) expect(ms).toBeCloseTo(0.3, 1);
  }
});

test('announces another window when the speed changes inside one', async () => {
  const { world, ...rest } = aWorld((call) => (call < 185 ? 5 : 1) * noise(call), 1e-6);
  const found = await measure({ rules, ...rest });
  expect(world.log.map((entry) => entry.split(' ')[0])).toEqual(['start', 'end', 'start', 'end']);
  for (const ms of found.timed) expect(ms).toBeCloseTo(1, 1);
  expect(found.steadiness).toBe('warm-up');
  expect(found.warmUp.length).toBeGreaterThan(185);
});

test('believes a plateau of few calls only after a long time', async () => {
  const long = { ...rules, settled: { ms: 300, calls: 40 } };
  const found = await measure({ rules: long, ...aWorld((call) => 100 * noise(call)) });
  expect(found.steadyState?.windowAtMs).toBeGreaterThanOrEqual(1_790);
  expect(found.steadiness).toBe('flat');
  expect(found.timed).toHaveLength(5);
});

test('iterates for up to a fifth longer, at random, before the window', async () => {
  const windowAtMs = async (random: number): Promise<number> => {
    const { steadyState } = await measure({
      rules,
      ...aWorld((call) => noise(call), 1e-6),
      random: () => random,
    });
    return steadyState?.windowAtMs ?? NaN;
  };
  const [earliest, latest] = [await windowAtMs(0), await windowAtMs(0.999)];
  expect(latest / earliest).toBeGreaterThan(1.2);
  expect(latest + rules.window.ms).toBeLessThanOrEqual(1.2 * (earliest + rules.window.ms));
});

test('a window after a starved warm-up lasts half of its length', async () => {
  const found = await measure({
    rules,
    ...aWorld((call) => (call === 5 ? 2_399 : call < 30 ? 1 : 0.99) * noise(call), 1e-6),
  });
  expect(found.timed.length).toBeGreaterThan(rules.window.iterations);
  expect(found.timed.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(100);
});

test('work that ends slower than it was is a slowdown', async () => {
  const found = await measure({ rules, ...aWorld((call) => (call < 50 ? 2 : 3) * noise(call)) });
  expect(found.steadiness).toBe('slowdown');
  for (const ms of found.timed) expect(ms).toBeCloseTo(3, 1);
});

test('counts and reports a slower stretch inside the window', async () => {
  let inFirstWindow = 0;
  const { world, ...rest } = aWorld((call) => {
    if (world.log.length === 1) inFirstWindow += 1;
    const isSlower = world.log.length === 1 && inFirstWindow > 40 && inFirstWindow <= 50;
    return (isSlower ? 1.2 : 1) * noise(call);
  }, 1e-6);
  const settled = { ms: 2_000, calls: 40 };
  const found = await measure({
    rules: { ...rules, settled, window: { ms: 100, iterations: 5 } },
    ...rest,
  });
  expect(world.log).toHaveLength(2);
  expect(found.steadiness).toBe('no steady state');
  expect(found.timed.filter((ms) => ms > 1.15)).toHaveLength(10);
});

test('short interruptions, again and again, do not put off the window', async () => {
  const found = await measure({
    rules: { ...rules, settled: { ms: 400, calls: 120 }, window: { ms: 100, iterations: 5 } },
    ...aWorld((call) => (call < 40 ? 5 : call % 200 < 60 ? 1.2 : 1) * noise(call), 1e-6),
  });
  expect(found.steadiness).toBe('warm-up');
  for (const ms of found.timed) expect(ms).toBeCloseTo(1, 1);
  expect(found.steadyState?.steadyAfterMs).toBeGreaterThan(180);
  expect(found.steadyState?.steadyAfterMs).toBeLessThan(300);
  expect(found.steadyState?.windowAtMs).toBeLessThan(1_200);
});

/** The same world on a machine that another guest slows down by half, by its timetable. */
function aSharedMachine(
  isSlow: (timeMs: number) => boolean,
  costs: (call: number) => number = () => 1,
) {
  const { world, ...rest } = aWorld(() => 0, 1e-6);
  const spend = (ms: number): number => {
    const cost = ms * (isSlow(world.time) ? 1.5 : 1);
    world.time += cost;
    return cost;
  };
  const once = (): unknown => {
    spend(costs(world.calls) * noise(world.calls));
    world.calls += 1;
    return world.calls;
  };
  return {
    ...rest,
    operation: { once, asynchronous: false },
    reference: { read: () => spend(0.02), rounds: 1 },
  };
}

test('iterations that a slow machine disturbed are named, and decide nothing', async () => {
  const shared = aSharedMachine((timeMs) => Math.floor(timeMs / 37) % 2 === 0);
  const found = await measure({ rules, ...shared });
  const disturbed = new Set(found.steadyState?.disturbed);
  const calm = found.timed.filter((_, index) => !disturbed.has(index));
  expect(found.steadiness).toBe('flat');
  expect(found.steadyState?.noisy).toBe(false);
  for (const ms of calm) expect(ms).toBeCloseTo(1, 1);
  // The window goes on until its calm part is as long as asked.
  expect(calm.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(200);
  expect(disturbed.size).toBeGreaterThan(100);
  const { windowMs = 0, rounds = 0 } = found.steadyState?.reference ?? {};
  expect(rounds).toBeGreaterThan(50);
  expect(windowMs / rounds).toBeGreaterThan(0.021);
  expect(found.steadyState?.reference?.roundNs).toBeCloseTo(20_000, 3);
  expect(found.steadyState?.reference?.calmNs).toBeCloseTo(20_000, 3);
});

test('does not take a briefly busy machine for a slowdown', async () => {
  const found = await measure({
    rules: { ...rules, settled: { ms: 250, calls: 120 } },
    ...aSharedMachine((timeMs) => timeMs >= 300 && timeMs < 900),
  });
  const disturbed = new Set(found.steadyState?.disturbed);
  expect(found.steadiness).toBe('flat');
  expect(disturbed.size).toBeGreaterThan(0);
  found.timed.forEach((ms, index) => {
    if (!disturbed.has(index)) expect(ms).toBeCloseTo(1, 1);
  });
  expect(found.steadyState?.steadyAfterMs).toBeLessThan(20);
});

test('a change of speed of the work itself is found between the disturbances', async () => {
  const shared = aSharedMachine(
    (timeMs) => Math.floor(timeMs / 37) % 2 === 0,
    (call) => (call < 60 ? 5 : 1),
  );
  const found = await measure({ rules, ...shared });
  expect(found.steadiness).toBe('warm-up');
  expect(found.steadyState?.steadyAfterMs).toBeGreaterThan(300);
  expect(found.steadyState?.segments.length).toBeLessThanOrEqual(3);
});

test('a window on a machine that stays slow ends, and says what was disturbed', async () => {
  const shared = aSharedMachine((timeMs) => timeMs > 600);
  const found = await measure({ rules: { ...rules, settled: { ms: 590, calls: 40 } }, ...shared });
  const total = found.timed.reduce((sum, ms) => sum + ms, 0);
  expect(total).toBeLessThan(rules.maxMs);
  expect(found.steadyState?.disturbed?.length).toBeGreaterThan(0.9 * found.timed.length);
});

test('without a reference work nothing counts as disturbed', async () => {
  const found = await measure({ rules, ...aWorld((call) => noise(call)) });
  expect(found.steadyState).toMatchObject({ disturbed: [] });
  expect(found.steadyState?.reference).toBeUndefined();
});

test('work that wanders is timed for half of the whole, and says so', async () => {
  const found = await measure({
    rules,
    ...aWorld((call) => (Math.floor(call / 20) % 2 === 0 ? 5 : 7) * noise(call)),
  });
  expect(found.steadiness).toBe('no steady state');
  expect(found.steadyState).toMatchObject({ steadyAfterMs: null, noisy: false });
  const total = found.timed.reduce((sum, ms) => sum + ms, 0);
  expect(total).toBeGreaterThan(2_400);
  expect(total).toBeLessThan(2_600);
});

test('does not take independent noise for a change of speed', async () => {
  let state = 1;
  const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const found = await measure({ rules, ...aWorld(() => 5 * (1 + 0.4 * (random() - 0.5))) });
  expect(found.steadiness).toBe('flat');
  expect(found.steadyState?.noisy).toBe(true);
});

test('does not take a pause of the machine for a slowdown', async () => {
  const found = await measure({
    rules,
    ...aWorld((call) => (call === 130 ? 40 : 2 * noise(call))),
  });
  expect(found.steadiness).toBe('flat');
});

test('calls a long operation at least as often as asked', async () => {
  const found = await measure({
    rules: { ...rules, window: { ms: 200, iterations: 2 } },
    ...aWorld(() => 9_000),
  });
  expect(found.warmUp).toEqual([9_000]);
  expect(found.timed).toEqual([9_000, 9_000]);
  expect(found.steadiness).toBe('no steady state');
});

test('repeats short work until an iteration lasts 100 granules, and divides by the repeats', async () => {
  const { world, ...rest } = aWorld(() => 0.001);
  const found = await measure({ rules, ...rest });
  expect(found.repeats).toBeGreaterThanOrEqual(500);
  expect(found.repeats).toBeLessThanOrEqual(5000);
  for (const duration of found.timed) expect(duration).toBeCloseTo(0.001, 4);
  expect(world.calls).toBeGreaterThan(found.repeats * found.timed.length);
});

test('repeats work that the clock cannot see at all', async () => {
  const found = await measure({ rules, ...aWorld(() => 1e-4, 0.1) });
  expect(found.repeats * 1e-4).toBeGreaterThanOrEqual(10);
  expect(found.timed[0]).toBeCloseTo(1e-4, 6);
});

test('finds more repeats when the work gets faster during warm-up', async () => {
  const found = await measure({ rules, ...aWorld((call) => (call < 4 ? 1 : 0.01)) });
  expect(found.repeats * 0.01).toBeGreaterThanOrEqual(0.5);
  expect(found.timed[0]).toBeCloseTo(0.01, 3);
});

test('keeps a bounded number of points, the first call untouched among them', async () => {
  const found = await measure({
    rules: { ...rules, settled: { ms: 20_000, calls: 1 }, maxMs: 50_000 },
    ...aWorld((call) => (call === 0 ? 77 : 1) * noise(call), 1e-6),
  });
  expect(found.warmUp.length).toBeLessThanOrEqual(601);
  expect(found.warmUp[0]).toBe(77);
  expect(found.steadyState?.warmUpEndMs).toHaveLength(found.warmUp.length);
  expect(found.steadyState?.firstMs).toBe(77);
});

test('rules that were written before steady state was searched for still measure', async () => {
  const former = {
    iterations: 5,
    minIterations: 2,
    maxTimedMs: 300,
    minGranules: 100,
    warmUp: { minIterations: 3, maxIterations: 50, maxMs: 700 },
  };
  expect(currentRules(former)).toMatchObject({ window: { ms: 300, iterations: 2 }, maxMs: 1_000 });
  const found = await measure({ rules: former, ...aWorld((call) => 2 * noise(call)) });
  expect(found.steadiness).toBe('flat');
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
    rules,
    clock,
    hooks: watched,
  });
  expect(new Set(seen).size).toBe(1);
  expect(seen.length).toBeGreaterThan(10);
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

test('times one call without warm-up where the first run counts', async () => {
  const { world, operation, ...rest } = aWorld((call) => (call === 0 ? 40 : 1));
  const found = await measure({ rules, operation: { ...operation, firstRun: true }, ...rest });
  expect(found).toMatchObject({ warmUp: [], timed: [40], repeats: 1, steadiness: 'first run' });
  expect(world.log).toEqual(['start after 0', 'end after 1']);
});

test('begins the window after the first call where each is first', async () => {
  const { world, operation, ...rest } = aWorld((call) => (call === 0 ? 90 : call < 30 ? 20 : 40));
  const found = await measure({ rules, operation: { ...operation, fresh: true }, ...rest });
  expect(world.log[0]).toBe('start after 1');
  expect(found).toMatchObject({ warmUp: [90], repeats: 1, steadiness: 'first run' });
  expect(found.timed.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(rules.window.ms);
  expect(world.log).toHaveLength(2);
  expect(found.steadyState).toMatchObject({ firstMs: 90, steadyAfterMs: 90 });
  expect(found.steadyState?.segments).toHaveLength(1);
});

test('many first runs on a steadily slow machine show no trend', async () => {
  const { operation, ...rest } = aWorld(() => 40);
  const reference = { rounds: 1, read: () => 5 };
  const brief = { ...rules, window: { ms: 1, iterations: 1 } };
  const found = await measure({
    ...rest,
    rules: brief,
    operation: { ...operation, fresh: true },
    reference,
  });
  expect(found.timed.length).toBeGreaterThanOrEqual(10);
  const levels = (found.steadyState?.segments ?? []).map(({ level }) => level);
  expect(levels.every(Number.isFinite)).toBe(true);
});

test('a first run that is shorter than the clock can tell keeps its label', async () => {
  const { operation, ...rest } = aWorld(() => 0.1);
  const found = await measure({ rules, operation: { ...operation, firstRun: true }, ...rest });
  expect(found).toMatchObject({ timed: [0.1], steadiness: 'first run' });
});

test('a first run may bring its own duration, as programs do', async () => {
  const { operation, ...rest } = aWorld(() => 40);
  const once = () => {
    operation.once();
    return 'recorded 7';
  };
  const durationOf = (value: unknown) => Number(String(value).split(' ')[1]);
  const own = { ...operation, once, firstRun: true, durationOf };
  expect(await measure({ rules, operation: own, ...rest })).toMatchObject({
    timed: [7],
    callMs: 40,
  });
});

test("splits the benchmark's other measures at the start of the window", async () => {
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
  expect(wait?.warmUp).toHaveLength(2 * found.warmUp.length);
  expect(wait?.timed).toHaveLength(2 * found.timed.length);
  expect(wait?.timed[0]).toBe(found.warmUp.length + 1);
});

test('the operation gets its argument, after the timing functions called many others', async () => {
  const { operation: aged, clock, ...rest } = aWorld((call) => noise(call));
  let readings = 0;
  let before = Infinity;
  const seen = new Set<unknown>();
  const operation = {
    asynchronous: false,
    argument: 'the argument',
    once(argument: unknown) {
      before = Math.min(before, readings);
      seen.add(argument);
      return aged.once();
    },
  };
  const counted = { ...clock, now: () => (readings++, clock.now()) };
  await measure({ rules, operation, clock: counted, ...rest });
  expect([...seen]).toEqual(['the argument']);
  // Two readings for each call. Engines keep up to some eight functions apart at one call.
  expect(before).toBeGreaterThan(2 * 100);
});

test.describe('the preset fast', () => {
  const fast: SegmentRules = {
    minGranules: 4,
    settled: { ms: 1, calls: 1 },
    window: { ms: 20, iterations: 1 },
    maxMs: 1_000,
    fast: true,
  };

  test('times one window after one call at any speed', async () => {
    const { world, ...rest } = aWorld((call) => (call < 2 ? 21 : 8) * noise(call));
    const found = await measure({ rules: fast, ...rest });
    expect(world.log[0]).toBe('start after 1');
    expect(world.log).toHaveLength(2);
    expect(found.warmUp).toHaveLength(1);
    expect(found.timed.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(20);
    expect(found.timed.length).toBeLessThanOrEqual(2);
    expect(found).toMatchObject({ steadiness: 'no steady state', repeats: 1 });
    expect(found.steadyState).toBeUndefined();
  });

  test('is not misled by a short call that was interrupted', async () => {
    const found = await measure({
      rules: fast,
      ...aWorld((call) => (call === 0 ? 5 : 0.001), 0.1),
    });
    expect(found.repeats).toBeGreaterThanOrEqual(100);
  });

  test('repeats work that is too short for the clock', async () => {
    const found = await measure({ rules: fast, ...aWorld(() => 0.001, 0.1) });
    expect(found.repeats).toBeGreaterThanOrEqual(100);
    for (const ms of found.timed) expect(ms).toBeCloseTo(0.001, 3);
  });
});
