import { fileURLToPath } from 'node:url';
import { test, expect } from '@playwright/test';
import { loadCatalog } from '../../../plan/catalog/catalog.ts';
import { expandCases } from '../../../plan/catalog/expansion.ts';
import { hostsOf } from '../../../model/case.ts';
import { armsOf } from '../../../model/question.ts';
import { aFoundDevice, aMeasurement } from '../../../testing/builders.ts';
import { planClaim } from '../plan-claim.ts';
import { hashClaims } from './hashes.ts';

const hosts = ['node', 'deno', 'bun', 'chromium', 'firefox', 'webkitgtk'];

async function planOf(claim: (typeof hashClaims)[number], { cores = 2, devices = hosts } = {}) {
  const { benchmarks } = await loadCatalog(
    fileURLToPath(new URL('../../../../pages', import.meta.url)),
  );
  return planClaim(claim, {
    presences: devices.map((browser) => aFoundDevice(browser, { browser })),
    cores,
    cannotPin: null,
    cannotSeeThreads: null,
    platform: 'linux',
    makeCase: (id, parameters) =>
      expandCases(
        benchmarks.find((one) => one.id === id)!,
        parameters,
      )[0]!,
    measurement: aMeasurement,
  });
}

for (const claim of hashClaims) {
  test(`${claim.id} asks for cases that there are, where they can run`, async () => {
    const planned = await planOf(claim);
    if (planned.kind !== 'question') throw new Error(planned.because);
    for (const { deviceId, case: one } of armsOf(planned.question)) {
      const isRuntime = ['node', 'deno', 'bun'].includes(deviceId.split('@')[0]!);
      expect(hostsOf(one), deviceId).toContain(isRuntime ? 'runtime' : 'browser');
    }
  });

  test(`${claim.id} is decided by Node.js alone, and cannot be without it`, async () => {
    const planned = await planOf(claim);
    if (planned.kind !== 'question') throw new Error(planned.because);
    const deciding = planned.question.assertions.filter(({ role }) => role === 'verdict');
    const devices = deciding.flatMap((one) => (one.kind === 'ratio' ? [one.a, one.b] : []));
    expect(new Set(devices.map(({ deviceId }) => deviceId))).toEqual(new Set(['node']));
    expect(await planOf(claim, { devices: ['deno', 'chromium'] })).toMatchObject({
      kind: 'not-testable',
      because: expect.stringContaining('Node.js is missing'),
    });
  });
}

test('as many threads as cores are asked of the machine that measures', async () => {
  const planned = await planOf(hashClaims[0]!, { cores: 6 });
  if (planned.kind !== 'question') throw new Error(planned.because);
  const one = planned.question.assertions.find(({ sentence }) => sentence.startsWith('as many'));
  expect(one?.kind === 'ratio' && one.b.case.parameters).toMatchObject({ threads: 6 });
});

test('with one core nothing can be asked of several threads', async () => {
  expect(await planOf(hashClaims[0]!, { cores: 1 })).toMatchObject({ kind: 'not-testable' });
  expect(await planOf(hashClaims[1]!, { cores: 1 })).toMatchObject({ kind: 'question' });
});
