import { expect, test } from '@playwright/test';
import { DOMParser } from 'linkedom';
import type { Outcome } from '../../../core/model/trial.ts';
import {
  aCase,
  aCompletion,
  aFoundDevice,
  aJob,
  aMissingDevice,
  aQuarantinedTrial,
  aRecord,
  aTrial,
} from '../../../testing/builders.ts';
import { renderCells } from './cells.ts';
import { renderJunit } from './junit.ts';
import { perfherderData } from './perfherder.ts';

const failure = { code: 'page-error', message: '=1+1 <b>&"\u0000\n]]>' } as const;
const failed: Outcome = { kind: 'failed', failure };
const skipped: Outcome = { kind: 'skipped', reason: 'two is not installed', remedy: 'get it' };

const jobs = [
  ...[0, 1, 2].map((ordinal) => aJob({ ordinal, block: ordinal, deviceId: 'one' })),
  aJob({ ordinal: 3, block: 0, deviceId: 'two' }),
  aJob({ ordinal: 4, block: 3, deviceId: 'one', case: aCase(13) }),
  aJob({ ordinal: 5, block: 3, deviceId: 'one', case: aCase(13), repeats: 4 }),
  aJob({ ordinal: 6, block: 4, deviceId: 'one', case: aCase(14) }),
];

const record = aRecord(
  [aFoundDevice('one'), aMissingDevice('two')],
  [
    aTrial(jobs[0]!, [3, 1, 2]),
    aTrial(jobs[1]!, [8]),
    aTrial(jobs[2]!, failed),
    aTrial(jobs[3]!, skipped),
    aQuarantinedTrial(jobs[4]!, [99]),
    aTrial(jobs[5]!, [4]),
  ],
  jobs,
);

test('a table has a row per cell and metric, with failed outcomes', () => {
  const [head = '', ...rows] = renderCells(record).trimEnd().split('\n');
  const names = head.split(',');
  // The failure's message has a line end, which its quotes hold together.
  const lines = rows.join('\n').replace('\n]]>', ']]>').split('\n');
  const table = lines.map((line) => {
    const fields = line.match(/(?<=^|,)("(?:[^"]|"")*"|[^,]*)/g) ?? [];
    return Object.fromEntries(names.map((name, index) => [name, fields[index]]));
  });
  expect(table).toHaveLength(jobs.length);
  expect(table[0]).toMatchObject({
    run: '1',
    suite: 'quick',
    device: 'one',
    browser: 'chromium',
    version: '1.2.3',
    benchmark: 'fib',
    parameter_function: 'asyncFib',
    parameter_n: '12',
    block: '0',
    outcome: 'completed',
    metric: 'duration',
    value: '2',
    unit: 'ms',
    direction: 'lower',
    iterations: '3',
    reason: '',
    quarantine: '',
  });
  expect(table.map(({ outcome, value }) => [outcome, value])).toEqual([
    ['completed', '2'],
    ['completed', '8'],
    ['failed', ''],
    ['skipped', ''],
    ['completed', '99'],
    ['completed', '4'],
    ['none', ''],
  ]);
  expect(table[4]).toMatchObject({ quarantine: 'other programs used 90 % of the CPU' });
  expect(table[5]).toMatchObject({ repeats: '4' });
});

test('JUnit has a test per case, red for failures and missing outcomes', () => {
  const xml = renderJunit(record);
  expect(xml).not.toContain('\u0000');
  const document = new DOMParser().parseFromString(xml, 'text/xml');
  const root = document.querySelector('testsuites')!;
  expect(root.getAttribute('tests')).toBe('4');
  const facts = ['tests', 'failures', 'errors', 'skipped'];
  const suites = [...document.querySelectorAll('testsuite')];
  expect(suites.map((one) => facts.map((fact) => one.getAttribute(fact)))).toEqual([
    ['3', '1', '1', '0'],
    ['1', '0', '0', '1'],
  ]);
  // As written in the file: the parser here takes some entities for text.
  expect(xml).toContain('first in block 3: =1+1 &lt;b&gt;&amp;&quot;\uFFFD&#10;]]&gt;"');
  expect(document.querySelector('skipped')!.getAttribute('message')).toBe('two is not installed');
  const names = [...document.querySelectorAll('testcase')].map(
    (one) => `${one.getAttribute('classname')!} ${one.getAttribute('name')!}`,
  );
  expect(names).toEqual([
    ...[12, 13, 14].map((n) => `one.fib fib function=asyncFib n=${String(n)}`),
    'two.fib fib function=asyncFib n=12',
  ]);
  expect(document.querySelector('system-out')!.textContent).toContain(
    '1 of 2 trials excluded: other programs',
  );
});

test('Perfherder gets the trials that count as replicates, and which way is better', () => {
  expect(perfherderData(record)).toEqual({
    framework: { name: 'crossfarm' },
    suites: [
      {
        name: 'fib one',
        extraOptions: ['one'],
        subtests: [
          {
            name: 'fib function=asyncFib n=12',
            value: 5,
            replicates: [2, 8],
            unit: 'ms',
            lowerIsBetter: true,
          },
          {
            name: 'fib function=asyncFib n=13',
            value: 4,
            replicates: [4],
            unit: 'ms',
            lowerIsBetter: true,
          },
        ],
      },
    ],
  });
});

test('a history gets no number where every trial was quarantined or none completed', () => {
  const one = [aQuarantinedTrial(jobs[0]!, [9])];
  expect(perfherderData(aRecord([aFoundDevice('one')], one)).suites).toEqual([]);
  expect(perfherderData(aRecord([aFoundDevice('one')], [], jobs)).suites).toEqual([]);
  const kept = aTrial(jobs[0]!, aCompletion());
  expect(perfherderData(aRecord([aFoundDevice('one')], [kept])).suites).toHaveLength(1);
});

test('an emulated device is distinguished from a real one in every format', () => {
  const emulated = aFoundDevice('one', { emulation: { descriptor: 'Pixel 7', cpuThrottling: 4 } });
  const run = aRecord([emulated], [aTrial(jobs[0]!, [1])]);
  const what = 'Pixel 7, processor 4 times slower';
  expect(renderCells(run)).toContain(`1.2.3,"${what}"`);
  expect(renderJunit(run)).toContain(`name="one (emulated: ${what})"`);
  expect(perfherderData(run).suites[0]?.extraOptions).toEqual(['one', 'emulated']);
});
