import { expect, test } from '@playwright/test';
import type { RoleSample, ThreadRole } from '../model/reading.ts';
import { roleTimeline, type TimelineParts } from './role-timeline.ts';
import type { CounterStep } from './thread-sampler.ts';

/** Thread 1 is JavaScript, 2 and 3 collect; 3 began inside the window. */
const roles: Readonly<Record<number, ThreadRole>> = { 1: 'js-main', 2: 'gc', 3: 'gc' };
const beganMs: Readonly<Record<number, number>> = { 1: 1000, 2: 50 };

function step(atMs: number, tid: number, onCpuMs: number): CounterStep {
  return { atMs, pid: 9, tid, onCpuNs: onCpuMs * 1e6 };
}

function timeline(
  instants: readonly number[],
  steps: readonly CounterStep[],
  totals: TimelineParts['end']['cpuMs'] = new Map(),
): readonly RoleSample[] {
  return roleTimeline({
    sampled: { instants, steps, costMs: 0 },
    roleOf: ({ tid }) => roles[tid] ?? 'other',
    beganNs: ({ tid }) => (beganMs[tid] ?? 0) * 1e6,
    end: { atMs: 250, cpuMs: totals },
  });
}

test('thread counters become cumulative time by role, to the exact totals', () => {
  const steps = [
    ...[step(100, 1, 1090), step(100, 2, 80)],
    ...[step(200, 1, 1180), step(200, 2, 100), step(200, 3, 15)],
  ];
  const exact = new Map<ThreadRole, number>([
    ['js-main', 220],
    ['gc', 70],
    ['io', 0.5],
  ]);
  expect(timeline([100, 200], steps, exact)).toEqual([
    { atMs: 0, cpuMs: {} },
    { atMs: 100, cpuMs: { 'js-main': 90, gc: 30 } },
    { atMs: 200, cpuMs: { 'js-main': 180, gc: 65 } },
    { atMs: 250, cpuMs: { 'js-main': 220, gc: 70, io: 0.5 } },
  ]);
});

test('an instant without a change is a sample too', () => {
  const samples = timeline([100, 200], [step(100, 1, 1010)]);
  expect(samples.map(({ cpuMs }) => cpuMs['js-main'] ?? 0)).toEqual([0, 10, 10, 10]);
});

test('a thread that ended without a name stays visible with its time', () => {
  const samples = timeline([100, 200], [step(100, 7, 30)]);
  expect(samples.at(-1)).toEqual({ atMs: 250, cpuMs: { other: 30 } });
});

test('a timeline never falls, even where a total is below what was sampled', () => {
  const samples = timeline([100, 200], [step(200, 1, 1100)], new Map([['js-main', 99.9]]));
  expect(samples.at(-1)?.cpuMs).toEqual({ 'js-main': 100 });
});

test('a window that was too short to sample twice has no timeline', () => {
  expect(timeline([], [])).toEqual([]);
  expect(timeline([100], [step(100, 1, 1090)])).toEqual([]);
});
