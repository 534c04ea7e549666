import { expect, test } from '@playwright/test';
import type { Bundle } from '../bundles/bundle/format.ts';
import { numbers, question, record } from '../../testing/bundle-example.ts';
import { describeReplayEvidence } from './reproduce-bundle.ts';

const bundle: Bundle = {
  question,
  numbers,
  targets: [],
  trials: [],
  pages: [],
  farmVersion: '0.0.9',
  seed: 7,
  isolation: 'session',
  command: 'x',
  startedAt: '2026-01-01T00:00:00.000Z',
  machine: record.run.machine,
};

test('the numbers of the bundle are the published ones', () => {
  const note = 'The replay: reproduced: same direction.';
  const evidence = describeReplayEvidence(record, {
    bundle,
    question,
    notes: [note],
    writtenAt: '2026-01-02T00:00:00.000Z',
    farmVersion: '0.1.0',
  });
  expect(evidence.claim.source).toMatch(/bundle of 2026-01-01T00:00.* 0\.0\.9 on A CPU/);
  expect(evidence.notes[0]).toBe(note);
  const there = numbers.assertions[0]!.measured!;
  const { published } = evidence.assertions[0]!;
  expect(published).toMatchObject({
    low: there.low ?? there.value,
    high: there.high ?? there.value,
  });
  expect(published.text).not.toBe('5.4×');
  const unmeasured = numbers.assertions.findIndex(({ measured }) => measured === null);
  if (unmeasured >= 0) {
    expect(evidence.assertions[unmeasured]!.published.text).toBe('not measured in the bundle');
  }
});
