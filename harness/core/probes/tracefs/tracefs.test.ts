import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { parseLostEvents } from './instance.ts';
import { isEventLine, parseTraceLine } from './trace.ts';

/** Captured on Debian 12, Linux 6.18, two cores, with `trace_clock` at `mono`. */
function fixture(name: string): string {
  return readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');
}

test.describe('the file trace', () => {
  const events = fixture('trace.txt').split('\n').filter(isEventLine);

  test('is read from a captured file without its heading', () => {
    const kinds = events.map((line) => parseTraceLine(line)?.kind);
    expect(kinds.length).toBeGreaterThan(20);
    expect(new Set(kinds)).toEqual(new Set(['switch', 'run', 'birth']));
  });

  test('gives the leaving and arriving thread, also for names with spaces', () => {
    const line =
      ' npm exec playwr-10318   [001] d..2. 13692.019433: sched_switch: prev_comm=npm exec playwr prev_pid=10318 prev_prio=120 prev_state=D ==> next_comm=bash next_pid=10348 next_prio=120';
    expect(parseTraceLine(line)).toEqual({
      kind: 'switch',
      atUs: 13_692_019_433,
      core: 1,
      fromTid: 10_318,
      fromName: 'npm exec playwr',
      toTid: 10_348,
      toName: 'bash',
    });
  });

  test('distinguishes a new thread of a process from a new process', () => {
    const births = events.flatMap((line) => {
      const event = parseTraceLine(line);
      return event?.kind === 'birth' ? [event.sameProcess] : [];
    });
    expect(new Set(births)).toEqual(new Set([true, false]));
  });

  test('takes the run time of older kernels with virtual run time', () => {
    const fields = 'comm=BgIOThr~Pool #2 pid=14980 runtime=50380 [ns]';
    const line = ` BgIOThr~Pool #2-14980   [000] d..2. 13893.299227: sched_stat_runtime: ${fields}`;
    const run = parseTraceLine(line);
    expect(run).toMatchObject({ kind: 'run', tid: 14_980, ranUs: 50.38 });
    expect(parseTraceLine(`${line} vruntime=7161513962 [ns]`)).toEqual(run);
    expect(parseTraceLine(`${line} vruntime=7161513962`)).toBeNull();
  });

  test('shows idle, real-time priorities and the column of process ids', () => {
    const line =
      '          <idle>-0       (-------) [000] d..2. 5.000001: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=migration/0 next_pid=18 next_prio=-1';
    expect(parseTraceLine(line)).toMatchObject({ atUs: 5_000_001, fromTid: 0, toTid: 18 });
  });

  const hostile = 'x ==> next_comm';
  test('cannot be misled by a thread that is named like the fields', () => {
    const line = `  ${hostile}-7 [000] d..2. 5.000001: sched_switch: prev_comm=${hostile} prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=${hostile} next_pid=8 next_prio=120`;
    expect(parseTraceLine(line)).toMatchObject({
      fromTid: 7,
      fromName: hostile,
      toTid: 8,
      toName: hostile,
    });
  });

  test('gives null for a line that is cut or of another kind', () => {
    const line = events.find((one) => one.includes('sched_switch')) ?? '';
    fc.assert(
      fc.property(fc.nat(line.length - 1), (length) => {
        const event = parseTraceLine(line.slice(0, length));
        // Only the last number may still be whole when it is cut.
        expect(event === null || length > line.length - 3).toBe(true);
      }),
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseTraceLine(text)).toBeNull();
      }),
    );
    expect(parseTraceLine('a-1 [000] d..2. 5.000001: sched_waking: comm=x pid=1')).toBeNull();
  });
});

test.describe('the statistics of a buffer', () => {
  test('of a captured file count no lost event', () => {
    expect(parseLostEvents(fixture('stats.txt'))).toBe(0);
  });

  test('count every kind of lost event', () => {
    const text = 'entries: 9\noverrun: 1\ncommit overrun: 20\nbytes: 5\ndropped events: 300\n';
    expect(parseLostEvents(text)).toBe(321);
    expect(parseLostEvents('')).toBe(0);
  });
});
