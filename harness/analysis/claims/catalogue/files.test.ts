import { fileURLToPath } from 'node:url';
import { test, expect } from '@playwright/test';
import { expandCases } from '../../../plan/catalog/expansion.ts';
import { findBenchmark, loadCatalog } from '../../../plan/catalog/catalog.ts';
import { hostsOf, type Case } from '../../../model/case.ts';
import type { ArmTemplate } from '../claim.ts';
import { fileClaims } from './files.ts';

const pages = fileURLToPath(new URL('../../../../pages', import.meta.url));
const browsers = ['chromium', 'firefox', 'safari'];

test('every arm is a case of its benchmark that its product can run, and has what is read of it', async () => {
  const catalog = await loadCatalog(pages);
  const caseOf = ({ benchmark, parameters }: ArmTemplate): Case => {
    const [one] = expandCases(findBenchmark(catalog, benchmark), parameters);
    if (one === undefined) throw new Error(benchmark);
    return one;
  };
  const check = (arm: ArmTemplate, quantity: string): void => {
    const one = caseOf(arm);
    expect(hostsOf(one)).toContain(browsers.includes(arm.product) ? 'browser' : 'runtime');
    expect(one.benchmark.metrics.map(({ id }) => id)).toContain(quantity);
    // What a fresh process is asked for is not how long it lives.
    expect(quantity === 'duration').toBe(one.parameters['state'] === 'warm');
  };
  for (const { ask } of fileClaims) {
    if (ask.kind === 'not-testable') throw new Error(ask.because);
    for (const one of ask.assertions) {
      const { quantity } = one;
      if (one.kind === 'level') check(one.of, quantity);
      if (one.kind === 'level') continue;
      check(one.a, quantity);
      check(one.b, one.kind === 'ratio' ? (one.against ?? quantity) : quantity);
      if (one.kind === 'change') for (const arm of [one.c, one.d]) check(arm, quantity);
    }
  }
});

test('Node.js alone decides, as the source measured nothing else', () => {
  expect(fileClaims.map(({ id }) => id)).toEqual(['B1', 'B2', 'B3', 'B4']);
  for (const { ask } of fileClaims) {
    if (ask.kind === 'not-testable') throw new Error(ask.because);
    const deciding = ask.assertions.filter(({ role }) => role === undefined);
    expect(deciding.length).toBeGreaterThan(0);
    for (const one of deciding) {
      const sides = one.kind === 'level' ? [one.of] : [one.a, one.b];
      expect(sides.map(({ product }) => product)).toEqual(['node', 'node']);
    }
  }
});
