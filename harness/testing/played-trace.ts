/** Self times of functions, in whole milliseconds, by their names. */
export type PlayedTimes = Readonly<Record<string, number>>;

/** A trace as Chromium writes it, of a page whose timed window holds these functions one after the other. */
export function playTrace(times: PlayedTimes, file = 'page.js'): string {
  const common = { pid: 7, tid: 7 };
  const window = {
    ...common,
    cat: 'blink.user_timing',
    name: 'timed window',
    id2: { local: '0x1' },
  };
  const named = Object.entries(times);
  const whole = named.reduce((sum, [, ms]) => sum + ms, 0);
  const nodes = [
    { id: 1, callFrame: { functionName: '(root)', url: '', lineNumber: -1, columnNumber: -1 } },
    ...named.map(([functionName], index) => ({
      id: index + 2,
      parent: 1,
      callFrame: {
        functionName,
        url: `http://127.0.0.1:80/${file}`,
        lineNumber: 1,
        columnNumber: index,
      },
    })),
  ];
  const begin = 1000;
  // Sampled each millisecond.
  const ticks = named.flatMap(([, ms], index) => Array.from({ length: ms }, () => index + 2));
  const deltas = [begin, ...ticks.map(() => 1000)];
  const samples = [...ticks, 1];
  const chunk = { cpuProfile: { nodes, samples }, timeDeltas: deltas };
  return JSON.stringify({
    traceEvents: [
      { ...common, ph: 'M', name: 'thread_name', args: { name: 'CrRendererMain' } },
      { ...common, ph: 'P', name: 'Profile', id: '0x1', args: { data: { startTime: 0 } } },
      { ...common, ph: 'P', name: 'ProfileChunk', id: '0x1', args: { data: chunk } },
      { ...window, ph: 'b', ts: begin },
      { ...window, ph: 'e', ts: begin + whole * 1000 },
    ],
  });
}
