import { expect, test } from '@playwright/test';
import { makePlan } from '../plan/plan.ts';
import { aCase, aFoundDevice, aMeasurement, aTrial } from '../../testing/builders.ts';
import { firstNumbers } from './first-numbers.ts';

test('the numbers of the first block are told once it is over, and never again', () => {
  const presences = [aFoundDevice('one'), aFoundDevice('two')];
  const arms = ['one', 'two'].flatMap((deviceId) =>
    [10, 12].map((n) => ({ deviceId, case: aCase(n) })),
  );
  const measurement = aMeasurement;
  const plan = makePlan({ seed: 1, isolation: 'page', blocks: 2, measurement, presences, arms });
  const told: (readonly string[])[] = [];
  const listener = firstNumbers((lines) => told.push(lines));
  listener.onRunStarted?.({ run: 1, plan });
  for (const [index, job] of plan.jobs.entries()) {
    const value = Number(job.case.parameters['n']) * (job.deviceId === 'one' ? 1 : 2);
    listener.onTrialEnded?.({ trial: aTrial(job, [value]) });
    expect(told).toHaveLength(index < 3 ? 0 : 1);
  }
  const [, ...rows] = told[0]!;
  expect(rows.map((row) => row.replaceAll('\u00a0', ' ').trim())).toEqual([
    'asyncFib(10)  one 10.0 ms, two 20.0 ms',
    'asyncFib(12)  one 12.0 ms, two 24.0 ms',
  ]);
});
