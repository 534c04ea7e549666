import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import type { Capability } from '../model/device.ts';
import { aBenchmark, aJob } from '../../testing/builders.ts';
import { aFolder } from '../../testing/folder.ts';
import { discardTrace, isOrdered, orderTrace, takeTrace, type TraceOrder } from './trace.ts';

const never = new AbortController().signal;
const able: readonly Capability[] = [{ name: 'trace', supported: true }];

async function order(
  overrides: { readonly browser?: string; readonly ordinal?: number; readonly id?: string } = {},
): Promise<TraceOrder> {
  const root = await aFolder();
  const { browser = 'chromium', ordinal = 3, id = 'chromium' } = overrides;
  const told = await orderTrace(aJob({ ordinal, block: 2, deviceId: id }), {
    folder: { root, run: 7 },
    browser,
    capabilities: able,
    isolation: 'session',
  });
  if (!isOrdered(told)) throw new Error(told.notSupported);
  return told;
}

test('names a trace after its run, device, case, block and trial', async () => {
  const { file, format } = await order();
  expect(file).toBe('traces/run-7/chromium-fib-function-asyncFib-n-12-block-2-cell-3.json.gz');
  expect(format).toBe('chrome-trace');
  expect((await order({ browser: 'firefox' })).format).toBe('firefox-profile');
});

test('no device or parameter makes a path outside, or too long', async () => {
  const { file } = await order({ id: '../../etc/passwd' });
  expect(file).toMatch(/^traces\/run-7\/[\w.-]+\.json\.gz$/);
  expect(file.split('/')).toHaveLength(3);
  const long = { ...aBenchmark, id: 'x'.repeat(400) };
  const job = aJob({ case: { benchmark: long, parameters: { function: 'a', n: 1 } } });
  const folder = { root: await aFolder(), run: 1 };
  const told = await orderTrace(job, {
    folder,
    browser: 'chromium',
    capabilities: able,
    isolation: 'session',
  });
  expect(isOrdered(told) && told.file.length).toBeLessThan(220);
});

test('packs the trace, and removes the original', async () => {
  const ordered = await order();
  await writeFile(ordered.written, '{"traceEvents":[]}\n');
  expect(await takeTrace(ordered, never)).toEqual({
    probe: 'trace',
    file: ordered.file,
    format: 'chrome-trace',
    costMs: 0,
  });
  const packed = await readFile(join(ordered.root, ordered.file));
  expect(gunzipSync(packed).toString('utf8')).toBe('{"traceEvents":[]}\n');
  expect(existsSync(ordered.written)).toBe(false);
});

const flaws: readonly [string, string | null, string][] = [
  ['is not there', null, 'the browser wrote no trace'],
  ['is empty', '', 'the browser wrote an empty trace'],
  ['breaks off', '{"traceEvents":[{"name":"x", "du', 'the trace breaks off in the middle'],
];

for (const [what, text, notSupported] of flaws) {
  test(`reports a trace that ${what}, and leaves nothing of it`, async () => {
    const ordered = await order();
    if (text !== null) await writeFile(ordered.written, text);
    expect(await takeTrace(ordered, never)).toEqual({ probe: 'trace', notSupported });
    expect(await readdir(join(ordered.root, 'traces', 'run-7'))).toEqual([]);
  });
}

test('a missing trace gives the driver’s reason, and a partial one is removed', async () => {
  const ordered = await order();
  await writeFile(`${ordered.written}.part`, '{"traceEvents":[]}');
  const broken = { probe: 'trace', notSupported: 'the trace breaks off in the middle' };
  expect(await takeTrace(ordered, never)).toEqual(broken);
  await writeFile(`${ordered.written}.why`, 'Ending the trace took longer than 30 s');
  expect(await takeTrace(ordered, never)).toEqual({
    probe: 'trace',
    notSupported: expect.stringMatching(/no trace: Ending .* 30 s$/),
  });
  expect(await readdir(join(ordered.root, 'traces', 'run-7'))).toEqual([]);
});

test('aborting the packing leaves no file', async () => {
  const ordered = await order();
  await writeFile(ordered.written, '{}');
  await expect(takeTrace(ordered, AbortSignal.abort())).rejects.toThrow();
  expect(await readdir(join(ordered.root, 'traces', 'run-7'))).toEqual([]);
});

test('a trace of a trial without result is removed, if there is one', async () => {
  const ordered = await order();
  await writeFile(ordered.written, '{}');
  await discardTrace(ordered);
  await discardTrace(ordered);
  expect(existsSync(ordered.written)).toBe(false);
});

test('gives the reason and makes no folder without capability or separate sessions', async () => {
  const root = await aFolder();
  const ask = (capabilities: readonly Capability[], isolation: 'session' | 'page') =>
    orderTrace(aJob(), { folder: { root, run: 1 }, browser: 'webkitgtk', capabilities, isolation });
  const unable = { name: 'trace', supported: false, because: 'WebDriver has no command for it' };
  expect(await ask([unable], 'session')).toEqual({
    probe: 'trace',
    notSupported: 'WebDriver has no command for it',
  });
  expect(await ask(able, 'page')).toMatchObject({
    notSupported: expect.stringContaining(`isolation "page"`),
  });
  expect(await ask([], 'session')).toMatchObject({
    notSupported: expect.stringContaining('declares no ability'),
  });
  expect(await readdir(root)).toEqual([]);
});
