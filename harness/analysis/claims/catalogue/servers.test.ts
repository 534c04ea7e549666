import { test, expect } from '@playwright/test';
import { loadCatalog } from '../../../plan/catalog/catalog.ts';
import { makeCaseMaker } from '../../../app/reproduce/claims.ts';
import { caseName } from '../../../model/case.ts';
import type { Presence } from '../../../model/device.ts';
import { armsOf, type Question } from '../../../model/question.ts';
import { pagesFolder } from '../../../project.ts';
import { aFoundDevice, aMeasurement } from '../../../testing/builders.ts';
import { planClaim } from '../plan-claim.ts';
import { readerOf } from '../quantity.ts';
import { serverClaims } from './servers.ts';

const runtimes = ['node', 'deno', 'bun'].map((id) => aFoundDevice(id, { browser: id, name: id }));

async function planOf(id: string, presences: readonly Presence[]): Promise<Question> {
  const claim = serverClaims.find((one) => one.id === id);
  if (claim === undefined) throw new Error(`no claim ${id}`);
  const planned = planClaim(claim, {
    presences,
    cores: 2,
    cannotPin: null,
    cannotSeeThreads: null,
    platform: 'linux',
    makeCase: makeCaseMaker(await loadCatalog(pagesFolder()), {}),
    measurement: aMeasurement,
  });
  if (planned.kind !== 'question') throw new Error(planned.because);
  return planned.question;
}

for (const { id } of serverClaims) {
  test(`${id} asks for cases and quantities that there are, and Node.js decides it`, async () => {
    const question = await planOf(id, runtimes);
    for (const assertion of question.assertions) {
      const arm = assertion.kind === 'level' ? assertion.of : assertion.a;
      expect(readerOf(assertion.quantity, arm).title).not.toBe('');
      if (assertion.role === 'verdict') expect(arm.deviceId).toBe('node');
    }
    const arms = armsOf(question);
    expect(new Set(arms.map(({ deviceId }) => deviceId))).toContain('bun');
    expect(
      arms.every((arm) => caseName(arm.case).includes(`requests=${id === 'D1' ? '50' : '100'} `)),
    ).toBe(true);
  });

  test(`${id} is asked of Node.js alone where there is nothing else`, async () => {
    const devices = armsOf(await planOf(id, runtimes.slice(0, 1))).map(({ deviceId }) => deviceId);
    expect(devices.every((device) => device.startsWith('node'))).toBe(true);
  });
}

test('the pool is taken away from the server by its environment', async () => {
  const { counterfactuals } = await planOf('D1', runtimes);
  expect(counterfactuals.map(({ change }) => change)).toEqual([
    'UV_THREADPOOL_SIZE=1',
    'on 1 core',
  ]);
});
