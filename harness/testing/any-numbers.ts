import fc, { type Arbitrary } from 'fast-check';
import { extremes } from '../core/model/bounded-value.ts';
import { believable, longestTimeMs } from '../core/model/credible.ts';
import type { Reading } from '../core/model/reading.ts';
import type { RunRecord } from '../core/model/run.ts';
import type { Trial, TrialResult } from '../core/model/trial.ts';
import {
  aBenchmark,
  aCase,
  aFoundDevice,
  aJob,
  anEnvironment,
  aRecord,
  aResult,
  aThreadReading,
} from './builders.ts';

/** Runs whose numbers are anything that SQLite's columns hold: a stranger's database, an older farm. */

const { smallest, largest } = extremes;

/** Every size alike, and both ends of what is believed more often than others. */
const credible: Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, 1, -1, smallest, -smallest, largest, -largest),
  fc
    .double({ min: Math.log10(smallest), max: Math.log10(largest), noNaN: true })
    .map((power) => Math.min(largest, Math.max(smallest, 10 ** power))),
  fc.double({ min: 0.1, max: 100, noNaN: true }),
);

/** A few in a hundred, or no trial would be left that is believed. */
const anyNumber: Arbitrary<number> = fc.oneof(
  { weight: 400, arbitrary: credible },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.constantFrom(5e-324, 1e-300, 1.7e308, -1.7e308, Infinity, NaN),
      fc.double({ noNaN: true }),
    ),
  },
);
const notNegative = anyNumber.map(Math.abs);
const positive = notNegative.map((value) => value || smallest);
const numbers = (minLength: number): Arbitrary<number[]> =>
  fc.array(anyNumber, { minLength, maxLength: 12 });

const steadyState: Arbitrary<NonNullable<TrialResult['steadyState']>> = fc.record({
  firstMs: notNegative,
  steadyAfterMs: fc.option(notNegative),
  noisy: fc.boolean(),
  disturbed: fc.array(fc.nat(12), { maxLength: 4 }),
  reference: fc.record({
    windowMs: notNegative,
    rounds: fc.nat(),
    roundNs: notNegative,
    calmNs: notNegative,
  }),
  windowAtMs: notNegative,
  warmUpEndMs: numbers(0),
  segments: fc.array(fc.record({ fromMs: notNegative, toMs: notNegative, level: positive }), {
    maxLength: 3,
  }),
});

const result: Arbitrary<TrialResult> = fc
  .record({
    clock: fc.record({ granuleUs: positive, isolated: fc.boolean() }),
    repeats: fc.integer({ min: 1, max: 2 ** 31 }),
    steadiness: fc.constantFrom('flat', 'warm-up', 'slowdown', 'no steady state', 'first run'),
    steadyState: fc.option(steadyState, { nil: undefined }),
    warmUp: numbers(0),
    timed: numbers(1),
    counters: fc.dictionary(fc.constantFrom('calls', 'size'), anyNumber),
  })
  .map(({ warmUp, timed, steadyState: course, ...rest }) =>
    aResult(timed, {
      ...(rest as Partial<TrialResult>),
      ...(course === undefined ? {} : { steadyState: course }),
      samples: [{ metric: 'duration', unit: 'ms', warmUp, timed }],
    }),
  );

const readings: Arbitrary<readonly Reading[]> = fc
  .record({
    wallMs: notNegative,
    cpuMs: fc.array(notNegative, { maxLength: 3 }),
    busyMs: fc.array(fc.tuple(notNegative, notNegative), { maxLength: 3 }),
    environment: fc.record({
      load1: fc.option(notNegative),
      freeMemoryBytes: fc.option(notNegative),
      foreignShare: fc.option(notNegative),
      stealShare: fc.option(notNegative),
    }),
  })
  .map(({ wallMs, cpuMs, busyMs, environment }): readonly Reading[] => [
    { ...aThreadReading(cpuMs.map((one, tid) => ({ cpuMs: one, tid }))), wallMs },
    {
      probe: 'cpu-core',
      wallMs,
      intervalMs: 20,
      costMs: 1,
      snapshots: busyMs.map((busy, index) => ({
        atMs: index * 20,
        busyMs: busy,
        stealMs: [0, 0],
      })),
    },
    anEnvironment(environment),
  ]);

const trialOf = (index: number): Arbitrary<Trial> => {
  const [deviceId, n, block] = [
    index % 2 === 0 ? 'one' : 'two',
    12 + (Math.floor(index / 2) % 2),
    Math.floor(index / 4),
  ];
  const job = aJob({ ordinal: index, block, deviceId, case: aCase(n, 'asyncFib', aBenchmark) });
  return fc
    .record({
      result,
      readings,
      quarantine: fc.constantFrom([], [], ['it was busy']),
      wallMs: notNegative,
    })
    .map(({ wallMs: longer, ...outcome }) => ({
      job,
      outcome: { kind: 'completed', ...outcome },
      browser: { name: 'chromium', version: '1.2.3' },
      failedAttempts: [],
      startedAt: '2026-01-01T00:00:00.000Z',
      // Most trials hold what they measured.
      wallMs: Math.max(longer, longestTimeMs(outcome.result)),
    }));
};

/** Two cases on two devices, in up to three blocks; as the store reads them. */
export const anyRecord: Arbitrary<RunRecord> = fc
  .integer({ min: 1, max: 3 })
  .chain((blocks) => fc.tuple(...Array.from({ length: 4 * blocks }, (_, index) => trialOf(index))))
  .map((trials) => {
    const presences = [aFoundDevice('one'), aFoundDevice('two')];
    return aRecord(presences, trials.map(believable));
  });
