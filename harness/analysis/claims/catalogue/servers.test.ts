import { test, expect } from '@playwright/test';
import { loadCatalog } from '../../../plan/catalog/catalog.ts';
import { makeCaseMaker } from '../../../app/reproduce/claim-setting.ts';
import { caseName } from '../../../model/case.ts';
import type { Presence } from '../../../model/device.ts';
import { lanesOf, type Question } from '../../../model/question.ts';
import { pagesFolder } from '../../../project.ts';
import { aFoundDevice, aMeasurement } from '../../../testing/builders.ts';
import { poseClaim } from '../pose.ts';
import { readerOf } from '../quantity.ts';
import { serverClaims } from './servers.ts';

const runtimes = ['node', 'deno', 'bun'].map((id) => aFoundDevice(id, { browser: id, name: id }));

async function pose(id: string, presences: readonly Presence[]): Promise<Question> {
  const claim = serverClaims.find((one) => one.id === id);
  if (claim === undefined) throw new Error(`no claim ${id}`);
  const posed = poseClaim(claim, {
    presences,
    cores: 2,
    cannotPin: null,
    cannotSeeThreads: null,
    platform: 'linux',
    makeCase: makeCaseMaker(await loadCatalog(pagesFolder()), {}),
    measurement: aMeasurement,
  });
  if (posed.kind !== 'question') throw new Error(posed.because);
  return posed.question;
}

for (const { id } of serverClaims) {
  test(`${id} asks for cases and quantities that there are, and Node.js decides it`, async () => {
    const question = await pose(id, runtimes);
    for (const assertion of question.assertions) {
      const lane = assertion.kind === 'level' ? assertion.of : assertion.a;
      expect(readerOf(assertion.quantity, lane).title).not.toBe('');
      if (assertion.role === 'verdict') expect(lane.deviceId).toBe('node');
    }
    const lanes = lanesOf(question);
    expect(new Set(lanes.map(({ deviceId }) => deviceId))).toContain('bun');
    expect(
      lanes.every((lane) =>
        caseName(lane.case).includes(`requests=${id === 'D1' ? '50' : '100'} `),
      ),
    ).toBe(true);
  });

  test(`${id} is asked of Node.js alone where there is nothing else`, async () => {
    const devices = lanesOf(await pose(id, runtimes.slice(0, 1))).map(({ deviceId }) => deviceId);
    expect(devices.every((device) => device.startsWith('node'))).toBe(true);
  });
}

test('the pool is taken away from the server by its environment', async () => {
  const { counterfactuals } = await pose('D1', runtimes);
  expect(counterfactuals.map(({ change }) => change)).toEqual([
    'UV_THREADPOOL_SIZE=1',
    'on 1 core',
  ]);
});
