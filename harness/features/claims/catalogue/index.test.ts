import { test, expect } from '@playwright/test';
import { listHosts } from '../../../core/model/case.ts';
import { findHost } from '../../../core/model/device.ts';
import { listArms, type Assertion, type Question } from '../../../core/model/question.ts';
import { findBenchmark, loadCatalog } from '../../../core/plan/catalog/catalog.ts';
import { expandCases } from '../../../core/plan/catalog/expansion.ts';
import { pagesFolder } from '../../../core/project.ts';
import { aFoundDevice, aMeasurement } from '../../../testing/builders.ts';
import { planClaim } from '../judging/plan-claim.ts';
import { chooseReader } from '../judging/quantity.ts';
import { claims } from './index.ts';

const programs = ['native', 'wasmtime', 'node', 'deno', 'bun', 'chakracore'];
const browsers = ['chromium', 'firefox', 'webkitgtk', 'edge'];

const phones = [
  aFoundDevice('pixel-chrome', { browser: 'chrome', phone: { platform: 'android' } }),
  aFoundDevice('pixel-firefox', { browser: 'firefox', phone: { platform: 'android' } }),
  ...['chrome', 'firefox', 'safari'].map((browser) =>
    aFoundDevice(`ipad-${browser}`, { browser, phone: { platform: 'ios' } }),
  ),
];

async function planned(
  id: string,
  { cores = 2, devices = [...programs, ...browsers] } = {},
): Promise<Question | string> {
  const catalog = await loadCatalog(pagesFolder());
  const claim = claims.find((one) => one.id === id)!;
  const plan = planClaim(claim, {
    presences: [
      ...devices.map((browser) => aFoundDevice(browser, { browser, name: browser })),
      ...phones,
    ],
    cores,
    cannotPin: null,
    cannotSeeThreads: null,
    platform: 'linux',
    makeCase: (benchmark, parameters) =>
      expandCases(findBenchmark(catalog, benchmark), parameters)[0]!,
    measurement: aMeasurement,
  });
  return plan.kind === 'question' ? plan.question : plan.because;
}

async function questionOf(...asked: Parameters<typeof planned>): Promise<Question> {
  const question = await planned(...asked);
  if (typeof question === 'string') throw new Error(question);
  return question;
}

function deciding({ assertions }: Question): readonly Assertion[] {
  return assertions.filter(({ role }) => role === 'verdict');
}

const measured = claims.map(({ id }) => id);

for (const id of measured) {
  test(`${id} asks for cases that exist, where they can run, and for quantities that they have`, async () => {
    const question = await questionOf(id);
    for (const { deviceId, case: one } of listArms(question)) {
      expect(listHosts(one), deviceId).toContain(findHost(deviceId.split('@')[0]!));
    }
    for (const one of question.assertions) {
      const { unit } = chooseReader(one.quantity, one.kind === 'level' ? one.of : one.a);
      if (one.kind === 'ratio' && one.against !== undefined) {
        expect(chooseReader(one.against, one.b).unit).toBe(unit);
      }
    }
    expect(deciding(question).length).toBeGreaterThan(0);
  });
}

for (const id of measured.filter((one) => /^[BCD]/.test(one))) {
  test(`${id} is decided by Node.js alone, as in its source`, async () => {
    const sides = deciding(await questionOf(id)).flatMap((one) =>
      one.kind === 'level' ? [one.of] : [one.a, one.b],
    );
    expect(new Set(sides.map(({ deviceId }) => deviceId))).toEqual(new Set(['node']));
    const alone = listArms(await questionOf(id, { devices: ['node'] }));
    expect(alone.every(({ deviceId }) => deviceId.startsWith('node'))).toBe(true);
    expect(await planned(id, { devices: ['deno', 'chromium'] })).toContain('Node.js is missing');
  });
}

test('file reads are compared by their reading, and by their duration only when warm', async () => {
  for (const id of ['B1', 'B2', 'B3', 'B4']) {
    for (const one of (await questionOf(id)).assertions) {
      const arm = one.kind === 'level' ? one.of : one.a;
      expect(one.quantity === 'duration').toBe(arm.case.parameters['state'] === 'warm');
    }
  }
});

test('C1 asks for as many threads as the machine has cores', async () => {
  const { assertions } = await questionOf('C1', { cores: 6 });
  const one = assertions.find(({ sentence }) => sentence.startsWith('as many'));
  expect(one?.kind === 'ratio' && one.b.case.parameters).toMatchObject({ threads: 6 });
});

test('with one core C1 cannot be asked, and C2 can', async () => {
  expect(await planned('C1', { cores: 1 })).toContain('it takes 2 cores');
  await questionOf('C2', { cores: 1 });
});

test('latencies are asked by ab, as their source did, and throughput of fewer requests', async () => {
  const loadsOf = async (id: string): Promise<unknown[]> => {
    const loads = listArms(await questionOf(id)).map(({ case: { parameters } }) =>
      [parameters['generator'], parameters['requests'], parameters['concurrency']].join(' '),
    );
    return [...new Set(loads)];
  };
  expect(await loadsOf('D1')).toEqual(['autocannon 50 20']);
  expect(await loadsOf('D2')).toEqual(['ab 250 20']);
});

test('the environment of the server takes its pool away', async () => {
  const { counterfactuals } = await questionOf('D1');
  expect(counterfactuals.map(({ change }) => change)).toEqual([
    'UV_THREADPOOL_SIZE=1',
    'on 1 core',
  ]);
});

for (const id of ['E3', 'E4']) {
  test(`WebKitGTK does not decide ${id}, and is named by its own name`, async () => {
    const ofIt = (await questionOf(id)).assertions.filter(
      (one) => one.kind === 'ratio' && one.a.deviceId === 'webkitgtk',
    );
    expect(ofIt.length).toBeGreaterThan(0);
    for (const { role, sentence } of ofIt) {
      expect(role).toBe('explanation');
      expect(sentence).toContain('webkitgtk');
    }
  });
}

test('without wasmtime E2 cannot be asked, and names what is missing', async () => {
  expect(await planned('E2', { devices: ['native'] })).toContain('Wasmtime is missing');
});
