import { test, expect } from '@playwright/test';
import type { ExternalPage } from '../model/case.ts';
import type { Probe } from '../probes/probe.ts';
import { aFoundDevice, anEnvironment, aPlan } from '../../testing/builders.ts';
import { aJobInEachBlock as jobs, aScene, collect } from '../../testing/runner-scene.ts';

/** Writes down what is asked of it. */
function aProbe(name: 'cpu-core' | 'cpu-thread', calls: string[]): Probe {
  return {
    name,
    supports: () => ({ supported: true }),
    attach: () => {
      calls.push(`attach ${name}`);
      return {
        start: () => calls.push(`start ${name}`),
        stop: () => calls.push(`stop ${name}`),
        collect: () => ({ probe: name, notSupported: 'a test' }),
        detach: () => calls.push(`detach ${name}`),
      };
    },
  };
}

test('attaches probes before the window, starts and stops in mirrored order', async () => {
  const calls: string[] = [];
  const probe = (name: 'cpu-core' | 'cpu-thread'): Probe => aProbe(name, calls);
  const scene = aScene(['completes'], { probes: [probe('cpu-core'), probe('cpu-thread')] });
  const [trial] = await collect(aPlan(jobs(1), [aFoundDevice('one')]), scene.equipment);
  expect(trial?.outcome).toMatchObject({
    kind: 'completed',
    readings: [{ probe: 'cpu-core' }, { probe: 'cpu-thread' }],
  });
  expect(calls).toEqual([
    'attach cpu-core',
    'attach cpu-thread',
    'start cpu-core',
    'start cpu-thread',
    'stop cpu-thread',
    'stop cpu-core',
    'detach cpu-thread',
    'detach cpu-core',
  ]);
});

test("a foreign page's window begins before its opening or its work", async () => {
  const orderOf = async (guest: ExternalPage): Promise<readonly string[]> => {
    const { log, equipment } = aScene(['completes']);
    const [job] = jobs(1);
    const benchmark = { ...job!.case.benchmark, guest };
    const theirs = { ...job!, case: { ...job!.case, benchmark } };
    const probes = [aProbe('cpu-core', log)];
    await collect(aPlan([theirs], [aFoundDevice('one')]), { ...equipment, probes });
    return log.filter((line) => /^(open|attach|start)/.test(line));
  };
  const place = { kind: 'folder', folder: '/theirs', page: 'index.html' } as const;
  const theirs = { places: [{ place }], readers: { duration: { by: 'load' } } } as const;
  expect(await orderOf(theirs)).toEqual(['attach cpu-core', 'start cpu-core', 'open']);
  const begun = { ...theirs, begin: 'go()' };
  expect(await orderOf(begun)).toEqual(['open', 'attach cpu-core', 'start cpu-core']);
});

type Step = 'attach' | 'start' | 'stop' | 'arrived' | 'collect';

/** Fails at one step of its work, with the words of a probe that finds itself out of order. */
function aBrokenProbe(at: Step, calls: string[]): Probe {
  const failAt = (step: Step): void => {
    if (step === at) throw new Error('stop() comes after start()');
  };
  return {
    ...aProbe('cpu-core', calls),
    attach: () => {
      failAt('attach');
      return {
        start: () => {
          failAt('start');
        },
        stop: () => {
          calls.push('stop');
          failAt('stop');
        },
        arrived: () =>
          Promise.resolve().then(() => {
            failAt('arrived');
          }),
        collect: () => {
          failAt('collect');
          return { probe: 'cpu-core', notSupported: 'a test' };
        },
        detach: () => calls.push('detach'),
      };
    },
  };
}

for (const at of ['attach', 'start', 'stop', 'arrived', 'collect'] as const) {
  test(`a probe that fails at ${at} loses its reading, and never the trial`, async () => {
    const calls: string[] = [];
    const told: string[] = [];
    const { equipment } = aScene(['completes'], {
      probes: [aBrokenProbe(at, calls), aProbe('cpu-thread', [])],
      listener: { onLeftover: ({ what }) => told.push(what) },
    });
    const [trial] = await collect(aPlan(jobs(1), [aFoundDevice('one')]), equipment);
    expect(trial?.failedAttempts).toEqual([]);
    expect(trial?.outcome).toMatchObject({
      kind: 'completed',
      readings: expect.arrayContaining([
        {
          probe: 'cpu-core',
          notSupported: expect.stringMatching(/^it failed \(.*after start\(\)$/),
        },
        { probe: 'cpu-thread', notSupported: 'a test' },
      ]),
    });
    expect(told).toEqual([
      expect.stringMatching(/^the probe cpu-core gave no reading .* after start/),
    ]);
    // An unstarted probe is not stopped, and an attached one is detached.
    expect(calls.includes('stop')).toBe(at !== 'attach' && at !== 'start');
    expect(calls.includes('detach')).toBe(at !== 'attach');
  });
}

test('reports an undetachable probe as a leftover and counts the trial', async () => {
  const told: string[] = [];
  const detached: string[] = [];
  const aProbe = (name: Probe['name'], detach: () => void): Probe => ({
    name,
    supports: () => ({ supported: true }),
    attach: () => ({
      start: () => undefined,
      stop: () => undefined,
      collect: () => anEnvironment(),
      detach,
    }),
  });
  const stuck = (): never => {
    throw new Error('EBUSY: rmdir');
  };
  const probes = [
    aProbe('environment', () => detached.push('environment')),
    aProbe('sched', stuck),
  ];
  const { equipment } = aScene(['completes'], {
    probes,
    listener: { onLeftover: ({ what }) => told.push(what) },
  });
  const [trial] = await collect(aPlan(jobs(1), [aFoundDevice('one')]), equipment);
  expect(trial?.outcome.kind).toBe('completed');
  expect(told).toEqual([expect.stringMatching(/probe.*detached.*EBUSY: rmdir$/)]);
  expect(detached).toEqual(['environment']);
});
