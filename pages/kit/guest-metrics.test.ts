import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { expect, test } from '@playwright/test';
import { projectRoot } from '../../harness/core/project.ts';
import type { GuestCourse, GuestMetric, GuestReader } from '../protocol.d.ts';

const scripts = ['entries', 'values', 'quiet', 'metrics'].map((name) =>
  readFileSync(join(projectRoot(), `pages/kit/guest-${name}.js`), 'utf8'),
);

interface Entry {
  readonly entryType: string;
  readonly name: string;
  readonly startTime: number;
  readonly duration: number;
}

interface Guest {
  readonly timed: { readonly duration: number; readonly endedAt: number }[];
  readonly input: { isContinued: boolean; await(): void; isDue(): boolean; end(): boolean };
  hasten(): void;
  lookLong(): void;
  expect(course: GuestCourse): void;
  waitsFor(): string;
  readAll(metrics: readonly GuestMetric[]): Record<string, number[]> | null;
  endsOf(
    metrics: readonly GuestMetric[],
    values: Record<string, readonly number[]>,
  ): Record<string, number[]>;
  discover(readers: readonly GuestReader[]): Record<string, number> | null;
}

/** A page whose clock and entries the test decides. */
class Page {
  nowMs = 0;
  loadMs = 0;
  /** Its scripts have run. */
  parsedMs = 0;
  /** Of the page itself. */
  transferSize: number | undefined;
  readonly entries: Entry[] = [];
  private readonly observers: { type: string; hear: (list: object) => void }[] = [];
  readonly context;
  readonly guest: Guest;

  constructor(names: Readonly<Record<string, unknown>> = {}) {
    const { observers, entries } = this;
    class PerformanceObserver {
      static supportedEntryTypes = [
        ...['largest-contentful-paint', 'layout-shift', 'longtask', 'mark', 'resource', 'event'],
      ];
      private readonly hear: (list: object) => void;
      constructor(hear: (list: object) => void) {
        this.hear = hear;
      }
      private readonly types: string[] = [];
      private told = 0;
      observe({ type }: { type: string }): void {
        this.types.push(type);
        observers.push({ type, hear: this.hear });
      }
      takeRecords(): readonly Entry[] {
        const fresh = entries.slice(this.told);
        this.told = entries.length;
        return fresh.filter(({ entryType }) => this.types.includes(entryType));
      }
    }
    const performance = {
      timeOrigin: 1e12,
      now: () => this.nowMs,
      getEntriesByType: (type: string) => this.entriesOf(type),
      getEntriesByName: (name: string, type: string) =>
        this.entries.filter((one) => one.name === name && one.entryType === type),
    };
    this.context = createContext({ PerformanceObserver, performance, ...names });
    for (const script of scripts) runInContext(script, this.context);
    this.guest = (this.context as { crossfarmGuest: Guest }).crossfarmGuest;
  }

  private entriesOf(type: string): readonly object[] {
    const { loadMs: loadEventEnd, parsedMs: domContentLoadedEventEnd, transferSize } = this;
    if (type === 'navigation') return [{ loadEventEnd, domContentLoadedEventEnd, transferSize }];
    return this.entries.filter(({ entryType }) => entryType === type);
  }

  observed(type: string, entry: object): void {
    for (const one of this.observers) {
      if (one.type === type) one.hear({ getEntries: () => [entry] });
    }
  }

  /** The numbers of one reader. */
  read(reader: GuestReader, optional = false): number[] | null | undefined {
    const all = this.guest.readAll([{ metric: 'x', unit: 'ms', reader, optional }]);
    return all === null ? null : all['x'];
  }

  becomesQuiet(): void {
    this.loadMs = 100;
    this.nowMs = 1000;
  }
}

test('accepts a number or a list of numbers as a result', () => {
  const read = (score: unknown): unknown =>
    new Page({ score }).read({ by: 'global', name: 'score' });
  expect(read(42)).toEqual([42]);
  expect(read([1, 2])).toEqual([1, 2]);
  for (const nothing of [null, undefined, false, NaN, Infinity, '42', [], [1, 'x'], {}]) {
    expect(read(nothing)).toBeNull();
  }
});

test('a record gives the number of each key', () => {
  const page = new Page({ results: { fast: 3, slow: [4, 5], name: 'x' } });
  const of = (key: string): GuestReader => ({ by: 'expression', expression: 'results', key });
  expect(page.read(of('fast'))).toEqual([3]);
  expect(page.read(of('slow'))).toEqual([4, 5]);
  expect(page.read(of('name'))).toBeNull();
  page.becomesQuiet();
  expect(page.guest.discover([{ by: 'expression', expression: 'results' }])).toEqual({
    '0:fast': 1,
    '0:slow': 1,
  });
});

test('an expression that throws is waited for, and then its error is the answer', () => {
  const page = new Page();
  const late: GuestReader = { by: 'expression', expression: 'client.score' };
  expect(page.read(late)).toBeNull();
  page.becomesQuiet();
  expect(page.read(late)).toBeNull();
  page.nowMs = 20_000;
  expect(() => page.read(late)).toThrow(/client\.score threw ReferenceError/);
});

test('reports an invalid expression at once without waiting', () => {
  const page = new Page();
  const reader = { by: 'expression', expression: 'score:1' } as const;
  expect(() => page.read(reader)).toThrow(/score:1 threw SyntaxError/);
});

test('measured entries are a result once there are enough', () => {
  const page = new Page();
  for (const duration of [2, 3]) {
    page.entries.push({ entryType: 'measure', name: 'it"s', startTime: 1, duration });
  }
  const read = (times?: number): unknown =>
    page.read({ by: 'measure', name: 'it"s', ...(times !== undefined && { times }) });
  expect(read()).toEqual([2]);
  expect(read(2)).toEqual([2, 3]);
  expect(read(3)).toBeNull();
});

test('durations have the times at which they ended, and other values have none', () => {
  const page = new Page({ score: 3 });
  page.guest.timed.push({ duration: 4, endedAt: 20 }, { duration: 5, endedAt: 30 });
  for (const startTime of [40, 50]) {
    page.entries.push({ entryType: 'measure', name: 'run', startTime, duration: 7 });
  }
  const readers = {
    first: { by: 'bench', times: 2 },
    second: { by: 'measure', name: 'run' },
    third: { by: 'expression', expression: 'score' },
    none: { by: 'measure', name: 'never' },
  } as const;
  const metrics = Object.entries(readers).map(([metric, reader]) => {
    return { metric, unit: 'ms', reader, optional: true };
  });
  page.becomesQuiet();
  const values = page.guest.readAll(metrics)!;
  expect(page.guest.endsOf(metrics, values)).toEqual({
    first: [1e12 + 20, 1e12 + 30],
    second: [1e12 + 47],
  });
  page.entries.length = 0;
  expect(page.guest.endsOf(metrics, values), 'also of what the page has cleared').toEqual({
    first: [1e12 + 20, 1e12 + 30],
    second: [1e12 + 47],
  });
});

test('a page that rarely repeats has ended after a long gap', () => {
  const page = new Page();
  page.becomesQuiet();
  for (const endedAt of [1300, 1400, 1600]) page.guest.timed.push({ duration: 9, endedAt });
  const read = (): unknown => page.read({ by: 'bench', times: 4 });
  page.nowMs = 2399;
  expect(read()).toBeNull();
  page.nowMs = 2401;
  expect(read()).toEqual([9, 9, 9]);
  page.guest.timed.push({ duration: 8, endedAt: 2401 });
  expect(read()).toEqual([9, 9, 9, 8]);
  expect(new Page().read({ by: 'bench', times: 4 })).toBeNull();
});

test('nothing is read before the input that the page is to get is over', () => {
  const page = new Page({ score: 42 });
  page.guest.input.await();
  const score: GuestReader = { by: 'global', name: 'score' };
  expect(page.guest.input.isDue()).toBe(false);
  page.becomesQuiet();
  expect(page.guest.input.isDue()).toBe(true);
  expect(page.read(score)).toBeNull();
  expect(page.guest.input.end()).toBe(true);
  expect(page.read(score)).toEqual([42]);
  expect(page.read({ by: 'load' })).toBeNull();
  page.nowMs += 1000;
  expect(page.read({ by: 'load' })).toEqual([100]);
  expect(new Page().guest.input.end(), 'of a page that did not await it').toBe(false);
});

test('a page after a step keeps the times of the one before', () => {
  const step = { name: 'click #next', at: 1e12 - 40, isUnnamed: true };
  const left = { times: [['menu', [12]]], led: [], errors: ['gone'], step };
  const stored = new Map([['crossfarm:input', JSON.stringify(left)]]);
  const sessionStorage = {
    getItem: (key: string) => stored.get(key) ?? null,
    removeItem: (key: string) => stored.delete(key),
  };
  const page = new Page({ sessionStorage });
  page.guest.input.await();
  const paint = { entryType: 'paint', name: 'first-contentful-paint', duration: 0 };
  page.entries.push({ ...paint, startTime: 60 });
  page.becomesQuiet();
  expect([page.guest.input.isDue(), page.guest.input.isContinued]).toEqual([true, true]);
  page.guest.input.end();
  page.nowMs += 1000;
  expect(page.read({ by: 'step', name: 'click #next' })).toEqual([100]);
  expect(page.read({ by: 'step', name: 'menu' })).toEqual([12]);
  expect(page.guest.discover([])).toEqual({ 'step:click #next': 1 });
  expect(stored.size).toBe(0);
});

test('interaction to next paint ignores the longest interaction in 50', () => {
  const page = new Page();
  const inp: GuestReader = { by: 'interaction' };
  const event = (interactionId: number, duration: number): void => {
    page.observed('event', { interactionId, duration });
  };
  event(0, 900);
  page.becomesQuiet();
  expect(page.read(inp, true)).toBeUndefined();
  event(1, 24);
  event(1, 40);
  event(2, 104);
  page.nowMs += 1000;
  expect(page.read(inp)).toEqual([104]);
  for (let id = 3; id <= 50; id += 1) event(id, 16);
  page.nowMs += 1000;
  expect(page.read(inp)).toEqual([40]);
});

test('how a page loads is read when it has loaded and become quiet', () => {
  const page = new Page();
  page.observed('largest-contentful-paint', { startTime: 40 });
  page.observed('longtask', { startTime: 1, duration: 80 });
  for (const startTime of [10, 20, 5000]) {
    page.observed('layout-shift', { startTime, value: 0.1, hadRecentInput: false });
  }
  page.observed('layout-shift', { startTime: 21, value: 9, hadRecentInput: true });
  expect(page.read({ by: 'load' })).toBeNull();
  page.becomesQuiet();
  expect(page.read({ by: 'load' })).toEqual([100]);
  expect(page.read({ by: 'paint', name: 'largest-contentful-paint' })).toEqual([40]);
  expect(page.read({ by: 'long-tasks' })).toEqual([30]);
  expect(page.read({ by: 'layout-shift' })?.[0]).toBeCloseTo(0.2, 9);
  page.observed('longtask', { startTime: 1, duration: 60 });
  expect(page.read({ by: 'load' })).toBeNull();
});

test('omits an optional metric that the browser lacks', () => {
  const page = new Page();
  page.becomesQuiet();
  const paint: GuestReader = { by: 'paint', name: 'first-paint' };
  expect(page.read(paint, true)).toBeUndefined();
  expect(page.read(paint)).toBeNull();
});

test("sums a page's transfers over its loads without the farm's files", () => {
  const location = new URL('http://127.0.0.1:1/guest/page/index.html');
  const crossfarmHead = { bytes: 400, timed: [], faults: [], entries: [] };
  const page = new Page({ location, URL, crossfarmHead });
  page.transferSize = 1_700;
  const loaded = (path: string, transferSize: number): void => {
    page.observed('resource', { name: new URL(path, location).href, transferSize });
  };
  for (let count = 0; count < 300; count += 1) loaded(`${String(count)}.js`, 700);
  for (const path of ['/.crossfarm/kit/guest.js', '/.crossfarm/trial/x/assignment'])
    loaded(path, 9_000);
  expect(page.read({ by: 'transferred' }, true)).toBeNull();
  page.becomesQuiet();
  expect(page.read({ by: 'transferred' }, true)).toEqual([211.3]);
  page.transferSize = undefined;
  expect(page.read({ by: 'transferred' }, true)).toBeUndefined();
});

test('a page of another server may have its own folder kit', () => {
  const location = new URL('https://example.org/index.html');
  const page = new Page({ location, URL });
  page.transferSize = 1_000;
  page.observed('resource', { name: 'https://example.org/kit/own.js', transferSize: 2_000 });
  page.becomesQuiet();
  expect(page.read({ by: 'transferred' }, true)).toEqual([3]);
});

test('a page of which only probes read something is over when it is quiet', () => {
  const page = new Page();
  expect(page.guest.readAll([])).toBeNull();
  page.becomesQuiet();
  expect(page.guest.readAll([])).toEqual({});
});

test('does not wait for what a quiet page will never have', () => {
  const page = new Page();
  page.becomesQuiet();
  const readers: GuestReader[] = [{ by: 'heap' }, { by: 'paint', name: 'first-paint' }];
  expect(page.guest.discover(readers)).toEqual({ '0:': 1, '1:': 1 });
  expect(page.guest.discover([{ by: 'mark', name: 'b' }]) ?? page.guest.waitsFor()).toBe('mark b');
});

test('counts what a quiet page offers, and takes no endless names', () => {
  const page = new Page();
  page.guest.timed.push({ duration: 1, endedAt: 3 }, { duration: 2, endedAt: 6 });
  const names = [
    'render',
    'render',
    'x'.repeat(200),
    ...Array.from({ length: 250 }, (_, i) => String(i)),
  ];
  for (const name of names)
    page.entries.push({ entryType: 'measure', name, startTime: 0, duration: 1 });
  expect(page.guest.discover([])).toBeNull();
  page.becomesQuiet();
  const found = page.guest.discover([]);
  expect(found).toMatchObject({ bench: 2, 'measure:render': 2 });
  expect(Object.keys(found!)).toHaveLength(180);
  const asked = page.guest.discover([{ by: 'expression', expression: '({ a: 1, b: 2 })' }]);
  expect(asked).toMatchObject({ '0:a': 1, '0:b': 1 });
});

test('a smoke test waits less for quiet pages and missing measures', () => {
  const page = new Page();
  page.guest.hasten();
  page.loadMs = 100;
  page.nowMs = 300;
  expect(page.read({ by: 'load' })).toBeNull();
  page.nowMs = 400;
  expect(page.read({ by: 'load' })).toEqual([100]);
  const missing: GuestReader = { by: 'expression', expression: 'client.score' };
  expect(page.read(missing)).toBeNull();
  page.nowMs = 3_200;
  expect(() => page.read(missing)).toThrow(/client\.score threw ReferenceError/);
});

test('a promise is awaited once, and its rejection said', async () => {
  let calls = 0;
  const run = async (): Promise<number> => {
    calls += 1;
    await Promise.resolve();
    return 42;
  };
  const page = new Page({ run, fails: () => Promise.reject(new Error('no')) });
  const reader = { by: 'expression', expression: 'run()' } as const;
  expect(page.read(reader)).toBeNull();
  await new Promise(setImmediate);
  expect([page.read(reader), page.read(reader)]).toEqual([[42], [42]]);
  expect(calls).toBe(1);
  const failing = { by: 'expression', expression: 'fails()' } as const;
  expect(page.read(failing)).toBeNull();
  await new Promise(setImmediate);
  expect(() => page.read(failing)).toThrow(/fails\(\) was rejected: Error: no/);
});

test('waits for a sometimes missing metric as long as ever late', () => {
  const page = new Page();
  page.becomesQuiet();
  const late = { entryType: 'measure', name: 'late', startTime: 600, duration: 100 };
  page.entries.push(late, { ...late, name: 'negative', duration: -5 });
  expect(page.guest.discover([])).toEqual({
    'measure:late': 1,
    'below 0:measure:negative': 1,
    'late:measure:late': 600,
    'late:measure:negative': 495,
  });
  expect(page.read({ by: 'measure', name: 'negative' }, true)).toBeUndefined();
  const never = { by: 'measure', name: 'never' } as const;
  const metric = { metric: 'x', unit: 'ms', reader: never, optional: true, withinMs: 2000 };
  page.nowMs = 2099;
  expect(page.guest.readAll([metric])).toBeNull();
  page.nowMs = 2101;
  expect(page.guest.readAll([metric])).toEqual({});
});

test('waits for a page that loads data, also in later loads', () => {
  let busy = true;
  const crossfarmLook = { isBusy: () => busy, workedAt: () => 0, hasWorked: () => true };
  const looked = new Page({ crossfarmLook });
  looked.guest.lookLong();
  looked.loadMs = 100;
  looked.nowMs = 200;
  looked.observed('longtask', { duration: 0 });
  const askUntil = (ms: number): unknown => {
    let offers: unknown = null;
    for (; looked.nowMs < ms; looked.nowMs += 250) offers = looked.guest.discover([]);
    return offers;
  };
  expect(askUntil(6_200)).toBeNull();
  looked.observed('longtask', { duration: 0 });
  busy = false;
  expect(askUntil(9_200)).toBeNull();
  expect(askUntil(9_600)).toEqual({ quiet: 6000 });

  const trial = new Page();
  trial.guest.expect({ quietMs: 8_000 });
  trial.loadMs = 100;
  trial.nowMs = 8_000;
  expect(trial.read({ by: 'load' })).toBeNull();
  expect(trial.guest.waitsFor()).toBe('the page to become quiet');
  trial.nowMs = 8_101;
  expect(trial.read({ by: 'load' })).toEqual([100]);
});

test('what a page shows right after the work that was awaited is waited for', () => {
  let workedAt = 0;
  const crossfarmLook = {
    isBusy: () => workedAt === 0,
    workedAt: () => workedAt,
    hasWorked: () => true,
  };
  const page = new Page({ crossfarmLook });
  page.guest.hasten();
  page.loadMs = 50;
  page.nowMs = 2_000;
  workedAt = 2_000;
  page.nowMs = 2_040;
  expect(page.guest.discover([])).toBeNull();
  page.nowMs = 2_300;
  expect(page.guest.discover([])).not.toBeNull();
});

test('a page that always goes on is not waited for longer than others', () => {
  const crossfarmLook = { isBusy: () => true, workedAt: () => 0, hasWorked: () => true };
  const page = new Page({ crossfarmLook });
  page.guest.lookLong();
  page.loadMs = 100;
  for (page.nowMs = 200; page.nowMs < 15_000; page.nowMs += 2_000) {
    expect(page.guest.discover([])).toBeNull();
    page.observed('longtask', { duration: 0 });
  }
  expect(page.guest.discover([])).toEqual({});
});

test('a page that says itself that it has finished is heard', () => {
  const page = new Page();
  page.guest.expect({ awaitsDone: true });
  page.loadMs = 100;
  page.nowMs = 30_000;
  expect(page.read({ by: 'load' })).toBeNull();
  expect(page.guest.waitsFor()).toBe("performance.mark('crossfarm:done')");
  const mark = { entryType: 'mark', name: 'crossfarm:done', startTime: 30_000, duration: 0 };
  page.entries.push(mark);
  expect(page.read({ by: 'load' })).toBeNull();
  page.nowMs = 30_101;
  expect(page.read({ by: 'load' })).toEqual([100]);
});

test('where a load never ends, what is there is read after a while', () => {
  const page = new Page();
  page.loadMs = 0;
  page.entries.push({ entryType: 'measure', name: 'run', startTime: 5, duration: 7 });
  expect(page.read({ by: 'measure', name: 'run' })).toEqual([7]);
  expect(page.read({ by: 'load' })).toBeNull();
  expect(page.guest.waitsFor()).toBe('the end of its load');
  page.guest.lookLong();
  page.nowMs = 20_000;
  expect(page.guest.discover([]), 'a script may only be large').toBeNull();
  page.parsedMs = 20_000;
  page.nowMs = 28_000;
  expect(page.guest.discover([])).toBeNull();
  page.nowMs = 29_001;
  expect(page.guest.discover([])).toEqual({ 'measure:run': 1, 'late:measure:run': 12 });
  expect(() => page.guest.discover([{ by: 'load' }])).toThrow(/its load does not end/);
});

test("averages values beyond a result's room in groups", () => {
  const page = new Page();
  page.becomesQuiet();
  for (let made = 0; made < 25_000; made += 1) {
    const duration = made % 3;
    page.entries.push({ entryType: 'measure', name: 'run', startTime: made / 50, duration });
  }
  const reader = { by: 'measure', name: 'run', times: 25_000 } as const;
  const metrics = [{ metric: 'x', unit: 'ms', reader }];
  const values = page.guest.readAll(metrics)!;
  expect(values['x']).toHaveLength(8_334);
  expect(values['x']!.slice(0, 8_333)).toEqual(Array(8_333).fill(1));
  expect(page.guest.endsOf(metrics, values)).toEqual({});
});
