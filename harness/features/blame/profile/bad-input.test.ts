import { mkdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { aResult } from '../../../testing/builders.ts';
import { aFolder } from '../../../testing/folder.ts';
import type { DeclaredReading, NotSupported } from '../../../core/model/reading.ts';
import { listBusiest } from './busiest.ts';
import { renderFlamePage } from './flame-page.ts';
import { makeProfile } from './make-profile.ts';
import { longestName, longestUrl, type Profile } from './profile.ts';
import { readProfile } from './stored-profiles.ts';
import { summarizeProfiles } from './summarize-profiles.ts';
import type { V8Node } from './v8-nodes.ts';

interface Written {
  readonly nodes: readonly Partial<V8Node>[];
  readonly samples: readonly number[];
  /** Milliseconds of each sample. */
  readonly everyMs?: number;
}

/** A trace of Chromium whose window is as long as its samples. */
function aTrace({ nodes, samples, everyMs = 1 }: Written): string {
  const common = { pid: 7, tid: 7, id: '0x1' };
  const mark = { ...common, cat: 'blink.user_timing', name: 'timed window' };
  const data = { cpuProfile: { nodes, samples }, timeDeltas: samples.map(() => everyMs * 1000) };
  const events = [
    { ...common, ph: 'M', name: 'thread_name', args: { name: 'CrRendererMain' } },
    { ...common, ph: 'P', name: 'Profile', args: { data: { startTime: 0 } } },
    { ...common, ph: 'P', name: 'ProfileChunk', args: { data } },
    { ...mark, ph: 'b', ts: 0 },
    { ...mark, ph: 'e', ts: samples.length * everyMs * 1000 },
  ];
  return JSON.stringify({ traceEvents: events });
}

function node(id: number, parent: number | undefined, functionName: string, url = ''): V8Node {
  const callFrame = { functionName, url, lineNumber: url === '' ? -1 : 0, columnNumber: 0 };
  return { id, callFrame, ...(parent !== undefined && { parent }) };
}

const root = node(1, undefined, '(root)');

interface Made {
  readonly reading: DeclaredReading | NotSupported;
  readonly database: string;
}

/** Makes a profile of what a browser wrote; of a number as many empty bytes. */
async function make(
  what: string | number,
  format: 'chrome-trace' | 'firefox-profile',
): Promise<Made> {
  const folder = await aFolder();
  const written = join(folder, 'raw.json');
  await writeFile(written, typeof what === 'string' ? what : '');
  if (typeof what === 'number') await truncate(written, what);
  const reading = await makeProfile({
    written,
    format,
    root: folder,
    kept: 'profiles/run-1/a',
    browser: 'chromium',
    result: aResult([1]),
    servesPage: () => false,
    signal: new AbortController().signal,
  });
  return { reading, database: join(folder, 'a.db') };
}

async function readMade({ reading, database }: Made): Promise<Profile> {
  const file = 'values' in reading ? String(reading.values['file']?.value) : '';
  const profile = await readProfile(database, file);
  if (profile === null) throw new TypeError(JSON.stringify(reading));
  return profile;
}

test('a page without functions has its script as a whole', async () => {
  const made = await make(
    aTrace({
      nodes: [root, node(2, 1, '', 'https://a/page.html')],
      samples: [2, 2, 2],
    }),
    'chrome-trace',
  );
  const [first] = listBusiest(await readMade(made));
  expect(first).toMatchObject({ name: '(anonymous)', place: 'page.html:1', share: 1 });
});

test('code of eval and WebAssembly keeps what the engine calls it', async () => {
  const nodes = [
    root,
    { ...node(2, 1, 'made'), callFrame: { functionName: 'made', lineNumber: 3, columnNumber: 1 } },
    node(3, 1, 'wasm-function[7]', 'wasm://wasm/0011aabb'),
  ];
  const made = await make(aTrace({ nodes, samples: [2, 3, 3] }), 'chrome-trace');
  const functions = listBusiest(await readMade(made));
  expect(functions.map(({ name, place }) => [name, place])).toEqual([
    ['made', ''],
    ['wasm-function[7]', '0011aabb:1'],
  ]);
});

for (const [what, text] of [
  ['a crash cut off', '{"traceEvents":[{"ph":"P"'],
  ['is empty', ''],
  ['is no object', '7'],
  ['is a list', '[1,2]'],
] as const) {
  test(`a profile that ${what} is missing, with the reason`, async () => {
    for (const format of ['chrome-trace', 'firefox-profile'] as const) {
      const { reading } = await make(text, format);
      expect('notSupported' in reading && reading.notSupported).toMatch(
        /breaks off in the middle|is no trace|does not hold the timed window/,
      );
    }
  });
}

for (const [format, what, raw] of [
  ['chrome-trace', 'nodes', aTrace({ nodes: 7 as never, samples: [1] })],
  [
    'chrome-trace',
    'names',
    aTrace({ nodes: [{ id: 1, callFrame: { functionName: {} as never } }], samples: [1, 1] }),
  ],
  ['firefox-profile', 'samples', '{"threads":[{"name":7,"samples":7}]}'],
  ['firefox-profile', 'threads', '{"threads":7}'],
] as const) {
  test(`a ${format} whose ${what} have another form costs no trial`, async () => {
    const { reading } = await make(raw, format);
    expect('notSupported' in reading && reading.notSupported).toMatch(
      /has another form|does not hold the timed window/,
    );
  });
}

test('names and addresses of any length take a small part of a profile', async () => {
  const nodes = [
    root,
    node(2, 1, 'f'.repeat(20_000_000), `https://a/${'x'.repeat(20_000_000)}.js`),
  ];
  const data = await readMade(await make(aTrace({ nodes, samples: [2, 2] }), 'chrome-trace'));
  expect(data.functions[0]?.name).toHaveLength(longestName);
  expect(data.functions[0]?.url).toHaveLength(longestUrl);
});

test('recursion 10,000 deep is read, cut and drawn', async () => {
  const depth = 10_000;
  const nodes = Array.from({ length: depth }, (_, i) =>
    node(i + 2, i + 1, 'deep', 'https://a/x.js'),
  );
  const made = await make(
    aTrace({ nodes: [root, ...nodes], samples: [depth + 1, depth + 1, 2] }),
    'chrome-trace',
  );
  const data = await readMade(made);
  expect(data.notes).toEqual(['Stacks are cut at 1024 frames.']);
  const [deep] = listBusiest(data);
  expect(deep).toMatchObject({ name: 'deep', share: 1 });
  expect(deep?.totalMs).toBe(deep?.selfMs);
  const page = await renderFlamePage(
    'Run 1',
    summarizeProfiles({ differences: [], profiles: [{ title: 'a', data }] }),
  );
  expect(page).toContain('deep takes 100');
});

test('recursion 10,000 deep is read in Firefox, too', async () => {
  const depth = 10_000;
  const stacks = Array.from({ length: depth }, (_, i) => [i === 0 ? null : i - 1, 0]);
  const thread = {
    name: 'GeckoMain',
    stringTable: ['deep (https://a/x.js:1:1)'],
    frameTable: { schema: { location: 0 }, data: [[0]] },
    stackTable: { schema: { prefix: 0, frame: 1 }, data: stacks },
    samples: {
      schema: { stack: 0, time: 1 },
      data: [0, 1, 2].map((time) => [depth - 1, time]),
    },
    markers: {
      schema: { startTime: 0, endTime: 1, data: 2 },
      data: [[0, 2, { type: 'UserTiming', name: 'timed window' }]],
    },
  };
  const made = await make(JSON.stringify({ threads: [thread] }), 'firefox-profile');
  expect((await readMade(made)).frames.length).toBe(1024);
});

test('a profile is thinned until a second of it has a megabyte at most', async () => {
  const functions = 5000;
  const nodes = Array.from({ length: functions }, (_, i) =>
    node(i + 2, 1, `function-${String(i)}`, `https://a/${String(i % 100)}.js`),
  );
  // No two samples in a row are alike, and no order repeats itself.
  const samples = Array.from({ length: 400_000 }, (_, i) => 2 + ((i * i * 7919) % functions));
  const made = await make(
    aTrace({ nodes: [root, ...nodes], samples, everyMs: 0.0025 }),
    'chrome-trace',
  );
  const { thinnedBy, threads } = await readMade(made);
  expect(thinnedBy).toBeGreaterThan(1);
  const whole = threads[0]?.weightsMs.reduce((sum, ms) => sum + ms, 0) ?? 0;
  expect(whole).toBeCloseTo(1000, -1);
  const file = join(dirname(made.database), 'profiles', 'run-1', 'a.json.gz');
  expect((await stat(file)).size).toBeLessThanOrEqual(1_000_000);
  expect((await readFile(file)).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
});

test('a trace of 100 MB is read, and has a small profile', async () => {
  const text = aTrace({ nodes: [root, node(2, 1, 'one', 'https://a/x.js')], samples: [2, 2, 2] });
  const other = `,${JSON.stringify({ ph: 'X', name: 'RunTask', pid: 7, tid: 9, ts: 1, dur: 1, args: { of: 'x'.repeat(900) } })}`;
  const large = text.replace(/]}$/, `${other.repeat(100_000)}]}`);
  expect(large.length).toBeGreaterThan(95_000_000);
  const made = await make(large, 'chrome-trace');
  expect(listBusiest(await readMade(made))).toMatchObject([{ name: 'one', share: 1 }]);
  const file = join(dirname(made.database), 'profiles', 'run-1', 'a.json.gz');
  expect((await stat(file)).size).toBeLessThan(10_000);
});

test('a trace that is longer than a text can be is not read', async () => {
  const { reading } = await make(401 * 2 ** 20, 'chrome-trace');
  expect(reading).toMatchObject({ notSupported: 'what the browser wrote is too large to read' });
});

test('a stored profile that unpacks to more than a quarter of a gigabyte is not read', async () => {
  const folder = await aFolder();
  await mkdir(join(folder, 'profiles', 'run-1'), { recursive: true });
  const bomb = gzipSync(Buffer.alloc(257 * 2 ** 20), { level: 1 });
  await writeFile(join(folder, 'profiles', 'run-1', 'a.json.gz'), bomb);
  expect(await readProfile(join(folder, 'a.db'), 'profiles/run-1/a.json.gz')).toBeNull();
});
