import { test, expect } from '@playwright/test';
import type { EnvironmentReading } from '../model/reading.ts';
import { aMachine } from '../../testing/builders.ts';
import { judgeFitness, type FitnessFacts, type FitnessFinding } from './fitness.ts';

const quiet: EnvironmentReading = {
  probe: 'environment',
  load1: 0.1,
  cpuPressure: 0,
  freeMemoryBytes: 8 * 2 ** 30,
  governor: 'performance',
  frequencyMhz: null,
  foreignShare: 0.01,
  stealShare: 0,
  throttleEvents: null,
  costMs: 0.1,
};
const good: FitnessFacts = {
  machine: { ...aMachine, logicalCores: 8 },
  environment: quiet,
  sameWork: [10, 10.1, 10.2, 10.1, 10],
  otherBrowsers: [],
  freeDiskBytes: 10 * 2 ** 30,
};

const find = (facts: FitnessFacts, id: string): FitnessFinding | undefined =>
  judgeFitness(facts).find((finding) => finding.id === id);

test('finds a quiet machine fine in every respect', () => {
  expect(judgeFitness(good).filter((finding) => finding.level !== 'fine')).toEqual([]);
});

for (const [id, facts, level, remedy] of [
  ['foreign-cpu', { environment: { ...quiet, foreignShare: 0.1 } }, 'caution', /top/],
  ['foreign-cpu', { environment: { ...quiet, foreignShare: 0.6 } }, 'unfit', /top/],
  ['steal', { environment: { ...quiet, stealShare: 0.2 } }, 'unfit', /less load from others/],
  ['own-speed', { sameWork: [10, 10, 13, 10, 13, 13] }, 'caution', /another hour/],
  ['governor', { environment: { ...quiet, governor: 'powersave' } }, 'caution', /cpupower/],
  ['memory', { environment: { ...quiet, freeMemoryBytes: 2 ** 28 } }, 'unfit', /memory/],
  ['other-browsers', { otherBrowsers: ['firefox'] }, 'caution', /close/],
  ['disk', { freeDiskBytes: 1000 }, 'unfit', /--database/],
  ['cores', { machine: { ...aMachine, logicalCores: 2 } }, 'caution', /more cores/],
  [
    'virtualization',
    { machine: { ...aMachine, virtualization: 'virtual machine' } },
    'caution',
    /bare metal/,
  ],
  ['root', { machine: { ...aMachine, asRoot: true } }, 'caution', /ordinary user/],
] as const) {
  test(`${id} is ${level} with a remedy`, () => {
    const finding = find({ ...good, ...facts }, id);
    expect(finding?.level).toBe(level);
    expect(finding?.remedy).toMatch(remedy);
  });
}

test('reports what a machine does not show, and never as fine', () => {
  const blind = judgeFitness({
    ...good,
    environment: null,
    otherBrowsers: null,
    freeDiskBytes: null,
  });
  const unseen = blind.filter((finding) => finding.what.includes('does not show'));
  expect(unseen.map((finding) => finding.id)).toEqual([
    'foreign-cpu',
    'steal',
    'other-browsers',
    'governor',
    'memory',
    'disk',
  ]);
  expect(unseen.every((finding) => finding.level === 'caution')).toBe(true);
});

for (const [platform, busy] of [
  ['darwin', 'top -o cpu'],
  ['win32', 'taskmgr'],
] as const) {
  test(`tells the owner of a ${platform} machine the commands of that system`, () => {
    const environment = {
      ...quiet,
      foreignShare: 0.6,
      stealShare: null,
      governor: null,
      freeMemoryBytes: 2 ** 28,
    };
    const findings = judgeFitness({ ...good, machine: { ...good.machine, platform }, environment });
    const remedies = findings.map(({ remedy }) => remedy).join('\n');
    expect(remedies).toContain(`find and end them: ${busy}`);
    expect(remedies).toContain('plug it in');
    expect(remedies).not.toMatch(/sudo|cpupower|top -o %/);
    expect(findings.map(({ what }) => what).join()).not.toMatch(/governor|hypervisor/);
  });
}

test('reports no load or speed of a machine without readings', () => {
  const { machine, otherBrowsers, freeDiskBytes } = good;
  const ids = judgeFitness({ machine, otherBrowsers, freeDiskBytes }).map(({ id }) => id);
  expect(ids).toEqual(['other-browsers', 'disk', 'cores', 'virtualization', 'root']);
});
