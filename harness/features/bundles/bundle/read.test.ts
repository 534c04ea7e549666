import { test, expect } from '@playwright/test';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FarmError } from '../../../core/errors.ts';
import { aFolder, useOwnTemporaryFolder } from '../../../testing/folder.ts';
import { aBenchmark, aResult } from '../../../testing/builders.ts';
import { aZip } from '../../../testing/zip.ts';
import { unpackArchive } from './archive.ts';
import type { BundleTrial, Manifest } from './declaration.ts';
import { parts, writePages } from '../../../testing/bundle-example.ts';
import { bundleLimits } from './format.ts';
import { sha256 } from './pages.ts';
import { readBundle } from './read.ts';
import { writeBundle } from './write.ts';

useOwnTemporaryFolder();

/** A bundle with changed documents; its hashes match unless left as they were. */
interface Forgery {
  readonly manifest?: (manifest: Manifest) => unknown;
  readonly manifestText?: (text: string) => string;
  readonly trials?: (trials: BundleTrial[]) => unknown;
  readonly trialsText?: (text: string) => string;
  readonly files?: Readonly<Record<string, string | null>>;
  readonly keepHashes?: boolean;
}

let original: ReadonlyMap<string, Uint8Array>;
let whole: Buffer | undefined;
let path: string;

test.beforeEach(async () => {
  path = join(await aFolder(), 'bundle.zip');
  whole ??= await makeBundle(path);
  await writeFile(path, whole);
  original = unpackArchive(whole, bundleLimits);
});

async function makeBundle(file: string): Promise<Buffer> {
  await writeBundle(file, parts(await writePages(join(file, '..'))));
  return readFile(file);
}

async function forge(forgery: Forgery): Promise<void> {
  const contents = forgeContents(forgery);
  const manifest = JSON.parse(originalText('bundle.json')) as Manifest;
  const files = Object.entries(contents).map(([name, data]) => ({
    path: name,
    bytes: Buffer.byteLength(data),
    sha256: sha256(Buffer.from(data)),
  }));
  const honest = forgery.keepHashes ? manifest : { ...manifest, files };
  const head = JSON.stringify(forgery.manifest ? forgery.manifest(honest) : honest);
  const entries = { 'bundle.json': forgery.manifestText?.(head) ?? head, ...contents };
  const archive = aZip(Object.entries(entries).map(([name, data]) => ({ name, data })));
  await writeFile(path, archive);
}

/** Every entry but the manifest. */
function forgeContents({ trials, trialsText, files = {} }: Forgery): Record<string, string> {
  const document = JSON.parse(originalText('trials.json')) as { trials: BundleTrial[] };
  const all = trials ? trials(document.trials) : document.trials;
  const text = `${JSON.stringify({ trials: all })}\n`;
  const names = [...original.keys()].filter((name) => name !== 'bundle.json');
  const changed: Record<string, string | null> = {
    ...Object.fromEntries(names.map((name) => [name, originalText(name)])),
    'trials.json': trialsText?.(text) ?? text,
    ...files,
  };
  const kept = Object.entries(changed).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  return Object.fromEntries(kept);
}

function originalText(name: string): string {
  return Buffer.from(original.get(name)!).toString();
}

async function refusal(): Promise<string> {
  const error: unknown = await readBundle(path).catch((thrown: unknown) => thrown);
  if (!(error instanceof FarmError)) throw new TypeError(`no refusal: ${String(error)}`);
  expect(error.code).toBe('bad-bundle');
  expect(error.exitCode).toBe(2);
  expect(error.message).toContain(`The bundle ${path} is refused: `);
  // Untrusted text must not reach a terminal.
  expect(error.message).not.toMatch(/[\u0000-\u001f]/);
  expect(error.message.length).toBeLessThan(1_500);
  return error.message;
}

test('a bundle that was packed again is read', async () => {
  await forge({});
  expect((await readBundle(path)).question.id).toBe('A3');
});

test("reads an older farm's bundle whose trials lack node and clock", async () => {
  await forge({
    manifest: (one) => ({ ...one, format: 1 }),
    trials: (all) => all.map((one) => ({ ...one, node: undefined, clock: undefined })),
  });
  const { trials } = await readBundle(path);
  expect(trials.map((trial) => 'node' in trial || 'clock' in trial)).toEqual(
    trials.map(() => false),
  );
});

const aClock = { offsetMs: 1, errorMs: 1, roundTrips: 5 };

const withQuestion = (change: object) => ({
  manifest: (one: Manifest) => ({ ...one, question: { ...one.question, ...change } }),
});

const withDevice = (change: object) => ({
  manifest: (one: Manifest) => ({
    ...one,
    devices: one.devices.map((device, index) => (index === 0 ? { ...device, ...change } : device)),
  }),
});

const withLane = (change: object) => ({
  manifest: (one: Manifest) => ({
    ...one,
    lanes: one.lanes.map((lane, index) => (index === 0 ? { ...lane, ...change } : lane)),
  }),
});

const withTrial = (change: object) => ({
  trials: (all: BundleTrial[]) =>
    all.map((one, index) => (index === 0 ? { ...one, ...change } : one)),
});

/** More mistakes in one list than a function can be given arguments. */
const mistakes = Array(100_100).fill('');

const inAssertion = (change: object) => ({
  manifest: (one: Manifest) => ({
    ...one,
    question: {
      ...one.question,
      assertions: one.question.assertions.map((each) => ({ ...each, ...change })),
    },
  }),
});

const inChange = (change: object): Forgery => ({
  manifest: (one) => ({
    ...one,
    question: {
      ...one.question,
      assertions: one.question.assertions.map((each) =>
        each.kind === 'change' ? { ...each, ...change } : each,
      ),
    },
  }),
});

const forgeries: readonly [string, Forgery, RegExp][] = [
  ['no manifest', { manifestText: () => '' }, /bundle\.json is not JSON/],
  ['half a manifest', { manifestText: (text) => text.slice(0, 99) }, /bundle\.json is not JSON/],
  ['a list as manifest', { manifestText: () => '[]' }, /bundle\.json is not valid/],
  ['deep nesting', { manifestText: () => '['.repeat(100_000) }, /bundle\.json, it is nested/],
  [
    'a newer format',
    { manifest: (one) => ({ ...one, format: 4 }) },
    /format 4, which a newer farm/,
  ],
  ['a format of 0', { manifest: (one) => ({ ...one, format: 0 }) }, /\$\.format/],
  ['an unknown key', { manifest: (one) => ({ ...one, extra: 1 }) }, /Unrecognized key/],
  ['a prototype', { manifestText: (t) => t.replace('{', '{"__proto__":{"a":1},') }, /not valid/],
  ['a seed beyond 32 bits', { manifest: (one) => ({ ...one, seed: 2 ** 32 }) }, /\$\.seed/],
  [
    'an infinite number',
    { trialsText: (t) => t.replace('"wallMs":1000', '"wallMs":1e999') },
    /wallMs/,
  ],
  ['NaN', { trialsText: (t) => t.replace('"wallMs":1000', '"wallMs":null') }, /wallMs/],
  ['NaN as a word', { trialsText: (t) => t.replace('"wallMs":1000', '"wallMs":NaN') }, /not JSON/],
  ['a negative time', withTrial({ wallMs: -1 }), /wallMs/],
  ['an id that is a path', withQuestion({ id: '../A3' }), /\$\.question\.id/],
  ['a device id that is a path', withDevice({ id: '../../x' }), /\$\.devices\[0\]\.id/],
  ['a device name of markup', withDevice({ name: '<img src=x>' }), /without "<" and ">"/],
  ['a device name of control codes', withDevice({ name: 'a\u001b[2J' }), /control characters/],
  ['a product that is a path', withDevice({ browser: '/bin/sh' }), /\$\.devices\[0\]\.browser/],
  ['a driver that is a path', withDevice({ driver: '../evil' }), /\$\.devices\[0\]\.driver/],
  ['an executable', withDevice({ executable: '/bin/sh' }), /Unrecognized key: "executable"/],
  ['no cores', withDevice({ cores: 0 }), /\$\.devices\[0\]\.cores/],
  ['a variable that is none', withDevice({ environment: { 'A=B': '1' } }), /environment/],
  ['too many flags', withDevice({ flags: Array(101).fill('--a') }), /\$\.devices\[0\]\.flags/],
  ['a flag with a line end', withDevice({ flags: ['--a\n--b'] }), /\$\.devices\[0\]\.flags\[0\]/],
  ['two devices of one id', withDevice({ id: 'firefox' }), /two of its devices have one id/],
  ['an unknown device', withLane({ device: 'safari' }), /names the device "safari"/],
  ['an unknown benchmark', withLane({ benchmark: 'other' }), /no pages\/other\/benchmark\.json/],
  ['a benchmark that is a path', withLane({ benchmark: '../fib' }), /\$\.lanes\[0\]\.benchmark/],
  ['a parameter that is none', withLane({ parameters: { m: 1 } }), /leaves out function, n/],
  [
    'a value out of range',
    withLane({ parameters: { function: 'syncFib', n: 99 } }),
    /cannot be 99/,
  ],
  [
    'a range as value',
    withLane({ parameters: { function: 'syncFib', n: '1..40' } }),
    /\$\.lanes\[0\] does not name one case/,
  ],
  [
    'a parameter too many',
    withLane({ parameters: { function: 'syncFib', n: 1, extra: 1 } }),
    /no parameter of fib "extra"/,
  ],
  [
    'a benchmark that calls itself otherwise',
    { files: { 'pages/fib/benchmark.json': '{"id":"../x"}' } },
    /pages\/fib\/benchmark\.json is not valid/,
  ],
  [
    'no benchmark',
    { files: { 'pages/fib/benchmark.json': null } },
    /no pages\/fib\/benchmark\.json/,
  ],
  ['a lane that is not there', inAssertion({ of: 9, a: 9 }), /names lane 9|Unrecognized key/],
  ['a quantity that is a path', inAssertion({ quantity: '../x' }), /quantity/],
  ['a verdict that expects nothing', inAssertion({ expected: {} }), /expects nothing/],
  [
    'a verdict that cannot fail',
    inAssertion({ role: 'verdict', expected: { above: 0 } }),
    /assertions\[0\] .*every ratio .* 0\b/,
  ],
  [
    'a change that cannot fail',
    inChange({ role: 'verdict', expected: { above: -1 } }),
    /assertions\[2\] .*every ratio .* -1\b/,
  ],
  [
    'a change of a ratio against itself',
    inChange({ role: 'verdict', expected: { above: 0.5 }, a: 0, b: 1, c: 0, d: 1 }),
    /assertions\[2\] .*lane with itself/,
  ],
  [
    'a lane against itself',
    {
      manifest: (one) => ({
        ...one,
        question: {
          ...one.question,
          assertions: one.question.assertions.map((each) =>
            each.kind === 'ratio' ? { ...each, b: each.a } : each,
          ),
        },
      }),
    },
    /assertions\[0\] .*lane with itself/,
  ],
  [
    '41 lanes',
    { manifest: (one) => ({ ...one, lanes: Array(41).fill(one.lanes[0]) }) },
    /\$\.lanes: /,
  ],
  [
    'a unit of control codes',
    {
      files: {
        'pages/fib/benchmark.json': JSON.stringify({
          ...aBenchmark,
          metrics: [{ ...aBenchmark.metrics[0], unit: 'ms\u001b[2J' }],
        }),
      },
    },
    /metrics\[0\]\.unit: must be one line/,
  ],
  [
    'a benchmark of two lines',
    {
      files: {
        'pages/fib/benchmark.json': JSON.stringify({ ...aBenchmark, title: 'a\nb' }),
      },
    },
    /\$\.title: must be one line/,
  ],
  [
    'a benchmark with a theory of 101 values',
    {
      files: {
        'pages/fib/benchmark.json': JSON.stringify({
          ...aBenchmark,
          growth: {
            over: 'n',
            by: 'function',
            theory: Object.fromEntries(
              Array.from({ length: 101 }, (_, n) => [String(n), { perStep: 1, label: 'x' }]),
            ),
          },
        }),
      },
    },
    /\$\.growth\.theory: must be 100 at most/,
  ],
  [
    'a sentence of 5,000 characters',
    withQuestion({ sentence: 'x'.repeat(5_000) }),
    /\$\.question\.sentence/,
  ],
  ['no assertion', withQuestion({ assertions: [] }), /\$\.question\.assertions/],
  [
    'numbers of other assertions',
    { manifest: (one) => ({ ...one, numbers: { ...one.numbers, assertions: [] } }) },
    /asks 3 assertions and has numbers of 0/,
  ],
  [
    'a million iterations',
    {
      manifest: (one) => ({
        ...one,
        question: {
          ...one.question,
          measurement: {
            ...one.question.measurement,
            window: { ms: 100, iterations: 1_000_000 },
          },
        },
      }),
    },
    /measurement\.window\.iterations/,
  ],
  ['two trials of one cell', withTrial({ ordinal: 1 }), /two of its trials are one cell/],
  [
    'two trials of one lane in a block',
    withTrial({ lane: 0 }),
    /two trials of one lane in one block/,
  ],
  ['a trial of no lane', withTrial({ lane: 7 }), /\$\.trials\[0\] names lane 7/],
  ['a repeat of nothing', withTrial({ repeats: 999 }), /trial 0 repeats none/],
  ['a block beyond all', withTrial({ block: 500 }), /\$\.trials\[0\]\.block/],
  ['a node of control codes', withTrial({ node: { id: 'a\u001b[2J', uri: '' } }), /node\.id/],
  [
    'a node with a URI of 5,000 characters',
    withTrial({ node: { id: 'a', uri: 'x'.repeat(5_000) } }),
    /node\.uri/,
  ],
  [
    'a node with more',
    withTrial({ node: { id: 'a', uri: '', ssh: 'x' } }),
    /Unrecognized key: "ssh"/,
  ],
  [
    'a clock whose offset is too large',
    withTrial({ clock: { ...aClock, offsetMs: 1e14 } }),
    /clock\.offsetMs/,
  ],
  [
    'a clock with a negative error',
    withTrial({ clock: { ...aClock, errorMs: -1 } }),
    /clock\.errorMs/,
  ],
  [
    'a clock without a round trip',
    withTrial({ clock: { ...aClock, roundTrips: 0 } }),
    /clock\.roundTrips/,
  ],
  ['an unknown outcome', withTrial({ outcome: { kind: 'splendid' } }), /outcome/],
  [
    'samples of no numbers at all',
    withTrial({
      outcome: {
        kind: 'completed',
        result: aResult([], {
          samples: [{ metric: 'duration', unit: 'ms', warmUp: mistakes, timed: mistakes }],
        }),
        readings: [],
        quarantine: [],
      },
    }),
    /samples\[0\]\.warmUp\[0\]: must be a finite number/,
  ],
  [
    'more mistakes than can be listed',
    { trials: () => Array(20_000).fill({}) },
    /trials\.json is not valid/,
  ],
  [
    'a failure with samples',
    withTrial({ outcome: { kind: 'skipped', reason: '', remedy: '', result: {} } }),
    /Unrecognized key/,
  ],
  [
    'a file changed later',
    { keepHashes: true, files: { 'pages/fib/index.html': 'evil' } },
    /not the one that it lists/,
  ],
  [
    'a listed file missing',
    { keepHashes: true, files: { 'README.txt': null } },
    /lists "README\.txt", which/,
  ],
  ['an unlisted file', { keepHashes: true, files: { 'pages/kit/x.js': '' } }, /or not listed/],
  ['a foreign file', { files: { 'setup.sh': 'rm' } }, /"setup\.sh" is not part of any bundle/],
  ['a page of another benchmark', { files: { 'pages/other/x.js': '' } }, /not part of any bundle/],
  ['an inventory', { files: { 'pages/devices.json': '{}' } }, /not part of any bundle/],
];

for (const [what, forgery, sentence] of forgeries) {
  test(`a bundle with ${what} is refused`, async () => {
    await forge(forgery);
    expect(await refusal()).toMatch(sentence);
  });
}

test('refuses a missing file, a folder, and a file too large', async () => {
  path = join(path, '..', 'nope.zip');
  expect(await refusal()).toMatch(/it does not exist/);
  path = join(path, '..');
  expect(await refusal()).toMatch(/it is not a file/);
  path = join(path, 'large.zip');
  await writeFile(path, Buffer.alloc(2_000));
  const limits = { ...bundleLimits, archiveBytes: 1_000 };
  await expect(readBundle(path, limits)).rejects.toThrow(/2000 bytes.*\b1000\b/);
});

test('reading writes nothing', async () => {
  const ours = async (): Promise<readonly string[]> =>
    (await readdir(tmpdir())).filter((name) => name.startsWith('crossfarm-bundle-'));
  const [before, beside] = [await ours(), await readdir(join(path, '..'))];
  await readBundle(path);
  await forge({ files: { 'setup.sh': 'rm' } });
  await refusal();
  expect(await ours()).toEqual(before);
  expect(await readdir(join(path, '..'))).toEqual(beside);
});
