import { test, expect } from '@playwright/test';
import { findBenchmark, loadCatalog } from '../../../plan/catalog/catalog.ts';
import { expandCases } from '../../../plan/catalog/expansion.ts';
import { hostsOf } from '../../../model/case.ts';
import { hostOf } from '../../../model/device.ts';
import { armsOf, type Question } from '../../../model/question.ts';
import { pagesFolder } from '../../../project.ts';
import { aFoundDevice, aMeasurement } from '../../../testing/builders.ts';
import { startClaims } from './threads.ts';
import type { Claim } from '../claim.ts';
import { planClaim } from '../plan-claim.ts';
import { readerOf } from '../quantity.ts';

const products = ['native', 'wasmtime', 'node', 'chromium', 'firefox', 'webkitgtk'];
const presences = products.map((browser) => aFoundDevice(browser, { browser, name: browser }));

async function planOf(claim: Claim, without?: string): Promise<Question | string> {
  const catalog = await loadCatalog(pagesFolder());
  const planned = planClaim(claim, {
    presences: presences.filter(({ device }) => device.id !== without),
    cores: 2,
    cannotPin: null,
    cannotSeeThreads: null,
    platform: 'linux',
    makeCase: (benchmark, parameters) => {
      const [one] = expandCases(findBenchmark(catalog, benchmark), parameters);
      if (one === undefined) throw new Error('no case');
      return one;
    },
    measurement: aMeasurement,
  });
  return planned.kind === 'question' ? planned.question : planned.because;
}

test('the claims of section E ask for what thread-start measures, where it can run', async () => {
  expect(startClaims.map(({ id }) => id)).toEqual(['E1', 'E2', 'E3', 'E4', 'E5']);
  for (const claim of startClaims) {
    const question = await planOf(claim);
    if (typeof question === 'string') throw new Error(question);
    for (const arm of armsOf(question)) {
      expect(hostsOf(arm.case)).toContain(hostOf(arm.deviceId));
    }
    for (const one of question.assertions) {
      const unit = readerOf(one.quantity, one.kind === 'level' ? one.of : one.a).unit;
      if (one.kind === 'ratio' && one.against !== undefined) {
        expect(readerOf(one.against, one.b).unit).toBe(unit);
      }
    }
    expect(question.assertions.some(({ role }) => role === 'verdict')).toBe(true);
  }
});

test('WebKitGTK decides nothing that is said of browsers, and its own name is used', async () => {
  for (const claim of startClaims.filter(({ id }) => id === 'E3' || id === 'E4')) {
    const question = await planOf(claim);
    if (typeof question === 'string') throw new Error(question);
    const ofIt = question.assertions.filter(
      (one) => one.kind === 'ratio' && one.a.deviceId === 'webkitgtk',
    );
    expect(ofIt.length).toBeGreaterThan(0);
    for (const { role, sentence } of ofIt) {
      expect(role).toBe('explanation');
      expect(sentence).toContain('webkitgtk');
    }
  }
});

test('without wasmtime E2 cannot be asked, and says what is missing', async () => {
  const wasi = startClaims.find(({ id }) => id === 'E2');
  if (wasi === undefined) throw new Error('no E2');
  expect(await planOf(wasi, 'wasmtime')).toContain('Wasmtime is missing');
});
