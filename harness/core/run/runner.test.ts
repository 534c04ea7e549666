import { test, expect } from '@playwright/test';
import { DriverError } from '../../../drivers/driver.ts';
import type { Trial } from '../model/trial.ts';
import type { Probe } from '../probes/probe.ts';
import {
  aBenchmark,
  aFoundDevice,
  aMissingDevice,
  anEnvironment,
  aPlan,
} from '../../testing/builders.ts';
import { aJobInEachBlock as jobs, aScene, collect, NoClock } from '../../testing/runner-scene.ts';
import { TrialClock } from './deadline.ts';
import { defaultLimits } from './limits.ts';
import type { RunListener } from './listener.ts';
import { runPlan, type Equipment } from './runner.ts';

test('a trial launches, issues and opens, then ends in reverse', async () => {
  const { log, equipment } = aScene(['completes']);
  const [trial] = await collect(aPlan(jobs(1), [aFoundDevice('one')]), equipment);
  expect(trial?.outcome.kind).toBe('completed');
  expect(trial?.browser).toEqual({ name: 'chromium', version: '9.9' });
  expect(log).toEqual([
    'launch',
    'issue fib/index.html {"function":"asyncFib","n":12}',
    'open',
    'revoke',
    'close',
  ]);
});

test('isolation session launches for every trial, isolation page once for each session key', async () => {
  const fresh = aScene(['completes']);
  await collect(aPlan(jobs(3), [aFoundDevice('one')]), fresh.equipment);
  expect(fresh.log.filter((line) => line === 'launch')).toHaveLength(3);

  const shared = aScene(['completes']);
  const sharing = jobs(3).map((job) => ({ ...job, sessionKey: 'same' }));
  await collect(aPlan(sharing, [aFoundDevice('one')]), shared.equipment);
  expect(shared.log.filter((line) => line === 'launch')).toHaveLength(1);
});

test('a clock that is set back during a trial gives no negative duration', async () => {
  const { equipment } = aScene(['completes']);
  const now = Date.now;
  const listener: RunListener = {
    onTrialStarted: () => {
      Date.now = () => now() - 86_400_000;
    },
  };
  const plan = aPlan(jobs(1), [aFoundDevice('one')]);
  const [trial] = await collect(plan, { ...equipment, listener }).finally(() => {
    Date.now = now;
  });
  expect(trial?.wallMs).toBeGreaterThanOrEqual(0);
});

test('a missing device is skipped with its reason and remedy, and launches nothing', async () => {
  const { log, equipment } = aScene(['completes']);
  const [trial] = await collect(aPlan(jobs(1, 'gone'), [aMissingDevice('gone')]), equipment);
  expect(trial?.outcome).toEqual({
    kind: 'skipped',
    reason: 'gone is not installed',
    remedy: 'apt-get install gone',
  });
  expect(log).toEqual([]);
});

test('does not believe a page that claims more time than passed', async () => {
  const { equipment } = aScene(['posts an hour']);
  const [trial] = await collect(aPlan(jobs(1), [aFoundDevice('one')]), equipment);
  expect(trial?.outcome).toMatchObject({
    kind: 'failed',
    failure: {
      code: 'bad-message',
      message: expect.stringMatching(/add up to 3600\.00 s.*own clock/),
    },
  });
});

/** A clock that goes on by an hour whenever it is looked at. */
function anHourEach(): () => number {
  let hours = 0;
  return () => 3_600_000 * (hours += 1);
}

test('work that stalls for seconds counts: no value excludes a trial', async () => {
  const { equipment } = aScene(['stalls'], { ownClock: () => new NoClock(), now: anHourEach() });
  const trials = await collect(aPlan(jobs(1), [aFoundDevice('one')]), equipment);
  expect(ledger(trials)).toEqual([{ cell: 0, block: 0, kind: 'completed' }]);
});

test("limits the times of a foreign page to its trial's length", async () => {
  const place = { kind: 'folder', folder: '/pages', page: 'index.html' } as const;
  const benchmark = { ...aBenchmark, guest: { places: [{ place }], readers: {} } };
  const [job] = jobs(1);
  const guest = { ...job!, case: { ...job!.case, benchmark } };
  const plan = aPlan([guest], [aFoundDevice('one')]);
  const [doubted] = await collect(plan, aScene(['posts an hour']).equipment);
  expect(doubted?.outcome).toMatchObject({
    kind: 'failed',
    failure: { code: 'bad-message', message: expect.stringContaining('than the whole trial') },
  });
  const [believed] = await collect(
    plan,
    aScene(['posts an hour'], { now: anHourEach() }).equipment,
  );
  expect(believed?.outcome.kind).toBe('completed');
});

test('a page that throws fails its trial at once: it would throw again', async () => {
  const { log, equipment } = aScene(['throws']);
  const [trial] = await collect(aPlan(jobs(1), [aFoundDevice('one')]), equipment);
  expect(trial?.outcome).toEqual({
    kind: 'failed',
    failure: { code: 'page-error', message: 'timed: boom' },
  });
  expect(log.filter((line) => line === 'launch')).toHaveLength(1);
});

test('rejects a result in an undeclared unit and never stores it', async () => {
  const { equipment } = aScene(['posts another unit']);
  const [trial] = await collect(aPlan(jobs(1), [aFoundDevice('one')]), equipment);
  expect(trial?.outcome).toEqual({
    kind: 'failed',
    failure: {
      code: 'bad-message',
      message: expect.stringMatching(/duration in s\b.*benchmark\.json .*duration in ms$/),
    },
  });
});

for (const [script, code, kind] of [
  ['never loads', 'timed-out', 'timed-out'],
  ['dies', 'browser-died', 'failed'],
  ['refuses to open', 'navigation-failed', 'failed'],
] as const) {
  test(`retries a page that ${script} in a new session and keeps both`, async () => {
    const { log, equipment } = aScene([script], {
      limits: { ...defaultLimits, loadMs: 40, restMs: 0 },
    });
    const [trial] = await collect(aPlan(jobs(1), [aFoundDevice('one')]), equipment);
    expect(trial?.outcome).toMatchObject({ kind, failure: { code } });
    expect(trial?.failedAttempts.map((attempt) => attempt.number)).toEqual([1, 2]);
    expect(log.filter((line) => line === 'launch')).toHaveLength(2);
    expect(log.filter((line) => line === 'close')).toHaveLength(2);
  });
}

for (const script of ['says nothing', 'never loads', 'hangs while it is opened'] as const) {
  test(`a page that ${script} costs no more than the deadline, with all tries @attack`, async () => {
    // Of a load alone no test would see the end.
    const { log, equipment } = aScene([script], {
      limits: { ...defaultLimits, loadMs: 3_600_000, trialMs: 40, restMs: 0 },
    });
    const [trial] = await collect(aPlan(jobs(1), [aFoundDevice('one')]), equipment);
    expect(trial?.outcome).toMatchObject({ kind: 'timed-out', failure: { code: 'timed-out' } });
    expect(log.filter((line) => line === 'launch')).toHaveLength(1);
    // A hanging browser does not answer when it is asked to close.
    expect(log.slice(-2)).toEqual(['give up', 'close']);
  });
}

test('a deadline that passes after another failure names that failure', async () => {
  const { equipment } = aScene(['refuses to open', 'says nothing'], {
    limits: { ...defaultLimits, trialMs: 400, restMs: 0 },
  });
  const [trial] = await collect(aPlan(jobs(1), [aFoundDevice('one')]), equipment);
  expect(trial?.outcome).toMatchObject({
    kind: 'timed-out',
    failure: {
      message: expect.stringMatching(/took longer than .*the try before it failed: no route/),
    },
  });
});

test('a try that fails leaves the next one what is left of the deadline', async () => {
  let ms = 0;
  const clock = new TrialClock(10_000, () => ms);
  const takes = (span: number) => () => Promise.resolve((ms += span));
  await clock.count(takes(6_000));
  await takes(60_000)();
  expect(clock.allowsAnother()).toBe(true);
  const load = { what: 'Loading the page', ms: 3_000 };
  expect(clock.bounds(load.what, load.ms)).toEqual(load);
  await clock.count(takes(3_500));
  const rest = { what: 'The trial', ms: 500, allowedMs: 10_000 };
  expect(clock.bounds(load.what, load.ms)).toEqual(rest);
  expect(clock.allowsAnother()).toBe(false);
});

test('a second try that works completes the trial and keeps the first failure', async () => {
  const { equipment } = aScene(['refuses to open', 'completes']);
  const [trial] = await collect(aPlan(jobs(1), [aFoundDevice('one')]), equipment);
  expect(trial?.outcome.kind).toBe('completed');
  expect(trial?.failedAttempts).toEqual([
    { number: 1, failure: { code: 'navigation-failed', message: 'no route' } },
  ]);
});

test('reports a session that leaves something behind, and continues the run', async () => {
  const told: string[] = [];
  const scene = aScene(['completes']);
  const { startSession } = scene.equipment;
  const equipment: Equipment = {
    ...scene.equipment,
    listener: { onLeftover: ({ what }) => told.push(what) },
    startSession: async (target) => ({
      ...(await startSession(target)),
      close: () => Promise.reject(new Error('one left processes that do not end: 7')),
    }),
  };
  const trials = await collect(aPlan(jobs(2), [aFoundDevice('one')]), equipment);
  expect(trials.map((trial) => trial.outcome.kind)).toEqual(['completed', 'completed']);
  expect(told).toEqual(Array(2).fill('one left processes that do not end: 7'));
});

test('a launch that fails is a failed trial, not a dead run', async () => {
  const { equipment } = aScene(['completes'], {
    startSession: () => Promise.reject(new DriverError('launch-failed', 'no such file')),
  });
  const trials = await collect(aPlan(jobs(2), [aFoundDevice('one')]), equipment);
  expect(trials.map((trial) => trial.outcome)).toEqual(
    Array(2).fill({ kind: 'failed', failure: { code: 'launch-failed', message: 'no such file' } }),
  );
});

/** Rests that no test could sit through. */
const restless = { restMs: 3_600_000, longestRestMs: 3_600_000 };

test('a dying target rests before its restart; an abort ends the rest', async () => {
  const { log, equipment, controller } = aScene(['refuses to open'], {
    limits: { ...defaultLimits, ...restless },
  });
  const listener: RunListener = {
    onAttemptFailed: () => {
      setTimeout(() => {
        controller.abort(new Error('Ctrl-C'));
      }, 20);
    },
  };
  const plan = aPlan(jobs(1), [aFoundDevice('one')]);
  expect(await collect(plan, { ...equipment, listener })).toEqual([]);
  expect(log.filter((line) => line === 'launch')).toHaveLength(1);
});

test('a page’s own error costs its target no rest', async () => {
  const { equipment } = aScene(['throws'], { limits: { ...defaultLimits, ...restless } });
  expect(await collect(aPlan(jobs(3), [aFoundDevice('one')]), equipment)).toHaveLength(3);
});

test('a page’s own errors never quarantine the browser', async () => {
  const { equipment } = aScene(['throws']);
  const trials = await collect(aPlan(jobs(5), [aFoundDevice('one')]), equipment);
  expect(trials.every((trial) => trial.outcome.kind === 'failed')).toBe(true);
});

test('an abort leaves the running trial without outcome and closes its session', async () => {
  const { log, equipment, controller } = aScene(['completes', 'says nothing'], {
    limits: defaultLimits,
  });
  const trials: Trial[] = [];
  const listener: RunListener = {
    onTrialStarted: ({ job }) => {
      if (job.ordinal === 1)
        setTimeout(() => {
          controller.abort(new Error('Ctrl-C'));
        }, 5);
    },
  };
  for await (const trial of runPlan(aPlan(jobs(3), [aFoundDevice('one')]), {
    ...equipment,
    listener,
  })) {
    trials.push(trial);
  }
  expect(trials).toHaveLength(1);
  expect(log.at(-1)).toBe('close');
});

test('a consumer that fails (a full disk) still leaves no session open', async () => {
  const { log, equipment } = aScene(['completes']);
  const plan = aPlan(
    jobs(3).map((job) => ({ ...job, sessionKey: 'same' })),
    [aFoundDevice('one')],
  );
  await expect(
    (async () => {
      for await (const trial of runPlan(plan, equipment))
        throw new Error(`disk full at ${trial.startedAt}`);
    })(),
  ).rejects.toThrow('disk full');
  expect(log.filter((line) => line === 'close')).toHaveLength(1);
});

/** An environment probe that reads the next of these foreign shares; the last one goes on. */
function anEnvironmentProbe(foreignShares: readonly number[]): Probe {
  let trial = -1;
  return {
    name: 'environment',
    supports: () => ({ supported: true }),
    attach: () => {
      trial += 1;
      const foreignShare = foreignShares[Math.min(trial, foreignShares.length - 1)] ?? 0;
      return {
        start: () => undefined,
        stop: () => undefined,
        collect: () => anEnvironment({ foreignShare }),
        detach: () => undefined,
      };
    },
  };
}

const busy = 'other programs used 90 % of the CPU (limit 15 %)';

const ledger = (trials: readonly Trial[]): unknown[] =>
  trials.map(({ job, outcome }) => ({
    cell: job.ordinal,
    block: job.block,
    ...(job.repeats === undefined ? {} : { repeats: job.repeats }),
    kind: outcome.kind,
    ...(outcome.kind === 'completed' && outcome.quarantine.length > 0
      ? { quarantine: outcome.quarantine }
      : {}),
  }));

test('excludes a trial on a busy machine and repeats it at once', async () => {
  const probes = [anEnvironmentProbe([0.9, 0, 0])];
  const { log, equipment } = aScene(['completes'], { probes });
  const trials = await collect(aPlan(jobs(2), [aFoundDevice('one')]), equipment);
  expect(ledger(trials)).toEqual([
    { cell: 0, block: 0, kind: 'completed', quarantine: [busy] },
    { cell: 2, block: 0, repeats: 0, kind: 'completed' },
    { cell: 1, block: 1, kind: 'completed' },
  ]);
  expect(trials[0]?.outcome).toMatchObject({ result: { samples: [{ metric: 'duration' }] } });
  expect(trials[1]?.job).toMatchObject({ deviceId: 'one', case: trials[0]?.job.case });
  expect(log.filter((line) => line === 'launch')).toHaveLength(3);
});

test('a repeat that is quarantined again is not repeated again', async () => {
  const { equipment } = aScene(['completes'], { probes: [anEnvironmentProbe([0.9])] });
  const trials = await collect(aPlan(jobs(2), [aFoundDevice('one')]), equipment);
  expect(ledger(trials)).toEqual([
    { cell: 0, block: 0, kind: 'completed', quarantine: [busy] },
    { cell: 2, block: 0, repeats: 0, kind: 'completed', quarantine: [busy] },
    { cell: 1, block: 1, kind: 'completed', quarantine: [busy] },
    { cell: 3, block: 1, repeats: 1, kind: 'completed', quarantine: [busy] },
  ]);
});

test('a machine that stays busy gets no more repeats, until a trial counts again', async () => {
  // Two repeats are in vain; the fifth trial counts, and the one after it is worth a repeat.
  const shares = [0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0, 0.9, 0];
  const { equipment } = aScene(['completes'], { probes: [anEnvironmentProbe(shares)] });
  const trials = await collect(aPlan(jobs(6), [aFoundDevice('one')]), equipment);
  expect(trials.map(({ job }) => job.repeats ?? `trial ${String(job.ordinal)}`)).toEqual([
    ...['trial 0', 0, 'trial 1', 1, 'trial 2', 'trial 3', 'trial 4', 'trial 5', 5],
  ]);
});

test('a plan may do without repeats; its trials are quarantined all the same', async () => {
  const { equipment } = aScene(['completes'], { probes: [anEnvironmentProbe([0.9])] });
  const plan = { ...aPlan(jobs(2), [aFoundDevice('one')]), repeatQuarantined: false };
  expect(ledger(await collect(plan, equipment))).toEqual([
    { cell: 0, block: 0, kind: 'completed', quarantine: [busy] },
    { cell: 1, block: 1, kind: 'completed', quarantine: [busy] },
  ]);
});

test('does not quarantine a failed trial; a failing repeat is a cell', async () => {
  const probes = [anEnvironmentProbe([0.9])];
  const { equipment } = aScene(['completes', 'throws'], { probes });
  const trials = await collect(aPlan(jobs(2), [aFoundDevice('one')]), equipment);
  expect(ledger(trials)).toEqual([
    { cell: 0, block: 0, kind: 'completed', quarantine: [busy] },
    { cell: 2, block: 0, repeats: 0, kind: 'failed' },
    { cell: 1, block: 1, kind: 'failed' },
  ]);
});

test("a repeat never shares its trial's session; others share as before", async () => {
  const probes = [anEnvironmentProbe([0.9, 0])];
  const { log, equipment } = aScene(['completes'], { probes });
  const sharing = jobs(3).map((job) => ({ ...job, block: 0, sessionKey: 'same' }));
  await collect(aPlan(sharing, [aFoundDevice('one')]), equipment);
  expect(log.filter((line) => line === 'launch' || line === 'open')).toEqual([
    ...['launch', 'open', 'launch', 'open', 'launch', 'open', 'open'],
  ]);
});

test('a listener gets the quarantine after the trial, with the repeat that it causes', async () => {
  const heard: string[] = [];
  const listener: RunListener = {
    onTrialStarted: ({ job }) => heard.push(`started ${String(job.ordinal)}`),
    onTrialEnded: ({ trial }) => heard.push(`ended ${String(trial.job.ordinal)}`),
    onTrialQuarantined: ({ reasons, repeat }) =>
      heard.push(`${reasons.join()} → ${String(repeat?.ordinal)}`),
  };
  const probes = [anEnvironmentProbe([0.9])];
  const { equipment } = aScene(['completes'], { probes, listener });
  await collect(aPlan(jobs(1), [aFoundDevice('one')]), equipment);
  expect(heard).toEqual([
    ...['started 0', 'ended 0', `${busy} → 1`],
    ...['started 1', 'ended 1', `${busy} → undefined`],
  ]);
});

test('an abort during a repeat leaves the quarantined trial as the last outcome', async () => {
  const { equipment, controller } = aScene(['completes'], {
    probes: [anEnvironmentProbe([0.9])],
  });
  const listener: RunListener = {
    onTrialStarted: ({ job }) => {
      if (job.repeats !== undefined) controller.abort(new Error('Ctrl-C'));
    },
  };
  const trials = await collect(aPlan(jobs(3), [aFoundDevice('one')]), { ...equipment, listener });
  expect(ledger(trials)).toEqual([{ cell: 0, block: 0, kind: 'completed', quarantine: [busy] }]);
});
