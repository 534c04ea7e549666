import { expect, test } from '@playwright/test';
import { declaredReading } from './reading.ts';
import {
  type Explanation,
  explanations,
  readExplanation,
  toExplanationReading,
} from './explanation.ts';

const script = {
  ms: 150,
  layoutMs: 40,
  name: 'update',
  source: 'js/app.js',
  line: 12,
  invoker: 'BUTTON#go.onclick',
};

const told: readonly Explanation[] = [
  {
    metric: 'lcp',
    parts: { firstByte: 30, loadDelay: 170, loadDuration: 220, renderDelay: 60 },
    element: 'img.hero',
    resource: 'hero.png',
    lacksFrame: 'this browser does not tell of them',
  },
  {
    metric: 'inp',
    parts: { inputDelay: 10, processing: 155, presentation: 35 },
    frame: {
      ms: 190,
      blockedMs: 140,
      frames: 2,
      scripts: [script, { ...script, name: '', source: '', invoker: '' }],
    },
  },
];

test('an explanation survives being stored as a reading', () => {
  const reading = toExplanationReading(told)!;
  // As a bundle or a file of another farm is read.
  const readings = [declaredReading.parse(JSON.parse(JSON.stringify(reading)))];
  expect(readExplanation(readings, 'lcp')).toMatchObject({
    element: 'img.hero',
    resource: 'hero.png',
    frame: null,
    lacksFrame: 'this browser does not tell of them',
  });
  const inp = readExplanation(readings, 'inp');
  expect([...inp!.parts]).toEqual([
    ['inputDelay', 10],
    ['processing', 155],
    ['presentation', 35],
  ]);
  expect(inp!.frame!.scripts).toEqual([
    { name: 'update (app.js:12)', invoker: 'BUTTON#go.onclick', ms: 150, layoutMs: 40 },
    { name: 'a script without a name', invoker: null, ms: 150, layoutMs: 40 },
  ]);
  expect(readExplanation(readings, 'load')).toBeNull();
  expect(readExplanation([], 'lcp')).toBeNull();
});

test('an explanation of another form is left out, and fails no trial', () => {
  const [lcp] = told;
  const hostile: readonly unknown[] = [
    [{ ...lcp, element: 'a\u001b[31m' }],
    [{ ...lcp, parts: { firstByte: -1 } }],
    [{ ...lcp, parts: { toString: 1 } }],
    [lcp, lcp],
    [{ ...lcp, metric: '__proto__' }],
    [{ ...lcp, element: 'x'.repeat(1e6) }],
    Array(1000).fill(lcp),
    'lcp',
  ];
  for (const one of hostile) expect(explanations.parse(one)).toBeUndefined();
  expect(toExplanationReading(undefined)).toBeNull();
});

test('a stored reading with other contents explains nothing', () => {
  const values = { lcpLoadDelay: { title: 'x', unit: null, value: 'text' } };
  const reading = declaredReading.parse({ probe: 'browser-explanation', values, costMs: 0 });
  expect(readExplanation([reading], 'lcp')).toBeNull();
  expect(readExplanation([reading], '__proto__')).toBeNull();
});
