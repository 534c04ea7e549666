import { expect, test } from '@playwright/test';
import type { GridNode } from '../model/device.ts';
import type { Trial } from '../model/trial.ts';
import { aFoundDevice, aJob, aRecord, aTrial } from '../../testing/builders.ts';
import { describeRun } from './findings.ts';
import { nodeFacts } from './facts.ts';

const a: GridNode = { id: '7f', uri: 'http://10.0.0.7:5555', name: 'a' };
const b: GridNode = { id: '9c', uri: 'http://10.0.0.9:5555' };
const aTrialOn = (ordinal: number, node?: GridNode, offsetMs?: number): Trial => ({
  ...aTrial(aJob({ ordinal }), [1]),
  ...(node !== undefined && { node }),
  ...(offsetMs !== undefined && { clock: { offsetMs, errorMs: 0.42, roundTrips: 9 } }),
});

test('names each node with its trials and its clock offset', () => {
  const trials = [aTrialOn(0, b), aTrialOn(1, a, 12.34), aTrialOn(2, a, -1)];
  expect(nodeFacts(trials)).toEqual([
    { label: 'Node 9c (http://10.0.0.9:5555)', text: '1 trial; its clock was not asked' },
    {
      label: 'Node a (http://10.0.0.7:5555)',
      text: expect.stringMatching(/^2 trials; .*clock −1\.0 … \+12\.3 ms.* ± 0\.4 ms/),
    },
  ]);
});

test('names no nodes without a grid', () => {
  expect(nodeFacts([aTrialOn(0)])).toEqual([]);
});

test('says where a remote browser is, and that its pages are no secure context', () => {
  const server = 'http://hub.example:4444';
  const there = aFoundDevice('one', { server, remote: { node: 'a', pages: 'lan' } });
  const now = { writtenAt: '2026-01-02T00:00:00.000Z', farmVersion: '0.1.0' };
  const { targets, runs } = describeRun(aRecord([there], [unisolated(aTrialOn(0, a, 0))]), now);
  expect(targets[0]?.notes).toContainEqual({
    label: 'elsewhere',
    text: 'node a of http://hub.example:4444',
  });
  expect(targets[0]?.notes.find(({ label }) => label === 'pages')?.text).toContain(
    'no secure context',
  );
  expect(runs[0]?.environment.map(({ label }) => label)).toContain('Node a (http://10.0.0.7:5555)');
  // With --tls its pages came over HTTPS.
  const isolated = describeRun(aRecord([there], [aTrialOn(0, a, 0)]), now);
  expect(isolated.targets[0]?.notes.map(({ label }) => label)).not.toContain('pages');
});

function unisolated(trial: Trial): Trial {
  if (trial.outcome.kind !== 'completed') return trial;
  const { outcome } = trial;
  const clock = { granuleUs: 1000, isolated: false };
  return { ...trial, outcome: { ...outcome, result: { ...outcome.result, clock } } };
}
