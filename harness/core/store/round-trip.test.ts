import { expect, test } from '@playwright/test';
import fc, { type Arbitrary } from 'fast-check';
import type { Case } from '../model/case.ts';
import { extremes, isCredible } from '../model/bounded-value.ts';
import type { Presence } from '../model/device.ts';
import { browserFamilies } from '../model/family.ts';
import {
  builtInProbes,
  type DeclaredProbe,
  type ProbeName,
  type Reading,
} from '../model/reading.ts';
import type { FailureCode, Outcome, Trial, TrialResult } from '../model/trial.ts';
import { completed, makeFacts, failed, makeJobs, quarantined } from './fixtures/example.ts';
import { openStore } from './store.ts';

/** SQLite keeps 0 for −0 in some places; no clock and no counter gives −0, nor what is not credible. */
const number = fc
  .double({ min: -extremes.largest, max: extremes.largest, noNaN: true })
  .map((value) => (isCredible(value) ? value + 0 : 0));
const duration = fc
  .double({ min: 0, max: 1e9, noNaN: true })
  .map((value) => (isCredible(value) ? value : 0));
/** Any well-formed text, quotes, NUL and emoji included. */
const text = fc.string({ unit: 'binary', maxLength: 20 });
const name = fc.string({ minLength: 1, maxLength: 8 });
const count = fc.nat(2 ** 31);
const orNull = <Value>(value: Arbitrary<Value>): Arbitrary<Value | null> => fc.option(value);
const { record } = fc;

const parameterValue = fc.oneof(text, fc.integer(), fc.boolean());

const oneCase: Arbitrary<Case> = fc
  .record(
    {
      id: name,
      version: count,
      title: text,
      description: text,
      page: text,
      parameters: fc.uniqueArray(
        fc.oneof(
          record({
            kind: fc.constant('choice' as const),
            name,
            values: fc.array(parameterValue),
            default: parameterValue,
          }),
          record({
            kind: fc.constant('integer' as const),
            name,
            minimum: fc.integer(),
            maximum: fc.integer(),
            default: fc.integer(),
          }),
        ),
        { selector: (parameter) => parameter.name, maxLength: 3 },
      ),
      metrics: fc.uniqueArray(
        record({
          id: text,
          title: text,
          unit: text,
          direction: fc.constantFrom('lower', 'higher'),
        }),
        { selector: (metric) => metric.id, minLength: 1, maxLength: 3 },
      ),
      growth: fc.record(
        {
          over: text,
          by: text,
          theory: fc.dictionary(text, record({ perStep: duration, label: text }), {
            noNullPrototype: true,
          }),
        },
        { requiredKeys: ['over', 'by'], noNullPrototype: true },
      ),
      crossover: record({ over: text, by: text, base: parameterValue }),
      truth: record({ parameter: text, unit: text }),
    },
    { requiredKeys: ['id', 'version', 'title', 'description', 'page', 'parameters', 'metrics'] },
  )
  .chain((benchmark) =>
    record({
      benchmark: fc.constant(benchmark),
      parameters: fc
        .array(parameterValue, {
          minLength: benchmark.parameters.length,
          maxLength: benchmark.parameters.length,
        })
        .map((values) =>
          Object.fromEntries(benchmark.parameters.map((one, index) => [one.name, values[index]!])),
        ),
    }),
  );

const gridNode = fc.record(
  { id: text, uri: text, name: text },
  { requiredKeys: ['id', 'uri'], noNullPrototype: true },
);

const capabilities = fc.array(
  fc.record(
    { name: text, supported: fc.boolean(), because: text },
    { requiredKeys: ['name', 'supported'] },
  ),
  { maxLength: 3 },
);

const presence: Arbitrary<Presence> = fc
  .record(
    {
      id: name,
      name: text,
      browser: text,
      driver: text,
      executable: text,
      server: text,
      phone: fc.record(
        {
          platform: fc.constantFrom('android' as const, 'ios' as const),
          udid: text,
          appPackage: text,
          pages: fc.constant('lan' as const),
        },
        { requiredKeys: ['platform'] },
      ),
      remote: fc.record(
        {
          node: text,
          capabilities: fc.dictionary(text, parameterValue, { maxKeys: 3, noNullPrototype: true }),
          pages: text,
          ssh: text,
          agent: text,
        },
        { requiredKeys: [], noNullPrototype: true },
      ),
      emulation: fc.record({ descriptor: text, cpuThrottling: duration }, { requiredKeys: [] }),
      headless: fc.boolean(),
      flags: fc.array(text, { maxLength: 3 }),
      preferences: fc.dictionary(text, parameterValue, { maxKeys: 3 }),
      environment: fc.dictionary(text, text, { maxKeys: 3 }),
      automatic: fc.boolean(),
      cores: fc.integer({ min: 1, max: 1024 }),
      family: fc.constantFrom(...browserFamilies),
    },
    {
      requiredKeys: [
        ...(['id', 'name', 'browser', 'driver', 'headless'] as const),
        ...(['flags', 'preferences', 'environment', 'automatic'] as const),
      ],
    },
  )
  .chain((device) =>
    fc.oneof(
      fc.record(
        {
          status: fc.constant('found' as const),
          device: fc.constant(device),
          target: fc.record(
            {
              device: fc.constant(device),
              browser: record({ name: text, version: text }),
              executable: text,
              server: text,
              node: gridNode,
            },
            { requiredKeys: ['device', 'browser', 'executable'] },
          ),
          capabilities,
          passedOver: fc.array(record({ driver: name, reason: text }), {
            minLength: 1,
            maxLength: 2,
          }),
        },
        { requiredKeys: ['status', 'device', 'target', 'capabilities'] },
      ),
      record({
        status: fc.constant('missing' as const),
        device: fc.constant(device),
        reason: text,
        remedy: text,
        capabilities,
      }),
    ),
  );

const cores = fc.array(duration, { minLength: 2, maxLength: 2 });
const roles = ['js-main', 'js-worker', 'gc', 'jit', 'compositor', 'io', 'other'] as const;
const slice = record({
  fromMs: duration,
  toMs: duration,
  role: fc.constantFrom(...roles, 'foreign' as const),
  thread: text,
  tid: count,
});
const readings: Arbitrary<readonly Reading[]> = fc.uniqueArray(
  fc.oneof(
    record({
      probe: fc.constantFrom<ProbeName[]>(...builtInProbes, 'fan' as DeclaredProbe),
      notSupported: text,
    }),
    record({
      probe: fc.constantFrom('fan' as DeclaredProbe, 'heat' as DeclaredProbe),
      values: fc.dictionary(
        text,
        record({
          title: text,
          unit: orNull(text),
          value: orNull(fc.oneof(number, text, fc.array(number))),
        }),
        { noNullPrototype: true },
      ),
      costMs: duration,
    }),
    record({
      probe: fc.constant('cpu-core' as const),
      wallMs: duration,
      intervalMs: duration,
      snapshots: fc.array(record({ atMs: duration, busyMs: cores, stealMs: cores })),
      costMs: duration,
    }),
    record({
      probe: fc.constant('cpu-thread' as const),
      wallMs: duration,
      threads: fc.array(
        record({
          pid: count,
          tid: count,
          process: text,
          name: text,
          role: fc.constantFrom(...roles),
          cpuMs: duration,
          lastCore: orNull(fc.nat(1023)),
        }),
      ),
      timeline: fc.array(
        record({
          atMs: duration,
          cpuMs: fc.dictionary(fc.constantFrom(...roles), duration, { noNullPrototype: true }),
        }),
      ),
      costMs: duration,
    }),
    record({
      probe: fc.constant('environment' as const),
      load1: orNull(duration),
      cpuPressure: orNull(duration),
      freeMemoryBytes: orNull(fc.maxSafeNat()),
      governor: orNull(text),
      frequencyMhz: orNull(duration),
      foreignShare: orNull(duration),
      stealShare: orNull(duration),
      throttleEvents: orNull(count),
      costMs: duration,
    }),
    record({
      probe: fc.constant('environment' as const),
      load1: fc.constant(null),
      cpuPressure: fc.constant(null),
      freeMemoryBytes: fc.constant(null),
      governor: fc.constant(null),
      frequencyMhz: fc.constant(null),
      foreignShare: fc.constant(null),
      stealShare: fc.constant(null),
      throttleEvents: fc.constant(null),
      costMs: duration,
      phone: record({
        clockOffsetMs: number,
        clockErrorMs: duration,
        batteryPercent: orNull(duration),
        powered: orNull(fc.boolean()),
        batteryCelsius: orNull(number),
        thermalStatus: orNull(fc.nat(6)),
      }),
    }),
    record({
      probe: fc.constant('sched' as const),
      wallMs: duration,
      costMs: duration,
      coresBusy: duration,
      cores: fc.array(fc.array(slice)),
      lostEvents: count,
    }),
    record({
      probe: fc.constant('trace' as const),
      file: text,
      format: fc.constantFrom('chrome-trace', 'firefox-profile'),
      costMs: fc.constant(0),
    }),
  ),
  { selector: (reading) => reading.probe },
);

const failure = record({
  code: fc.constantFrom<FailureCode[]>(
    ...([
      'launch-failed',
      'navigation-failed',
      'browser-died',
      'page-error',
      'wrong-result',
    ] as const),
    ...(['bad-message', 'timed-out', 'probe-failed', 'farm-error'] as const),
  ),
  message: text,
});

const steadyState: Arbitrary<NonNullable<TrialResult['steadyState']>> = record({
  firstMs: duration,
  steadyAfterMs: orNull(duration),
  noisy: fc.boolean(),
  windowAtMs: duration,
  warmUpEndMs: fc.array(duration),
  segments: fc.array(record({ fromMs: duration, toMs: duration, level: duration })),
});

function resultOf(one: Case): Arbitrary<TrialResult> {
  return fc
    .tuple(former(one), orNull(steadyState))
    .map(([result, found]) => (found === null ? result : { ...result, steadyState: found }));
}

function former(one: Case): Arbitrary<TrialResult> {
  return record({
    protocol: fc.constant(1 as const),
    clock: record({ granuleUs: duration, isolated: fc.boolean() }),
    host: record({ userAgent: text, hardwareConcurrency: orNull(count) }),
    repeats: fc.integer({ min: 1, max: 1e6 }),
    steadiness: fc.constantFrom(
      ...(['flat', 'warm-up', 'slowdown', 'no steady state', 'first run'] as const),
      ...(['steady', 'slowing'] as const),
    ),
    samples: fc.shuffledSubarray([...one.benchmark.metrics]).chain((metrics) =>
      fc.tuple(
        ...metrics.map(({ id, unit }) =>
          record({
            metric: fc.constant(id),
            unit: fc.constant(unit),
            warmUp: fc.array(number),
            timed: fc.array(number, { maxLength: 300 }),
          }),
        ),
      ),
    ),
    counters: fc.dictionary(text, number, { maxKeys: 5 }),
  });
}

function outcomeOf(one: Case): Arbitrary<Outcome> {
  return fc.oneof(
    record({
      kind: fc.constant('completed' as const),
      result: resultOf(one),
      readings,
      quarantine: fc.array(text, { maxLength: 3 }),
    }),
    record({ kind: fc.constantFrom('failed' as const, 'timed-out' as const), failure }),
    record({ kind: fc.constant('skipped' as const), reason: text, remedy: text }),
  );
}

const planned: Arbitrary<{ presences: readonly Presence[]; trial: Trial }> = fc
  .record({ presence, one: oneCase, block: count, sessionKey: text })
  .chain(({ presence: there, one, block, sessionKey }) =>
    outcomeOf(one).chain((outcome) =>
      record({
        presences: fc.constant([there]),
        trial: fc.record(
          {
            job: fc.constant({
              ordinal: 0,
              block,
              case: one,
              deviceId: there.device.id,
              sessionKey,
            }),
            outcome: fc.constant(outcome),
            browser: orNull(record({ name: text, version: text })),
            failedAttempts:
              outcome.kind === 'skipped'
                ? fc.constant([])
                : fc
                    .array(failure, { maxLength: 3 })
                    .map((all) => all.map((each, index) => ({ number: index + 1, failure: each }))),
            startedAt: fc.constant('2026-11-21T00:00:00.000Z'),
            wallMs: duration,
            node: gridNode,
            waitedMs: fc.nat(),
            clock: record({ offsetMs: number, errorMs: duration, roundTrips: count }),
          },
          {
            requiredKeys: [
              ...(['job', 'outcome', 'browser'] as const),
              ...(['failedAttempts', 'startedAt', 'wallMs'] as const),
            ],
          },
        ),
      }),
    ),
  );

test('reads any valid trial back exactly, with device and declaration', async () => {
  const store = await openStore(':memory:');
  try {
    await fc.assert(
      fc.asyncProperty(planned, async ({ presences, trial }) => {
        const run = await store.createRun({ ...makeFacts([trial.job]), presences });
        await store.writeTrial(run, trial);
        const record = await store.readRun(run);
        expect(record!.presences).toEqual(presences);
        expect(record!.jobs).toEqual([trial.job]);
        expect(record!.trials).toEqual([trial]);
      }),
      { numRuns: 300 },
    );
  } finally {
    await store.close();
  }
});

test('many samples come back in their order, to the last bit', async () => {
  const store = await openStore(':memory:');
  try {
    const [values] = fc.sample(
      fc.array(number, { minLength: 2_000, maxLength: 3_000, size: 'max' }),
      {
        numRuns: 1,
        seed: 1,
      },
    );
    const jobs = makeJobs(1);
    const run = await store.createRun(makeFacts(jobs));
    // Durations, so none is below 0.
    const trial = { ...completed(jobs[0]!, values?.map(Math.abs)), wallMs: extremes.largest };
    await store.writeTrial(run, trial);
    expect((await store.readRun(run))!.trials).toEqual([trial]);
  } finally {
    await store.close();
  }
});

test('trials stored at once come back like those stored alone', async () => {
  const [alone, atOnce] = [await openStore(':memory:'), await openStore(':memory:')];
  try {
    const jobs = makeJobs(300);
    const run = await alone.createRun(makeFacts(jobs));
    for (const [index, job] of jobs.entries()) {
      const kinds = [completed(job, [index, 0.1]), failed(job), quarantined(job)];
      await alone.writeTrial(run, kinds[index % kinds.length]!);
    }
    await alone.finishRun(run, 'finished', '2026-11-21T01:00:00.000Z');
    const record = (await alone.readRun(run))!;
    const runs = (async function* () {
      yield await Promise.resolve({ identity: 'another', record });
    })();
    const [stored] = await atOnce.importRuns(runs);
    expect((await atOnce.readRun(stored!.run))!.trials).toEqual(record.trials);
  } finally {
    await alone.close();
    await atOnce.close();
  }
});
