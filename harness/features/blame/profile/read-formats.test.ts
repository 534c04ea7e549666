import { expect, test } from '@playwright/test';
import { nameScript } from './builder.ts';
import { readChromiumTrace } from './from-chromium.ts';
import { type GeckoProfile, parseLocation, readFirefoxProfile } from './from-firefox.ts';
import { functionTimes, type Profile } from './profile.ts';

/** Names of functions with self time, and how many milliseconds. */
function selfOf(profile: Profile): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...functionTimes(profile).values()]
      .filter(({ selfMs }) => selfMs > 0)
      .map((one) => [one.function.name, Math.round(one.selfMs * 1000) / 1000]),
  );
}

const facts = { engine: 'chromium', intervalMs: 1, operations: 1 } as const;

interface Chunk {
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** The renderer 7 with a window from 1 ms to 9 ms, a script `work` in it, and the browser's own work. */
function aTrace(
  { samples, timeDeltas }: Chunk,
  more: readonly object[] = [],
  given: Parameters<typeof readChromiumTrace>[1] = facts,
): Profile | string {
  const common = { pid: 7, tid: 7 };
  const window = {
    ...common,
    cat: 'blink.user_timing',
    name: 'timed window',
    id2: { local: '0x1' },
  };
  const frame = (functionName: string, lineNumber: number, url = ''): object => ({
    functionName,
    url,
    lineNumber,
    columnNumber: 0,
  });
  const nodes = [
    { id: 1, callFrame: frame('(root)', -1) },
    { id: 2, parent: 1, callFrame: frame('(program)', -1) },
    { id: 3, parent: 1, callFrame: frame('work', 4, 'http://127.0.0.1:8000/guest/x/table.js?a=1') },
    { id: 4, parent: 3, callFrame: frame('(garbage collector)', -1) },
  ];
  const read = readChromiumTrace(
    {
      traceEvents: [
        { ...common, ph: 'M', name: 'thread_name', args: { name: 'CrRendererMain' } },
        {
          ...common,
          ph: 'P',
          name: 'ProfileChunk',
          id: '0x1',
          args: { data: { cpuProfile: { nodes, samples }, timeDeltas } },
        },
        { ...common, ph: 'P', name: 'Profile', id: '0x1', args: { data: { startTime: 0 } } },
        { ...window, ph: 'b', ts: 1000 },
        { ...window, ph: 'e', ts: 9000 },
        ...more.map((one) => ({ ...common, ph: 'X', ...one })),
        null,
        7,
      ],
    },
    given,
  );
  return 'missing' in read ? read.missing : read.builder.finish(read.facts);
}

function profiled(profile: Profile | string): Profile {
  if (typeof profile === 'string') throw new Error(profile);
  return profile;
}

test('keeps the measured window alone of what Chromium sampled', () => {
  // At 0, 2, 6 and 12 ms: the last one only ends the one before.
  const profile = profiled(aTrace({ samples: [3, 4, 3, 2], timeDeltas: [0, 2000, 4000, 6000] }));
  expect(selfOf(profile)).toEqual({ work: 4, '(garbage collector)': 4 });
  expect(profile.functions.map(({ name, url, line }) => [name, url, line])).toContainEqual([
    'work',
    '/table.js',
    5,
  ]);
});

test('a function that had no core for a while is not blamed for the gap', () => {
  const often = { ...facts, intervalMs: 0.1 };
  // Samples at 1 and 1.5 ms, and none until 8 ms.
  const profile = profiled(
    aTrace({ samples: [3, 3, 2], timeDeltas: [1000, 500, 6500] }, [], often),
  );
  expect(selfOf(profile)).toEqual({ work: 2.5 });
});

test('orders samples that V8 wrote too late', () => {
  const profile = profiled(
    aTrace({ samples: [3, 2, 3, 2], timeDeltas: [1000, 6000, -3000, 5000] }),
  );
  expect(selfOf(profile)).toEqual({ work: 6, '(program)': 2 });
});

test('gives layout, style and paint to the browser, and time without a task to idle', () => {
  const profile = profiled(
    aTrace({ samples: [3, 3, 2, 2, 2], timeDeltas: [1000, 2000, 2000, 2000, 2000] }, [
      { name: 'RunTask', ts: 0, dur: 6500 },
      { name: 'Layout', ts: 2900, dur: 1000 },
      { name: 'Paint', ts: 4900, dur: 500 },
    ]),
  );
  expect(selfOf(profile)).toEqual({ work: 2, '(layout)': 2, '(paint)': 2, '(idle)': 2 });
});

test('says that stacks are cut off, and keeps the others', () => {
  const profile = profiled(
    aTrace({ samples: [3, 99, 3, 3], timeDeltas: [1000, 2000, 2000, 4000] }),
  );
  expect(selfOf(profile)).toEqual({ work: 6 });
  expect(profile.notes).toEqual(['The stacks of a thread (CrRendererMain) are cut off.']);
});

test('says why a trace gives no profile', () => {
  expect(readChromiumTrace({ traceEvents: [] }, facts)).toEqual({
    missing: 'its trace does not hold the timed window',
  });
  expect(aTrace({ samples: [], timeDeltas: [] })).toBe('its trace holds no samples of the page');
});

test('reads scripts, labels, tiers and waiting from a profile of Firefox', () => {
  const strings = [
    '(root)',
    'work (http://127.0.0.1:1/table.js:5:3)[12]',
    'ion',
    '0x7f00',
    'Reflow',
  ];
  const whole: GeckoProfile = {
    meta: { categories: [{ name: 'Other' }, { name: 'Layout', subcategories: ['Reflow'] }] },
    processes: [
      {
        threads: [
          {
            name: 'GeckoMain',
            stringTable: strings,
            frameTable: {
              schema: { location: 0, implementation: 3, category: 6, subcategory: 7 },
              data: [[0], [1, true, 0, 2], [3], [4, false, 0, null, null, null, 1, 0]],
            },
            stackTable: {
              schema: { prefix: 0, frame: 1 },
              data: [
                [null, 0],
                [0, 1],
                [1, 2],
                [1, 3],
              ],
            },
            samples: {
              schema: { stack: 0, time: 1, threadCPUDelta: 4 },
              data: [
                [1, 1],
                [2, 2, 0, 0, 9],
                [3, 3, 0, 0, 9],
                [0, 4, 0, 0, 9],
                [0, 5, 0, 0, 0],
              ],
            },
            markers: {
              schema: { name: 0, startTime: 1, endTime: 2, phase: 3, category: 4, data: 5 },
              data: [
                [0, 1, 9, 1, 0, { type: 'UserTiming', name: 'timed window' }],
                [0, 1],
              ],
            },
          },
        ],
      },
    ],
  };
  const read = readFirefoxProfile(whole, { ...facts, engine: 'firefox' });
  if ('missing' in read) throw new Error(read.missing);
  const profile = read.builder.finish(read.facts);
  expect(selfOf(profile)).toEqual({ work: 2, Reflow: 1, '(idle)': 1 });
  expect(profile.frames.find(({ tier }) => tier === 'optimised')).toBeDefined();
  expect(profile.functions.find(({ name }) => name === 'Reflow')?.category).toBe('layout');
});

test('splits the locations of Firefox whatever a function is called', () => {
  const place = { url: 'http://a/x.js', line: 2, column: 7 };
  expect(parseLocation('f (http://a/x.js:2:7)')).toEqual({ name: 'f', ...place });
  expect(parseLocation('a (b) (http://a/x.js:2:7)[3]')).toEqual({ name: 'a (b)', ...place });
  expect(parseLocation('http://a/x.js:2:7')).toEqual({ name: '', ...place });
  expect(parseLocation('js::RunScript').url).toBe('');
  expect(parseLocation('nsTimer::Fire (x)').url).toBe('');
});

test('names a script the same way in each trial', () => {
  expect(nameScript('http://127.0.0.1:4711/guest/ab12/lib/x.js?trial=secret#a')).toBe('/lib/x.js');
  expect(nameScript('http://127.0.0.1:1/x.js line 6 > eval')).toBe('/x.js line 6 > eval');
  expect(nameScript('blob:http://127.0.0.1:1/uuid')).toBe('blob:');
  expect(nameScript('https://me:secret@example.org/x.js?key=secret#a')).toBe(
    'https://example.org/x.js',
  );
  expect(nameScript('https://example.org/x.js?v=1 line 6 > eval')).toBe(
    'https://example.org/x.js line 6 > eval',
  );
  expect(nameScript('node:internal/modules/run_main')).toBe('node:internal/modules/run_main');
});
