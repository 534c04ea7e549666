import { fileURLToPath } from 'node:url';
import { test, expect } from '@playwright/test';
import { loadCatalog } from '../../../plan/catalog/catalog.ts';
import { expandCases } from '../../../plan/catalog/expansion.ts';
import { hostsOf } from '../../../model/case.ts';
import { lanesOf } from '../../../model/question.ts';
import { aFoundDevice, aMeasurement } from '../../../testing/builders.ts';
import { poseClaim } from '../pose.ts';
import { hashClaims } from './hashes.ts';

const hosts = ['node', 'deno', 'bun', 'chromium', 'firefox', 'webkitgtk'];

async function pose(claim: (typeof hashClaims)[number], { cores = 2, devices = hosts } = {}) {
  const { benchmarks } = await loadCatalog(
    fileURLToPath(new URL('../../../../pages', import.meta.url)),
  );
  return poseClaim(claim, {
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
    const posed = await pose(claim);
    if (posed.kind !== 'question') throw new Error(posed.because);
    for (const { deviceId, case: one } of lanesOf(posed.question)) {
      const isRuntime = ['node', 'deno', 'bun'].includes(deviceId.split('@')[0]!);
      expect(hostsOf(one), deviceId).toContain(isRuntime ? 'runtime' : 'browser');
    }
  });

  test(`${claim.id} is decided by Node.js alone, and cannot be without it`, async () => {
    const posed = await pose(claim);
    if (posed.kind !== 'question') throw new Error(posed.because);
    const deciding = posed.question.assertions.filter(({ role }) => role === 'verdict');
    const devices = deciding.flatMap((one) => (one.kind === 'ratio' ? [one.a, one.b] : []));
    expect(new Set(devices.map(({ deviceId }) => deviceId))).toEqual(new Set(['node']));
    expect(await pose(claim, { devices: ['deno', 'chromium'] })).toMatchObject({
      kind: 'not-testable',
      because: expect.stringContaining('Node.js is missing'),
    });
  });
}

test('as many threads as cores are asked of the machine that measures', async () => {
  const posed = await pose(hashClaims[0]!, { cores: 6 });
  if (posed.kind !== 'question') throw new Error(posed.because);
  const one = posed.question.assertions.find(({ sentence }) => sentence.startsWith('as many'));
  expect(one?.kind === 'ratio' && one.b.case.parameters).toMatchObject({ threads: 6 });
});

test('with one core nothing can be asked of several threads', async () => {
  expect(await pose(hashClaims[0]!, { cores: 1 })).toMatchObject({ kind: 'not-testable' });
  expect(await pose(hashClaims[1]!, { cores: 1 })).toMatchObject({ kind: 'question' });
});
