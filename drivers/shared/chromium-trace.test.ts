import { mkdtemp, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { startTrace, type BrowserProtocol } from './chromium-trace.ts';

async function aPath(): Promise<{ folder: string; path: string }> {
  const parent = test.info().outputPath('traces');
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, 't-'));
  return { folder, path: join(folder, 'trace.json') };
}

interface Answers {
  /** Answer to each command; a command without one is answered with nothing. */
  readonly [method: string]: () => unknown;
}

/** A browser that ends its trace at once, or never (`completes: false`). */
function aBrowser(answers: Answers, { completes = true } = {}): BrowserProtocol {
  return {
    send: async (method) => answers[method]?.(),
    once: (_event, listener) => {
      if (completes) listener({ stream: '1' });
    },
  };
}

/** Long enough for an answer that comes at once, however busy the machine is. */
const patient = { endMs: 30_000, readMs: 30_000 };
const impatientAtTheEnd = { ...patient, endMs: 20 };
const impatientWhileReading = { ...patient, readMs: 20 };

test('a trace is there only when it is whole', async () => {
  const { folder, path } = await aPath();
  const seen: unknown[] = [];
  const pieces = ['{"traceEvents":', '[]}'];
  const browser = aBrowser({
    'IO.read': async () => {
      seen.push(await readdir(folder));
      const data = pieces.shift() ?? '';
      return { data, eof: pieces.length === 0 };
    },
  });
  const end = await startTrace(() => Promise.resolve(browser), { trace: path });
  await end();
  expect(seen).toEqual(Array(2).fill(['trace.json.part']));
  expect(await readdir(folder)).toEqual(['trace.json']);
  expect(await readFile(path, 'utf8')).toBe('{"traceEvents":[]}');
});

test('a browser that refuses to trace is used without, and its reason is written', async () => {
  const { folder, path } = await aPath();
  const refusing = aBrowser({
    'Tracing.start': () => Promise.reject(new Error('Tracing has already been started')),
  });
  const end = await startTrace(() => Promise.resolve(refusing), { trace: path });
  await end();
  expect(await readdir(folder)).toEqual(['trace.json.why']);
  expect(await readFile(`${path}.why`, 'utf8')).toMatch(
    /refused.*Tracing has already been started/,
  );
});

const silent = (): Promise<never> => new Promise(() => undefined);

const failures: readonly [string, BrowserProtocol, RegExp, typeof patient][] = [
  [
    'never ends its trace',
    aBrowser({}, { completes: false }),
    /^Ending the trace took longer/,
    impatientAtTheEnd,
  ],
  [
    'does not answer',
    aBrowser({ 'Tracing.end': silent }),
    /^Ending the trace took longer/,
    impatientAtTheEnd,
  ],
  [
    'stops in the middle',
    aBrowser({ 'IO.read': silent }),
    /^Reading the trace took longer/,
    impatientWhileReading,
  ],
  [
    'dies in the middle',
    aBrowser({ 'IO.read': () => Promise.reject(new Error('Target closed')) }),
    /^Reading the trace failed: Target closed/,
    patient,
  ],
];

for (const [what, browser, why, patience] of failures) {
  test(`a browser that ${what} delays nothing and leaves only the reason`, async () => {
    const { folder, path } = await aPath();
    const end = await startTrace(() => Promise.resolve(browser), { trace: path }, patience);
    await expect(end()).rejects.toThrow(why);
    expect(await readdir(folder)).toEqual(['trace.json.why']);
    expect(await readFile(`${path}.why`, 'utf8')).toMatch(why);
  });
}
