import { expect, test } from '@playwright/test';
import { defaultLimits } from '../../run/limits.ts';
import { aFoundDevice, aJob, aPlan } from '../../../testing/builders.ts';
import { aScene, collect, type PageScript } from '../../../testing/runner-scene.ts';
import { boundByDisk } from './equipment.ts';

const gibibyte = 2 ** 30;

/** A run of two trials on one device, on a disk with the given free bytes at each look. */
async function run(scripts: readonly PageScript[], free: readonly (number | null)[]) {
  let looks = 0;
  const freeBytes = (): Promise<number | null> =>
    Promise.resolve(free[Math.min(looks++, free.length - 1)] ?? null);
  const limits = { ...defaultLimits, restMs: 0, attempts: 1 };
  const scene = aScene(scripts);
  const { startSession } = scene.equipment;
  const jobs = [0, 1].map((ordinal) => aJob({ ordinal }));
  const trials = await collect(aPlan(jobs, [aFoundDevice('one')]), {
    ...scene.equipment,
    limits,
    startSession: async (target) =>
      boundByDisk(await startSession(target), { freeBytes, everyMs: 0 }),
  });
  return { trials, log: scene.log };
}

test('a profile that fills the disk ends its trial, not the run', async () => {
  const { trials, log } = await run(
    ['says nothing', 'completes'],
    [gibibyte, gibibyte, gibibyte / 10, gibibyte],
  );
  const [first, second] = trials.map(({ outcome }) => outcome);
  expect(first).toMatchObject({ kind: 'failed' });
  expect(JSON.stringify(first)).toContain('its profile filled the disk');
  expect(second).toMatchObject({ kind: 'completed' });
  expect(log.filter((one) => one === 'close')).toHaveLength(2);
});

for (const [what, free] of [
  ['was full before', [gibibyte / 10]],
  ['does not say', [null]],
] as const) {
  test(`a disk that ${what} ends nothing`, async () => {
    const { trials } = await run(['completes'], free);
    expect(trials.map(({ outcome }) => outcome.kind)).toEqual(['completed', 'completed']);
  });
}
