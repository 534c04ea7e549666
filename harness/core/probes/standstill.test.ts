import { expect, test } from '@playwright/test';
import type { Standstill } from '../model/reading.ts';
import { clockTicksPerSecond, type SystemFiles } from '../system-files.ts';
import { StandstillWatch } from './standstill.ts';

interface Moment {
  /** State of each process, by its pid. */
  readonly states: Readonly<Record<number, string>>;
  /** Share of the time since the last look that each process ran. */
  readonly cpu?: number;
}

const stepMs = 250;

/** Looks at the processes once a moment. */
function watchThrough(moments: readonly Moment[]): Standstill | null {
  let at = 0;
  let ticks = 0;
  const current = (): Moment => moments[at] ?? { states: {} };
  const files: SystemFiles = {
    list: () => Object.keys(current().states),
    read: (path) => {
      const [, pid = '', file = ''] = /^\/proc\/(\d+)\/(\w+)$/.exec(path) ?? [];
      if (file === 'cmdline') return `chromium\0--type=renderer\0`;
      const state = current().states[Number(pid)];
      if (state === undefined) return null;
      const fields = Array.from({ length: 49 }, () => '0');
      // Fields 4 on: the parent, …, 14 and 15 the time, 22 the start, 39 the core.
      fields[10] = String(Math.round(ticks));
      return `${pid} (a) b) ${state} ${fields.join(' ')}\n`;
    },
  };
  const session = {
    browser: 'chromium',
    processTree: () => Object.keys(current().states).map(Number),
  };
  const watch = new StandstillWatch(session, files, () => at * stepMs);
  watch.start();
  for (at = 1; at < moments.length; at += 1) {
    ticks += ((current().cpu ?? 0) * stepMs * clockTicksPerSecond()) / 1000;
    watch.look();
  }
  watch.detach();
  return watch.longest();
}

const moments = (count: number, state: string, cpu = 0): readonly Moment[] =>
  Array.from({ length: count }, () => ({ states: { 7: 'S', 8: state }, cpu }));

test('adds up how long a process was stopped, in several pieces', () => {
  const stops = [...moments(5, 'S'), ...moments(8, 'T'), ...moments(4, 'S'), ...moments(4, 't')];
  const stood = watchThrough(stops);
  expect(stood).toEqual({ process: 'renderer', stoppedMs: 13 * stepMs, starvedMs: 0 });
});

test('a process that is ready to run and gets no core stands still', () => {
  expect(watchThrough([...moments(1, 'S'), ...moments(13, 'R', 0.02)])).toEqual({
    process: 'renderer',
    stoppedMs: 0,
    starvedMs: 12 * stepMs,
  });
});

test('a page that waits does not stand still, however long', () => {
  expect(watchThrough(moments(400, 'S'))).toBeNull();
  expect(watchThrough(moments(400, 'D'))).toBeNull();
});

test('a working process in any state does not count as stalled', () => {
  expect(watchThrough(moments(40, 'R', 0.9))).toBeNull();
  expect(watchThrough(moments(40, 'R', 0.1))).toBeNull();
  // A tracer stops it for a moment at each call.
  expect(watchThrough(moments(40, 't', 0.3))).toBeNull();
});

test('a page that is met awake now and then does not stand still', () => {
  const awake = (at: number): Moment => ({ states: { 8: at % 2 === 0 ? 'R' : 'S' }, cpu: 0.01 });
  expect(watchThrough(Array.from({ length: 100 }, (_, at) => awake(at)))).toBeNull();
});

test('a process that began while it was looked for is watched from then on', () => {
  const before: Moment = { states: { 7: 'S' } };
  const stood = watchThrough([before, before, ...moments(10, 'T')]);
  expect(stood).toMatchObject({ stoppedMs: 9 * stepMs });
});
