import { test, expect } from '@playwright/test';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FarmError } from '../../../core/errors.ts';
import type { RunRecord } from '../../../core/model/run.ts';
import { aMissingDevice, aTrial } from '../../../testing/builders.ts';
import { aFolder } from '../../../testing/folder.ts';
import { unpackArchive } from './archive.ts';
import {
  numbers,
  parts,
  presences,
  question,
  record,
  trials,
  writePages,
} from '../../../testing/bundle-example.ts';
import { bundleLimits } from './format.ts';
import { readBundle } from './read.ts';
import { writeBundle } from './write.ts';

let folder: string;
let pages: string;
let path: string;

test.beforeEach(async () => {
  folder = await aFolder();
  pages = await writePages(folder);
  path = join(folder, 'out', 'a3.zip');
});

test('a bundle gives back question, numbers, devices and trials, to the last bit', async () => {
  const bytes = await writeBundle(path, parts(pages));
  expect((await readFile(path)).length).toBe(bytes);
  const bundle = await readBundle(path);
  expect(bundle.question).toEqual(question);
  expect(bundle.numbers).toEqual(numbers);
  // The key of a session means nothing in another run.
  const withoutKeys = (all: typeof trials): unknown =>
    all.map((trial) => ({ ...trial, job: { ...trial.job, sessionKey: '' } }));
  expect(withoutKeys(bundle.trials)).toEqual(withoutKeys(trials));
  expect(bundle.targets).toEqual(
    presences.map(({ device }) => ({
      device: { ...device, automatic: false },
      browser: { name: device.browser, version: '1.2.3' },
    })),
  );
  expect(bundle).toMatchObject({
    farmVersion: '0.1.0',
    seed: 7,
    isolation: 'session',
    command: 'npx crossfarm claims reproduce A3 --seed 7',
    startedAt: record.run.startedAt,
    machine: record.run.machine,
  });
});

test('a bundle has exactly the pages that were used, the kit and the protocol', async () => {
  await writeBundle(path, parts(pages));
  const bundle = await readBundle(path);
  expect(bundle.pages.map((page) => page.path)).toEqual([
    'fib/benchmark.json',
    'fib/index.html',
    'fib/wasm/code.wasm',
    'kit/page.js',
    'protocol.d.ts',
  ]);
});

test('a bundle has the report, and a text with the command that replays it', async () => {
  await writeBundle(path, parts(pages));
  const entries = unpackArchive(await readFile(path), bundleLimits);
  expect([...entries.keys()].slice(0, 3)).toEqual(['bundle.json', 'README.txt', 'evidence.html']);
  const text = Buffer.from(entries.get('README.txt')!).toString();
  expect(text).toContain('npx crossfarm claims reproduce <this file>.zip');
  expect(text).toContain('Claim A3: asyncFib is slower in Firefox');
  expect(text).toContain('firefox: firefox 1.2.3');
});

test('the same parts give the same bytes', async () => {
  await writeBundle(path, parts(pages));
  const other = join(folder, 'other.zip');
  await writeBundle(other, parts(await writePages(join(folder, 'elsewhere'))));
  expect((await readFile(path)).equals(await readFile(other))).toBe(true);
});

test('a bundle replaces the one before, and leaves no partial file', async () => {
  await mkdir(join(folder, 'out'));
  await writeFile(path, 'an old one');
  await writeBundle(path, parts(pages));
  await readBundle(path);
  expect(await readdir(join(folder, 'out'))).toEqual(['a3.zip']);
});

test('leaves nothing of a bundle that cannot be written, and names the path', async () => {
  await mkdir(path, { recursive: true });
  const writing = writeBundle(path, parts(pages));
  await expect(writing).rejects.toThrow(FarmError);
  await expect(writing).rejects.toThrow(`cannot be written to ${path}`);
  expect(await readdir(join(folder, 'out'))).toEqual(['a3.zip']);
});

test('a bundle that could not be read back is not written', async () => {
  const limits = { ...bundleLimits, totalBytes: 100 };
  const writing = writeBundle(path, { ...parts(pages), limits });
  await expect(writing).rejects.toThrow(/limit is 100\b/);
  expect(await readdir(folder)).toEqual(['pages']);
});

test('a run that is longer than any that is read is not written', async () => {
  const [first] = trials;
  const long = { ...record, trials: [{ ...first!, job: { ...first!.job, block: 500 } }] };
  const writing = writeBundle(path, { ...parts(pages), record: long });
  await expect(writing).rejects.toThrow(/trials\.json.*\$\.trials\[0\]\.block/);
});

test('names a page file whose name is not portable', async () => {
  await writeFile(join(pages, 'fib', 'a b.js'), '');
  await expect(writeBundle(path, parts(pages))).rejects.toThrow(
    /fib\/a b\.js cannot go into a bundle/,
  );
});

test('fits text of pages and devices: line ends, markup, endless messages', async () => {
  const [trial] = trials;
  const wild: RunRecord = {
    ...record,
    presences: record.presences.map((one) => ({
      ...one,
      device: { ...one.device, name: '<b>Chrome\n' },
    })) as RunRecord['presences'],
    trials: [
      aTrial(trial!.job, {
        kind: 'failed',
        failure: { code: 'page-error', message: `line\n\u001b[31m${'x'.repeat(9_000)}` },
      }),
    ],
  };
  await writeBundle(path, { ...parts(pages), record: wild });
  const bundle = await readBundle(path);
  expect(bundle.targets[0]!.device.name).toBe('‹b›Chrome ');
  const { outcome } = bundle.trials[0]!;
  expect(outcome.kind === 'failed' ? outcome.failure.message : '').toMatch(/^line \[31mx{3000,}$/);
});

test('a name of a grid that is longer than a bundle holds is cut', async () => {
  const [trial] = trials;
  const node = {
    id: 'i'.repeat(300),
    uri: `http://a/${'u'.repeat(5_000)}`,
    name: 'n\n'.repeat(100),
  };
  await writeBundle(path, {
    ...parts(pages),
    record: { ...record, trials: [{ ...trial!, node }] },
  });
  const kept = (await readBundle(path)).trials[0]!.node!;
  expect(kept.id).toBe('i'.repeat(200));
  expect(kept.uri).toHaveLength(4_096);
  expect(kept.name).toBe('n '.repeat(50));
});

test('leaves out schedules, traces and missing devices', async () => {
  const [trial] = trials;
  const outcome = trial!.outcome;
  if (outcome.kind !== 'completed') throw new TypeError('the first trial is completed');
  const trace = { probe: 'trace', file: 'traces/a', format: 'chrome-trace', costMs: 0 } as const;
  const more: RunRecord = {
    ...record,
    presences: [...record.presences, aMissingDevice('safari')],
    trials: [{ ...trial!, outcome: { ...outcome, readings: [trace, ...outcome.readings] } }],
  };
  await writeBundle(path, { ...parts(pages), record: more });
  const bundle = await readBundle(path);
  expect(bundle.targets.map(({ device }) => device.id)).not.toContain('safari');
  expect(bundle.trials[0]!.outcome).toMatchObject({
    readings: [{ probe: 'cpu-core' }, { probe: 'cpu-thread' }, { probe: 'environment' }],
  });
});

test('a bundle contains everything of devices.json except its secrets', async () => {
  const secret = 'hunter2-hunter2';
  const settings = {
    flags: ['--no-opt', `--api-key=${secret}`, '--window-size=800,600', secret],
    preferences: { 'network.proxy.password': secret, 'dom.workers.maxPerDomain': 9 },
    environment: { API_TOKEN: secret, LANG: 'C', JSC_useConcurrentGC: '0' },
  };
  const [first, ...others] = presences;
  const device = { ...first!.device, ...settings };
  const owned = {
    ...first!,
    device,
    ...('target' in first! && { target: { ...first.target, device } }),
  };
  const failed = aTrial(trials[0]!.job, {
    kind: 'failed',
    failure: { code: 'page-error', message: `it read ${secret} from its environment` },
  });
  const secretive: RunRecord = {
    ...record,
    presences: [owned as RunRecord['presences'][number], ...others],
    trials: [failed, ...trials.slice(1)],
  };
  await writeBundle(path, { ...parts(pages), record: secretive });
  const files = unpackArchive(await readFile(path), bundleLimits);
  const texts = [...files.values()].map((bytes) => Buffer.from(bytes).toString());
  expect(texts.join()).not.toContain('hunter2');
  expect(texts.join()).toContain('it read <redacted> from its environment');
  const [target] = (await readBundle(path)).targets;
  expect(target!.device).toMatchObject({
    flags: ['--no-opt', '--api-key=<redacted>', '--window-size=800,600', '<redacted>'],
    preferences: { 'network.proxy.password': '<redacted>', 'dom.workers.maxPerDomain': 9 },
    environment: { API_TOKEN: '<redacted>', LANG: 'C', JSC_useConcurrentGC: '0' },
  });
});
