import { test, expect } from '@playwright/test';
import { DriverError } from '../../../drivers/driver.ts';
import type { Presence } from '../model/device.ts';
import type { Job } from '../model/plan.ts';
import type { Trial } from '../model/trial.ts';
import { aFoundDevice, aJob, aPlan } from '../../testing/builders.ts';
import { aScene, collect } from '../../testing/runner-scene.ts';
import { defaultLimits } from './limits.ts';
import { runPlan, type Equipment } from './runner.ts';
import type { RunnerSession } from './session-keeper.ts';

const hub = 'http://hub.example:4444';

/** A device on a node of one grid: each node is a machine. */
function onNode(id: string, node: string): Presence {
  const found = aFoundDevice(id, { server: hub, remote: { node } });
  return { ...found, target: { ...found.target, executable: '', server: hub } };
}

const presences = [onNode('a1', 'a'), onNode('a2', 'a'), onNode('b1', 'b')];

/** In each block one job on each of these devices. */
function makeBlocks(count: number, ...devices: readonly string[]): Job[] {
  return Array.from({ length: count }, (_, block) =>
    devices.map((deviceId, index) =>
      aJob({ ordinal: block * devices.length + index, block, deviceId }),
    ),
  ).flat();
}

/** Deadlines that a busy machine keeps, too. */
const patient = { ...defaultLimits, loadMs: 60_000, trialMs: 60_000, restMs: 0 };

interface Stage {
  readonly equipment: Equipment;
  readonly log: string[];
  readonly controller: AbortController;
}

type Opening = (device: string) => Promise<void>;

/** Equipment whose sessions log their device, and open their pages by `open`. */
function aStage(open: Opening = () => Promise.resolve()): Stage {
  const log: string[] = [];
  const { equipment, controller } = aScene(['completes'], {
    limits: patient,
    startSession: ({ device: { id } }) => {
      log.push(`launch ${id}`);
      return Promise.resolve(aSessionOn(id, open, log));
    },
  });
  return { equipment, log, controller };
}

function aSessionOn(id: string, open: Opening, log: string[]): RunnerSession {
  return {
    id,
    browserVersion: '9.9',
    ended: new Promise(() => undefined),
    // Every driver's session lets go when it is aborted.
    open: (_url, { signal }) => unlessAborted(open(id), signal),
    processTree: () => [],
    close: () => {
      log.push(`close ${id}`);
      return Promise.resolve();
    },
  };
}

async function unlessAborted(opening: Promise<void>, signal: AbortSignal): Promise<void> {
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => {
      reject(signal.reason as Error);
    };
  });
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([opening, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Opens pages only when these devices are all about to open one. */
function together(...devices: readonly string[]): Opening {
  let release: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    release = resolve;
  });
  const here = new Set<string>();
  return async (device) => {
    here.add(device);
    if (devices.every((one) => here.has(one))) release();
    if (devices.includes(device)) await all;
  };
}

test('two machines work at the same time', async () => {
  const { equipment } = aStage(together('a1', 'b1'));
  // One after the other, neither page would ever open.
  const trials = await collect(aPlan(makeBlocks(1, 'a1', 'b1'), presences), equipment);
  expect(trials.map(({ outcome }) => outcome.kind)).toEqual(['completed', 'completed']);
});

test("one machine has one session open and follows the plan's order", async () => {
  const { equipment, log } = aStage();
  await collect(aPlan(makeBlocks(3, 'a2', 'b1', 'a1'), presences), equipment);
  const ofA = log.filter((line) => / a\d$/.test(line));
  const block = ['launch a2', 'close a2', 'launch a1', 'close a1'];
  expect(ofA).toEqual([...block, ...block, ...block]);
});

test('a machine waits for the others at the end of a block', async () => {
  const { equipment } = aStage();
  const events: string[] = [];
  const listener = {
    onTrialStarted: ({ job }: { job: Job }) => events.push(`started ${String(job.block)}`),
    onTrialEnded: ({ trial }: { trial: Trial }) => events.push(`ended ${String(trial.job.block)}`),
  };
  await collect(aPlan(makeBlocks(2, 'a1', 'b1'), presences), { ...equipment, listener });
  expect(events.slice(0, 4).toSorted()).toEqual(['ended 0', 'ended 0', 'started 0', 'started 0']);
  expect(events).toHaveLength(8);
});

test("a machine goes through the first round's blocks without waiting", async () => {
  const { equipment } = aStage();
  const events: string[] = [];
  const listener = {
    onTrialStarted: ({ job }: { job: Job }) => events.push(`${job.deviceId} ${String(job.block)}`),
  };
  const order = [1, 0, 1, 0, 2, 2].map((block, ordinal) =>
    aJob({ ordinal, block, deviceId: ['a1', 'a1', 'b1', 'b1', 'a1', 'b1'][ordinal]! }),
  );
  const plan = { ...aPlan(order, presences), firstRound: 2 };
  await collect(plan, { ...equipment, listener });
  expect(events.slice(0, 4).toSorted()).toEqual(['a1 0', 'a1 1', 'b1 0', 'b1 1']);
  expect(events.slice(4).toSorted()).toEqual(['a1 2', 'b1 2']);
});

test('a machine begins nothing new before its last trial was taken', async () => {
  const { equipment, log } = aStage();
  const seen: number[] = [];
  const plan = aPlan(makeBlocks(1, 'a1', 'a2'), presences);
  for await (const { job } of runPlan(plan, equipment)) {
    // Waiting work may begin now.
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(job.ordinal);
    expect(log.filter((line) => line.startsWith('launch'))).toHaveLength(seen.length);
  }
  expect(seen).toEqual([0, 1]);
});

test('the trials of a machine that dies are recorded, and the others go on', async () => {
  const { equipment, log } = aStage();
  const startSession: Equipment['startSession'] = (target) =>
    target.device.id === 'b1'
      ? Promise.reject(new DriverError('launch-failed', 'node b does not answer'))
      : equipment.startSession(target);
  const plan = aPlan(makeBlocks(5, 'a1', 'b1'), presences);
  const trials = await collect(plan, { ...equipment, startSession });
  const kinds = (device: string): readonly string[] =>
    trials.filter(({ job }) => job.deviceId === device).map(({ outcome }) => outcome.kind);
  expect(kinds('a1')).toEqual(Array(5).fill('completed'));
  expect(kinds('b1')).toEqual(['failed', 'failed', 'failed', 'skipped', 'skipped']);
  expect(log.filter((line) => line === 'close a1')).toHaveLength(5);
});

test('closes the sessions on all machines when its consumer stops', async () => {
  const { equipment, log } = aStage((device) =>
    device === 'b1' ? new Promise(() => undefined) : Promise.resolve(),
  );
  const plan = aPlan(makeBlocks(2, 'a1', 'b1'), presences);
  for await (const { job } of runPlan(plan, equipment)) {
    expect(job.deviceId).toBe('a1');
    break;
  }
  expect(log.toSorted()).toEqual(['close a1', 'close b1', 'launch a1', 'launch b1']);
});

test('an abort ends what is in flight on every machine, without an outcome', async () => {
  const { equipment, log, controller } = aStage(() => new Promise(() => undefined));
  const startSession: Equipment['startSession'] = async (target) => {
    const session = await equipment.startSession(target);
    if (log.length === 2) setImmediate(() => controller.abort(new Error('Ctrl-C')));
    return session;
  };
  const plan = aPlan(makeBlocks(2, 'a1', 'b1'), presences);
  expect(await collect(plan, { ...equipment, startSession })).toEqual([]);
  expect(log.toSorted()).toEqual(['close a1', 'close b1', 'launch a1', 'launch b1']);
});

test('a trial, also a failed one, names its node and clock', async () => {
  const node = { id: '7f', uri: 'http://10.0.0.7:5555', name: 'a' };
  const clock = { offsetMs: 12.5, errorMs: 0.4, roundTrips: 9 };
  const { equipment } = aStage((device) =>
    device === 'a2'
      ? Promise.reject(new DriverError('navigation-failed', 'the node was killed'))
      : Promise.resolve(),
  );
  const startSession: Equipment['startSession'] = async (target) => ({
    ...(await equipment.startSession(target)),
    node,
    clock,
  });
  const plan = aPlan(makeBlocks(1, 'a1', 'a2'), presences);
  const trials = await collect(plan, { ...equipment, startSession });
  expect(trials.map(({ outcome }) => outcome.kind)).toEqual(['completed', 'failed']);
  expect(trials.map((trial) => ({ node: trial.node, clock: trial.clock }))).toEqual([
    { node, clock },
    { node, clock },
  ]);
});
