import { expect, test } from '@playwright/test';
import { DOMParser } from 'linkedom';
import type { RebuiltChart } from '../../../core/results/index.ts';
import { someCpu } from '../../../../reports/golden/example-cpu.ts';
import { payload } from '../../../../reports/golden/hostile.ts';
import { drawStudyPicture } from './picture.ts';

const about = { id: 'a3-both', title: `syncFib & ${payload}`, original: '' };

const parsed = (svg: string | null) =>
  new DOMParser().parseFromString(svg ?? '', 'text/xml') as unknown as {
    querySelectorAll(selector: string): Iterable<{ readonly textContent: string }>;
  };

const textsOf = (svg: string | null): readonly string[] =>
  [...parsed(svg).querySelectorAll('text')].map(({ textContent }) => textContent);

test('a picture of curves names each and escapes device names', async () => {
  const points = [1, 2, 3].map((x) => ({ x, value: 10 ** x, low: null, high: null }));
  const curves = [
    { label: 'syncFib, Firefox', points },
    { label: `asyncFib, ${payload}`, points },
  ];
  const chart: RebuiltChart = { ...about, kind: 'curves', over: 'n', unit: 'ms', curves };
  const svg = await drawStudyPicture(chart, { cpu: [] });
  expect(textsOf(svg)).toEqual(
    expect.arrayContaining(['syncFib, Firefox', '1', '2', '3', '100\u00a0ms']),
  );
  expect(svg).not.toContain(payload);
  for (const colour of [0, 1]) {
    expect(
      svg?.match(new RegExp(`<path\\s[^>]*fill="var\\(--c${String(colour)}\\)"`, 'g')),
    ).toHaveLength(1 + points.length);
  }
});

test('calls that no clock saw make no picture', async () => {
  const points = [1, 2].map((x) => ({ x, value: 0, low: null, high: null }));
  const curves = [{ label: 'syncFib, Firefox', points }];
  const chart: RebuiltChart = { ...about, kind: 'curves', over: 'n', unit: 'ms', curves };
  expect(await drawStudyPicture(chart, { cpu: [] })).toBeNull();
});

test('a picture of cores has a row per core and call', async () => {
  const calls = ['firefox', 'chromium'].map((targetId) => ({
    label: `asyncFib(30), ${targetId}`,
    caseName: 'fib',
    targetId,
  }));
  const chart: RebuiltChart = { ...about, kind: 'cores', calls };
  const shape = { caseName: 'fib', cores: 2, slices: 50, random: () => 0.5 };
  const cpu = calls.map(({ targetId }) => someCpu({ ...shape, targetId }));
  const texts = textsOf(await drawStudyPicture(chart, { cpu }));
  expect(texts.filter((text) => text.startsWith('core '))).toEqual([
    'core 0',
    'core 1',
    'core 0',
    'core 1',
  ]);
  expect(texts[0]).toMatch(
    /^asyncFib\(30\), firefox: 1\sseconds?|^asyncFib\(30\), firefox: 1(\.00)?\ss/,
  );
  expect(await drawStudyPicture(chart, { cpu: [] })).toBeNull();
});
