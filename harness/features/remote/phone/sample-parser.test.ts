import { expect, test } from '@playwright/test';
import { SampleParser, type SampleEvent } from './sample-parser.ts';

/** A line of /proc/<pid>/stat with what is read of it. */
const stat = (pid: number, name: string, ticks: number, start: number): string =>
  `${String(pid)} (${name}) S 7 0 0 0 -1 0 0 0 0 0 ${String(ticks)} 0 0 0 20 0 9 0 ${String(start)} ${'0 '.repeat(16)}3 0 0`;

const text = `ready
pong 100.25
+ 40 com.android.chrome
+ 50 com.android.chrome:sandboxed_process0:Service0:0
= loadavg 0.52 0.58 0.59 1/467 12345

@ 101.30 go
cpu  10 0 5 85 0 0 0 0 0 0
cpu0 6 0 2 42 0 0 0 0 0 0
cpu1 4 0 3 43 0 0 0 0 0 0
$ ${stat(9, 'sh', 2, 90)}
${stat(40, 'm.android.chrome', 30, 95)}
${stat(40, 'CrBrowserMain', 20, 95)}
${stat(41, 'Chrome_IOThread', 10, 96)}
${stat(50, 'dboxed_process0', 7, 97)}
${stat(50, 'dboxed_process0', 1, 97)}
${stat(51, 'CrRendererMain', 6, 98)}
.

@ 101.40 tick
cpu  12 0 5 93 0 0 0 0 0 0
cpu0 8 0 2 46 0 0 0 0 0 0
cpu1 4 0 3 47 0 0 0 0 0 0
.
`;

function parse(pieces: readonly string[]): readonly SampleEvent[] {
  const parser = new SampleParser();
  return pieces.flatMap((piece) => [...parser.feed(piece)]);
}

test('reads clock, processes, facts and dumps from a stream, in order', () => {
  const events = parse([text]);
  expect(events.map(({ kind }) => kind)).toEqual([
    ...['ready', 'pong', 'process', 'process', 'fact', 'dump', 'dump'],
  ]);
  expect(events[1]).toEqual({ kind: 'pong', atMs: 100_250 });
  const [go, tick] = events.flatMap((one) => (one.kind === 'dump' ? [one.dump] : []));
  expect(go).toMatchObject({ atMs: 101_300, word: 'go', own: { pid: 9, ownTicks: 2 } });
  expect(go!.cores).toEqual([
    { core: 0, busy: 8, idle: 42, steal: 0 },
    { core: 1, busy: 7, idle: 43, steal: 0 },
  ]);
  const threadsOf = (pid: number): unknown =>
    go!.processes!.get(pid)!.threads.map(({ pid: tid, name }) => `${String(tid)} ${name}`);
  expect([...go!.processes!.keys()]).toEqual([40, 50]);
  expect(go!.processes!.get(40)!.process.ownTicks).toBe(30);
  expect(threadsOf(40)).toEqual(['40 CrBrowserMain', '41 Chrome_IOThread']);
  expect(threadsOf(50)).toEqual(['50 dboxed_process0', '51 CrRendererMain']);
  expect(tick).toMatchObject({ word: 'tick', own: null, processes: null });
});

test('reads the same from a stream in any pieces and with any line ends', () => {
  const whole = parse([text]);
  expect(parse([...text])).toEqual(whole);
  expect(parse([text.replaceAll('\n', '\r\n')])).toEqual(whole);
});

test('leaves out a dump without its end, and unknown lines', () => {
  expect(parse(['@ 1.00 tick\ncpu0 1 0 0 1 0 0 0 0 0 0\n@ 2.00 tick\n.\n'])).toMatchObject([
    { kind: 'dump', dump: { atMs: 2000, cores: [] } },
  ]);
  expect(parse([`rm -rf /\n${'x'.repeat(10_000)}\npong many\n`])).toEqual([]);
});
