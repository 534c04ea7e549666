import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@playwright/test';
import { describeRun } from '../../core/analysis/findings.ts';
import { comparedPair, comparisonSuite } from '../../core/analysis/run-pairs.ts';
import {
  aCompletion,
  aFoundDevice,
  aJob,
  aRecord,
  aResult,
  aSteadyState,
  aThreadReading,
  aTrial,
} from '../../testing/builders.ts';
import { cpuTimeOfPair } from './conclude.ts';
import { comparisonJson, describeDecision } from './devices-text.ts';

/** Two sides of which the first takes a tenth more of its core; 16 blocks. */
function told(threads: 'read' | 'not read') {
  const trials = Array.from({ length: 32 }, (_, ordinal) => {
    const deviceId = ordinal % 2 === 0 ? 'a' : 'b';
    const block = Math.floor(ordinal / 2);
    const cpuMs = (deviceId === 'a' ? 110 : 100) + (block % 3) / 10;
    const readings = threads === 'read' ? [aThreadReading([{ cpuMs }])] : [];
    const result = aResult(Array<number>(100).fill(2), { steadyState: aSteadyState() });
    return aTrial(aJob({ deviceId, block, ordinal }), aCompletion({ result, readings }));
  });
  const plain = aRecord([aFoundDevice('a'), aFoundDevice('b')], trials);
  const record = { ...plain, run: { ...plain.run, suite: comparisonSuite } };
  const findings = describeRun(record, { writtenAt: record.run.startedAt, farmVersion: '0.1.0' });
  const pair = comparedPair(record)!;
  return {
    decision: null,
    counted: null,
    notCounted: null,
    seed: 1,
    command: 'npx crossfarm compare a b',
    run: 1,
    continues: false,
    anomaly: null,
    why: [],
    stopped: { kind: 'decided' as const },
    ended: 'decided' as const,
    blocks: 8,
    pair,
    findings,
    window: null,
    cpuTime: cpuTimeOfPair(findings, pair),
  };
}

test('a comparison says in one line what CPU time says, and in its JSON', () => {
  const read = told('read');
  const text = stripVTControlCharacters(describeDecision(read));
  expect(text).toMatch(/^CPU time:.*slower.* a \/ b = 1\.0999× \(1\.09\d*–1\.10\d*×\)$/m);
  expect(comparisonJson(read, 0.02)).toMatchObject({ cpuTime: { verdict: 'slower', blocks: 16 } });
});

test('a comparison says how many iterations the machine slowed down, and in its JSON', () => {
  const { findings, ...rest } = told('read');
  const cells = findings.steady!.cells.map((cell, i) => ({
    ...cell,
    disturbed: i === 0 ? 0.38 : 0.4,
  }));
  const shown = { ...rest, findings: { ...findings, steady: { ...findings.steady!, cells } } };
  expect(describeDecision(shown)).toMatch(/do not count: 38.% of a, 40.% of b/);
  expect(comparisonJson(shown, 0.02)).toMatchObject({ disturbed: { a: 0.38, b: 0.4 } });
  expect(describeDecision(told('read'))).not.toContain('do not count');
});

test('omits CPU time from a comparison if no thread was read', () => {
  const unread = told('not read');
  expect(describeDecision(unread)).not.toContain('CPU time');
  expect(comparisonJson(unread, 0.02)).not.toHaveProperty('cpuTime');
});

test("names the cause and the CPU time's result where no block counts", () => {
  const notCounted = 'all trials (32) were excluded: other programs used 90 %: node × 2 (90 %)';
  const busy = { ...told('read'), notCounted };
  const text = stripVTControlCharacters(describeDecision(busy));
  expect(text).toContain(`no block of which a ratio can be made, because ${notCounted}`);
  expect(text).toMatch(/^CPU time, with the excluded trials \(16 blocks\).*slower/m);
  expect(comparisonJson(busy, 0.02)).toMatchObject({
    verdict: 'undecided',
    notCounted,
    cpuTime: { verdict: 'slower', quarantined: true },
  });
  const stopped = { kind: 'vanished' as const, reason: 'a gave no result: boom' };
  expect(describeDecision({ ...told('read'), stopped })).toContain(
    'because a gave no result: boom',
  );
});
