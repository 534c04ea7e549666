import { expect, test } from '@playwright/test';
import type { Question } from '../../../core/model/question.ts';
import type { Reading } from '../../../core/model/reading.ts';
import type { RunRecord } from '../../../core/model/run.ts';
import type { Trial } from '../../../core/model/trial.ts';
import {
  aCase,
  aCompletion,
  aFoundDevice,
  aJob,
  aMeasurement,
  aMissingDevice,
  anEnvironment,
  aQuarantinedTrial,
  aRecord,
  aResult,
  aTrial,
} from '../../../testing/builders.ts';
import { packRun } from './pack.ts';
import { Refusal } from '../bundle/format.ts';
import { parseRunDocument, readRunDocument } from './read.ts';

const jobs = [
  aJob({ ordinal: 0, block: 0, deviceId: 'one' }),
  aJob({ ordinal: 1, block: 0, deviceId: 'two' }),
  aJob({ ordinal: 2, block: 1, deviceId: 'one', case: aCase(13, 'syncFib') }),
  aJob({ ordinal: 3, block: 2, deviceId: 'one' }),
  aJob({ ordinal: 4, block: 0, deviceId: 'one', repeats: 0 }),
];

const readings: readonly Reading[] = [
  anEnvironment(),
  {
    probe: 'cpu-core',
    wallMs: 50,
    intervalMs: 20,
    snapshots: [{ atMs: 20, busyMs: [1, 2], stealMs: [0, 0] }],
    costMs: 0.5,
  },
  {
    probe: 'cpu-thread',
    wallMs: 50,
    threads: [
      {
        pid: 1,
        tid: 2,
        process: 'renderer',
        name: 'main',
        role: 'js-main',
        cpuMs: 4,
        lastCore: null,
      },
    ],
    timeline: [{ atMs: 20, cpuMs: { gc: 1 } }],
    costMs: 0.1,
  },
  {
    probe: 'sched',
    wallMs: 50,
    costMs: 1,
    coresBusy: 1.5,
    lostEvents: 3,
    cores: [[{ fromMs: 0, toMs: 2, role: 'foreign', thread: 'kworker', tid: 9 }], []],
  },
];

const lane = (n: number) => ({ deviceId: 'one', case: aCase(n) });

const question: Question = {
  id: 'A1',
  title: 'Slower',
  sentence: 'one is slower',
  source: 'somebody',
  published: '2×',
  notes: ['a note'],
  measurement: aMeasurement,
  assertions: [
    {
      kind: 'ratio',
      sentence: 'slower',
      role: 'verdict',
      quantity: 'duration',
      expected: { above: 1 },
      published: { text: '2×', low: 2, high: null },
      a: lane(12),
      b: lane(14),
    },
  ],
  counterfactuals: [],
};

const record: RunRecord = {
  ...aRecord(
    [
      {
        ...aFoundDevice('one', { executable: '/opt/one', version: '22', cores: 2 }),
        passedOver: [{ driver: 'playwright', reason: 'it cannot move it' }],
      },
      aMissingDevice('two'),
    ],
    [
      aQuarantinedTrial(jobs[0]!, [9]),
      aTrial(jobs[1]!, { kind: 'skipped', reason: 'two is not installed', remedy: 'get it' }),
      aTrial(jobs[2]!, {
        kind: 'failed',
        failure: { code: 'page-error', message: 'two lines\nand \u0007' },
      }),
      {
        ...aTrial(
          jobs[4]!,
          aCompletion({ result: aResult([1, 0.1], { counters: { calls: 7 } }), readings }),
        ),
        node: { id: 'a4-1', uri: 'http://10.0.0.4:5555', name: 'rack-2' },
        clock: { offsetMs: -81.25, errorMs: 0.4, roundTrips: 9 },
      },
    ],
    jobs,
  ),
  question,
};

const identity = 'which-run';
const packed = (): unknown => JSON.parse(JSON.stringify(packRun(record, identity)));

test('a run comes back from its document with everything: plan, samples, readings, question', () => {
  expect(readRunDocument(packed())).toEqual({ identity, record });
  expect(parseRunDocument(JSON.stringify(packed()))).toEqual({ identity, record });
});

test('the document has format 1 and its kind', () => {
  expect(packed()).toMatchObject({
    kind: 'crossfarm-run',
    format: 1,
    run: { identity, seed: 7, machine: { hostname: 'bench' } },
    cells: [{ ordinal: 0, trial: { outcome: { kind: 'completed' } } }, {}, {}, { trial: null }, {}],
  });
});

test('exports no paths of WebSockets and no signing keys', () => {
  const there = { driver: 'playwright', server: 'ws://box:3000/4f', remote: { ssh: 'me@box' } };
  const phone = {
    ...({ platform: 'ios', pages: 'https://tunnel.example' } as const),
    capabilities: { 'appium:keychainPassword': 'secret' },
  };
  const devices = [
    aFoundDevice('one', there),
    aFoundDevice('two', { driver: 'appium', server: 'http://mac:4723', phone }),
  ];
  const document = packRun({ ...record, presences: devices }, identity);
  expect(document.devices.map(({ device }) => device)).toMatchObject([
    { server: 'ws://box:3000', remote: {} },
    { server: 'http://mac:4723', phone: { platform: 'ios' } },
  ]);
  expect(JSON.stringify(document)).not.toMatch(/4f|me@box|secret|tunnel/);
});

test('how a phone treats its data, and its limits, come back, too', () => {
  const limits = { launchMs: 300_000 };
  const phone = { platform: 'android', profile: 'erase', limits } as const;
  const [, ...others] = record.presences;
  const one = aFoundDevice('one', { driver: 'appium', phone });
  const onPhone = { ...record, presences: [one, ...others] };
  const document: unknown = JSON.parse(JSON.stringify(packRun(onPhone, identity)));
  expect(readRunDocument(document).record.presences[0]).toEqual(one);
});

test('the place of a trial and its clock offset come back, too', () => {
  const [first, ...others] = record.trials;
  const there: Trial = {
    ...first!,
    node: { id: '7f', uri: 'http://10.0.0.7:5555', name: 'a' },
    clock: { offsetMs: -12.5, errorMs: 1.25, roundTrips: 9 },
  };
  const elsewhere = { ...record, trials: [there, ...others] };
  const document: unknown = JSON.parse(JSON.stringify(packRun(elsewhere, identity)));
  expect(readRunDocument(document)).toEqual({ identity, record: elsewhere });
});

test('a trace stays behind, and its reading says so', () => {
  const trace: Reading = {
    probe: 'trace',
    file: 'traces/x.json',
    format: 'chrome-trace',
    costMs: 0,
  };
  const traced = aRecord(
    [aFoundDevice('one')],
    [aTrial(jobs[0]!, aCompletion({ readings: [trace] }))],
  );
  const text = JSON.stringify(packRun(traced, identity));
  expect(text).not.toContain('traces/x.json');
  const [trial] = parseRunDocument(text).record.trials;
  expect(trial!.outcome).toMatchObject({
    readings: [{ probe: 'trace', notSupported: expect.stringContaining('stayed with the farm') }],
  });
});

test('a run that was going on is interrupted once imported', () => {
  const running = {
    ...record,
    run: { ...record.run, status: 'running', finishedAt: null } as const,
  };
  const { run } = readRunDocument(packRun(running, identity)).record;
  expect(run).toMatchObject({ status: 'interrupted', finishedAt: run.startedAt });
});

interface Loose {
  [name: string]: Loose;
}

const forgeries: readonly (readonly [string, (document: Loose) => void, RegExp])[] = [
  ['a newer format', (it) => (it['format'] = 3 as never), /format 3, which a newer farm wrote/],
  ['another kind', (it) => (it['kind'] = 'x' as never), /\$\.kind/],
  ['an unknown member', (it) => (it['more'] = 1 as never), /not an exported run/],
  ['a seed that is none', (it) => (it['run']!['seed'] = -1 as never), /\$\.run\.seed/],
  [
    'a sample that is no number',
    (it) =>
      (it['cells']![4]!['trial']!['outcome']!['result']!['samples']![0]!['timed']![0] =
        'x' as never),
    /cells\[4\].*must be a finite number/,
  ],
  [
    'a cell twice',
    (it) => (it['cells']![1]!['ordinal'] = 0 as never),
    /cells\[1\] is out of order/,
  ],
  [
    'a cell of no case',
    (it) => (it['cells']![1]!['case'] = 99 as never),
    /cells\[1\] names a device or a case/,
  ],
  [
    'a cell of no device',
    (it) => (it['cells']![1]!['device'] = 'six' as never),
    /cells\[1\] names a device/,
  ],
  [
    'a repeat of another block',
    (it) => (it['cells']![4]!['block'] = 1 as never),
    /repeats no cell of its like/,
  ],
  [
    'a case that cannot be',
    (it) => (it['cases']![0]!['parameters']!['n'] = 4000 as never),
    /Parameter n of fib cannot be 4000|cases\[0\]/,
  ],
  [
    'a metric that is not declared',
    (it) =>
      (it['cells']![4]!['trial']!['outcome']!['result']!['samples']![0]!['metric'] =
        'speed' as never),
    /metric that fib does not declare/,
  ],
  [
    'an end of a run that goes on',
    (it) => (it['run']!['status'] = 'running' as never),
    /running and has ended/,
  ],
  [
    'a question that cannot fail',
    (it) => (it['question']!['asked']!['assertions']![0]!['expected'] = {}),
    /expects nothing/,
  ],
  [
    'one device twice',
    (it) => (it['devices']![1]!['device']!['id'] = 'one' as never),
    /the device one twice/,
  ],
];

for (const [what, forge, sentence] of forgeries) {
  test(`${what} is refused with a sentence`, () => {
    const document = packed() as Loose;
    forge(document);
    const refused = (): unknown => readRunDocument(document);
    expect(refused).toThrow(Refusal);
    expect(refused).toThrow(sentence);
  });
}

for (const text of [
  '',
  'SQLite',
  '[',
  '[]',
  'null',
  '{}',
  '{"kind":"crossfarm-run","format":1}',
  '"x"',
]) {
  test(`${JSON.stringify(text)} is refused`, () => {
    expect(() => parseRunDocument(text)).toThrow(Refusal);
  });
}
