/** The tables of a report have 5 % each: what a reader of all of them meets. */
import { expect, test } from '@playwright/test';
import type { Trial } from '../model/trial.ts';
import {
  aCase,
  aCompletion,
  aFoundDevice,
  aJob,
  aRecord,
  aResult,
  aSteadyState,
  aThreadReading,
  aTrial,
} from '../../testing/builders.ts';
import { runCircumstances } from './pairs.ts';
import { makeSeries } from './series.ts';
import { seededGenerator } from './stats/random.ts';
import { makeSteadyFindings } from './steady-state.ts';
import { makeVerdicts } from './run-verdicts.ts';

const presences = [aFoundDevice('a'), aFoundDevice('b', { browser: 'firefox' })];
const cases = [10, 11, 12, 13].map((n) => aCase(n));

/** Equal sides on a machine that varies by 3 %; first calls and times to a steady state scatter more. */
function equalTrials(seed: number, blocks: number): readonly Trial[] {
  const generator = seededGenerator(seed);
  const near = (value: number, spread: number): number =>
    value * Math.exp(spread * generator.normal());
  return Array.from({ length: blocks }, (_, block) => {
    const cells = cases.flatMap((one) => presences.map(({ device }) => ({ one, device })));
    return generator.shuffle(cells).map(({ one, device }, index) => {
      const speed = near(1, 0.03);
      const steadyState = aSteadyState({
        firstMs: near(20 * speed, 0.1),
        steadyAfterMs: near(100 * speed, 0.2),
      });
      const result = aResult([near(5 * speed, 0.005)], { steadyState });
      const readings = [aThreadReading([{ cpuMs: near(300 * speed, 0.01) }])];
      const job = aJob({
        deviceId: device.id,
        case: one,
        block,
        ordinal: block * cells.length + index,
      });
      return aTrial(job, aCompletion({ result, readings }));
    });
  }).flat();
}

/** Rows of all tables, and those that are called different. */
function rowsOf(trials: readonly Trial[]): { readonly rows: number; readonly different: number } {
  const record = aRecord(presences, trials);
  const verdicts = makeVerdicts(record);
  const circumstances = runCircumstances(record);
  const given = { series: makeSeries(record), trials, verdicts, circumstances };
  const pairs = [...verdicts.pairs, ...(makeSteadyFindings(given)?.verdicts ?? [])];
  const different = pairs.filter(({ verdict }) => verdict === 'faster' || verdict === 'slower');
  return { rows: pairs.length, different: different.length };
}

test('equal sides differ in no table in 95 % of runs, at any reading', () => {
  const runs = 200;
  const blocks = 15;
  let alarms = 0;
  for (let seed = 0; seed < runs; seed++) {
    const trials = equalTrials(seed, blocks);
    const looks = [7, 9, 11, 13, blocks].map((seen) =>
      rowsOf(trials.slice(0, (seen * trials.length) / blocks)),
    );
    // Duration, first call, time to steady state and CPU time of each case.
    expect(looks.at(-1)?.rows).toBe(4 * cases.length);
    alarms += Number(looks.some(({ different }) => different > 0));
  }
  expect(alarms).toBeLessThanOrEqual(0.05 * runs);
});
