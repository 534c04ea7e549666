import { expect, test } from '@playwright/test';
import type { ScheduleSlice } from '../model/reading.ts';
import { mostSlices, ScheduleBuilder, type ScheduleWindow } from './schedule.ts';
import type { SchedulerEvent } from './tracefs/trace.ts';

const renderer = { pid: 10, process: 'renderer' };

/** A window of one millisecond on two cores, with the page's main thread and one helper. */
const plain: ScheduleWindow = {
  fromUs: 5_000_000,
  toUs: 5_001_000,
  cores: 2,
  engine: 'chromium',
  threads: new Map([
    [10, renderer],
    [11, renderer],
  ]),
};

const names: Readonly<Record<number, string>> = {
  0: 'swapper/0',
  10: 'chromium',
  11: 'ThreadPoolForeg',
  99: 'sshd',
};

/** One thread gave its core to another, at this number of microseconds after the window began. */
function change(atUs: number, core: number, [from, to]: readonly [number, number]): SchedulerEvent {
  return {
    kind: 'switch',
    atUs: plain.fromUs + atUs,
    core,
    fromTid: from,
    fromName: names[from] ?? '?',
    toTid: to,
    toName: names[to] ?? '?',
  };
}

/** The kernel accounted a thread's time, this number of microseconds after the window began. */
function run(atUs: number, core: number, [tid, ranUs]: readonly [number, number]): SchedulerEvent {
  const name = names[tid] ?? '?';
  return { kind: 'run', atUs: plain.fromUs + atUs, core, tid, name, ranUs };
}

function build(
  events: readonly (SchedulerEvent | null)[],
  lost: readonly number[] = [0, 0],
  window: ScheduleWindow = plain,
): ReturnType<ScheduleBuilder['finish']> {
  const builder = new ScheduleBuilder(window);
  for (const event of events) builder.add(event);
  return builder.finish(lost);
}

const shapes = (slices: readonly ScheduleSlice[] = []): unknown[] =>
  slices.map(({ fromMs, toMs, role }) => [fromMs, toMs, role]);

test('switches become slices with roles; idle is a gap, and others are foreign', () => {
  const { cores, coresBusy, lostEvents } = build([
    change(100, 0, [0, 10]),
    change(200, 1, [0, 11]),
    change(300, 1, [11, 99]),
    change(500, 0, [10, 0]),
    change(600, 1, [99, 0]),
  ]);
  expect(shapes(cores[0])).toEqual([[0.1, 0.5, 'js-main']]);
  expect(shapes(cores[1])).toEqual([
    [0.2, 0.3, 'gc'],
    [0.3, 0.6, 'foreign'],
  ]);
  expect(cores[1]?.[0]).toMatchObject({ thread: 'ThreadPoolForeg', tid: 11 });
  expect(coresBusy).toBe(0.5);
  expect(lostEvents).toBe(0);
});

test('shows the first thread from the beginning, the last to the end', () => {
  const { cores, coresBusy } = build([change(400, 0, [99, 10])]);
  expect(shapes(cores[0])).toEqual([
    [0, 0.4, 'foreign'],
    [0.4, 1, 'js-main'],
  ]);
  expect(coresBusy).toBe(0.6);
});

test('an unseen arrival lasts as long as the kernel accounted to it', () => {
  const { cores, coresBusy } = build([
    change(100, 1, [10, 0]),
    run(300, 1, [10, 100]),
    // The accounting may be done on another core.
    run(400, 0, [10, 100.4]),
    change(400, 1, [10, 0]),
    run(450, 1, [99, 20]),
    change(450, 1, [99, 10]),
    change(500, 1, [10, 0]),
  ]);
  expect(shapes(cores[1])).toEqual([
    [0, 0.1, 'js-main'],
    [0.2, 0.4, 'js-main'],
    [0.43, 0.45, 'foreign'],
    [0.45, 0.5, 'js-main'],
  ]);
  expect(shapes(cores[0])).toEqual([]);
  expect(coresBusy).toBeCloseTo(0.35, 9);
});

test('shows an unseen thread that is still there to the end', () => {
  const { cores } = build([change(100, 1, [11, 0]), run(700, 1, [10, 200])]);
  expect(shapes(cores[1])).toEqual([
    [0, 0.1, 'gc'],
    [0.5, 1, 'js-main'],
  ]);
});

test('cuts off what lies outside the window', () => {
  const { cores } = build([change(-50, 0, [0, 10]), change(2000, 0, [10, 0])]);
  expect(shapes(cores[0])).toEqual([[0, 1, 'js-main']]);
});

test('a core without switches is empty, an uncounted one gets a lane', () => {
  const { cores } = build([change(0, 3, [10, 0]), change(500, 3, [0, 10])]);
  expect(cores.map(({ length }) => length)).toEqual([0, 0, 0, 1]);
});

test('a thread born and ended inside the window belongs to its parent', () => {
  const birth = (parentTid: number, tid: number, sameProcess: boolean): SchedulerEvent => ({
    kind: 'birth',
    atUs: plain.fromUs,
    parentTid,
    tid,
    sameProcess,
  });
  const { cores } = build([
    birth(10, 12, true),
    birth(12, 13, false),
    birth(99, 14, true),
    { ...change(100, 0, [0, 12]), toName: 'DedicatedWorker' } as SchedulerEvent,
    { ...change(200, 0, [12, 13]), fromName: 'DedicatedWorker' } as SchedulerEvent,
    change(300, 0, [13, 14]),
    change(400, 0, [14, 0]),
  ]);
  expect(cores[0]?.map(({ role }) => role)).toEqual(['js-worker', 'other', 'foreign']);
});

test('the schedule ends where the kernel dropped events, and the counts are whole', () => {
  const { cores, coresBusy, lostEvents } = build(
    [change(0, 0, [0, 10]), change(250, 1, [0, 11]), change(500, 1, [11, 0])],
    [0, 7],
  );
  expect(shapes(cores[0])).toEqual([[0, 0.5, 'js-main']]);
  expect(shapes(cores[1])).toEqual([[0.25, 0.5, 'gc']]);
  expect(coresBusy).toBe(1.5);
  expect(lostEvents).toBe(7);
});

test('an event that could not be read is counted as lost', () => {
  expect(build([null, change(100, 0, [0, 10]), null]).lostEvents).toBe(2);
});

test('beyond the bound the slices of other programs are left out first', () => {
  const pairs = mostSlices / 2 + 1;
  const window = { ...plain, toUs: plain.fromUs + pairs * 10 };
  const events = Array.from({ length: pairs }, (_, index) => [
    change(index * 10, 0, [0, 10]),
    change(index * 10 + 1, 0, [10, 99]),
    change(index * 10 + 9, 0, [99, 0]),
  ]).flat();
  const { cores, lostEvents } = build(events, [0, 0], window);
  expect(cores[0]?.filter(({ role }) => role === 'js-main')).toHaveLength(pairs);
  expect(cores[0]).toHaveLength(mostSlices);
  expect(lostEvents).toBe(2);
});

test('leaves out and counts the shortest slices beyond the limit', () => {
  const more = 100;
  const count = mostSlices + more;
  const window = { ...plain, toUs: plain.fromUs + count * 10 };
  // Slices of 5 µs, and a hundred of 1 µs among them.
  const events = Array.from({ length: count }, (_, index) => [
    change(index * 10, 0, [0, 10]),
    change(index * 10 + (index < more ? 1 : 5), 0, [10, 0]),
  ]).flat();
  const { cores, coresBusy, lostEvents } = build(events, [0, 0], window);
  expect(cores[0]).toHaveLength(mostSlices);
  expect(cores[0]?.every(({ fromMs, toMs }) => toMs - fromMs > 0.002)).toBe(true);
  expect(lostEvents).toBe(more);
  expect(coresBusy).toBeCloseTo((more + mostSlices * 5) / (count * 10), 9);
});
