import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Presence } from '../core/model/device.ts';
import type { Arm, Question } from '../core/model/question.ts';
import type { Reading } from '../core/model/reading.ts';
import type { RunRecord } from '../core/model/run.ts';
import type { Trial } from '../core/model/trial.ts';
import {
  aBenchmark,
  aCase,
  aCompletion,
  aFoundDevice,
  aJob,
  aMeasurement,
  anEnvironment,
  aQuarantinedTrial,
  aRecord,
  aResult,
  aTrial,
} from './builders.ts';
import type { Numbers } from '../features/bundles/bundle/format.ts';
import type { BundleParts } from '../features/bundles/bundle/write.ts';

/** A question over two browsers and one changed device, with everything that a bundle can hold. */
const slow: Arm = { deviceId: 'firefox', case: aCase(12) };
const quick: Arm = { deviceId: 'chromium', case: aCase(12) };
const changed: Arm = { deviceId: 'chromium@without-parallel-gc', case: aCase(12) };

const facts = { role: 'verdict', quantity: 'duration', published: nothingPublished() } as const;

export const question: Question = {
  id: 'A3',
  title: 'Claim A3',
  sentence: 'asyncFib is slower in Firefox, for n < 13',
  source: 'a page & its author',
  published: '5.4×',
  assertions: [
    {
      ...facts,
      kind: 'ratio',
      sentence: 'Firefox takes longer',
      expected: { above: 1 },
      published: { text: '5.4×', low: 5.4, high: 6 },
      a: slow,
      b: quick,
    },
    {
      ...facts,
      kind: 'level',
      sentence: 'one core',
      expected: { above: 0.5, below: 1.5 },
      of: slow,
    },
    {
      ...facts,
      kind: 'change',
      role: 'explanation',
      sentence: 'it stays',
      expected: {},
      a: slow,
      b: quick,
      c: slow,
      d: changed,
    },
  ],
  counterfactuals: [
    {
      id: 'parallel-gc',
      sentence: 'without parallel garbage collection',
      change: '--js-flags=--single-threaded-gc',
      quantity: 'duration',
      withCause: quick,
      withoutCause: changed,
      effect: { kind: 'ratio', against: slow },
    },
    {
      id: 'cores',
      sentence: 'on one core',
      change: 'on 1 core',
      quantity: 'cores-busy',
      withCause: quick,
      withoutCause: changed,
      effect: { kind: 'level', base: 1 },
    },
  ],
  notes: ['a stand-in'],
  measurement: aMeasurement,
};

function nothingPublished(): Question['assertions'][number]['published'] {
  return { text: 'in words', low: null, high: null };
}

export const presences: readonly Presence[] = [
  aFoundDevice('chromium'),
  aFoundDevice('firefox', {
    browser: 'firefox',
    preferences: { 'dom.workers.maxPerDomain': 10000 },
  }),
  aFoundDevice('chromium@without-parallel-gc', {
    flags: ['--js-flags=--single-threaded-gc'],
    environment: { JSC_useConcurrentGC: '0' },
    cores: 1,
  }),
];

const jobs = [quick, slow, changed].map((lane, ordinal) => aJob({ ...lane, ordinal }));
const [first, second, third] = jobs as [Trial['job'], Trial['job'], Trial['job']];

const readings: readonly Reading[] = [
  {
    probe: 'cpu-core',
    wallMs: 100,
    intervalMs: 20,
    snapshots: [{ atMs: 20, busyMs: [10, 0], stealMs: [0, 0] }],
    costMs: 0.5,
  },
  {
    probe: 'cpu-thread',
    wallMs: 100,
    threads: [
      {
        pid: 10,
        tid: 11,
        process: 'renderer',
        name: 'DedicatedWorker',
        role: 'js-worker',
        cpuMs: 90.25,
        lastCore: 1,
      },
    ],
    timeline: [{ atMs: 50, cpuMs: { 'js-worker': 45, gc: 1 } }],
    costMs: 0.25,
  },
  anEnvironment(),
];

export const trials: readonly Trial[] = [
  {
    ...aTrial(first, aCompletion({ result: aResult([1, 2.5]), readings })),
    node: { id: 'a4-1', uri: 'http://10.0.0.4:5555', name: 'rack-2' },
    clock: { offsetMs: -81.25, errorMs: 0.4, roundTrips: 9 },
  },
  aQuarantinedTrial(second, [7]),
  aTrial(third, {
    kind: 'failed',
    failure: { code: 'browser-died', message: 'signal 11' },
  }),
  aTrial(aJob({ ...slow, ordinal: 3, repeats: 1 }), [6, 6.5, 7]),
];

export const numbers: Numbers = {
  verdict: 'inconclusive',
  blocks: 1,
  assertions: [
    { measured: { value: 3.7, low: 3, high: 4.5 }, blocks: 1, outcome: 'open', size: 'smaller' },
    { measured: null, blocks: 0, outcome: 'holds', size: 'not published' },
    { measured: null, blocks: 0, outcome: 'fails', size: 'open' },
  ],
  counterfactuals: [
    { withCause: null, withoutCause: null, explained: { value: -0.5, low: null, high: null } },
    { withCause: { value: 1.5, low: 1, high: 2 }, withoutCause: null, explained: null },
  ],
};

export const record: RunRecord = aRecord(presences, trials);

/** A folder of pages as the farm has one, with files that do not belong into a bundle. */
export async function writePages(folder: string): Promise<string> {
  const pages = join(folder, 'pages');
  const files: Readonly<Record<string, string>> = {
    'fib/benchmark.json': JSON.stringify(aBenchmark),
    'fib/index.html': '<!doctype html>',
    'fib/wasm/code.wasm': '\0asm',
    'fib/fib.test.ts': 'a test',
    'fib/README.md': 'a note',
    'fib/.cache': 'a cache',
    'kit/page.js': 'export {};',
    'other/benchmark.json': '{}',
    'suites/quick.json': '{}',
    'protocol.d.ts': 'export {};',
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(pages, path, '..'), { recursive: true });
    await writeFile(join(pages, path), text);
  }
  return pages;
}

export function parts(pagesFolder: string): BundleParts {
  return {
    question,
    record,
    numbers,
    pagesFolder,
    evidenceHtml: '<!doctype html><title>evidence</title>',
    farmVersion: '0.1.0',
    command: 'npx crossfarm claims reproduce A3 --seed 7',
  };
}
