import { expect, test } from '@playwright/test';
import { aFoundDevice, aJob, aMissingDevice, aTrial } from '../../testing/builders.ts';
import { versionCases, versionsBenchmark } from './versions/benchmark.ts';
import { decideTable } from '../../core/analysis/decide.ts';
import { browserOf, describeLook } from './look-text.ts';

function named(name: string, version: string): string {
  const { target, ...found } = aFoundDevice('one');
  const presence = { ...found, target: { ...target, browser: { name, version } } };
  return browserOf({ presences: [presence] }, 'one');
}

test('a browser is named with the number in which its releases differ', () => {
  expect(named('chromium', '156.0.8078.108')).toBe('chromium 156');
  expect(named('webkitgtk', '2.50.4')).toBe('webkitgtk 2.50');
  expect(named('firefox', '')).toBe('firefox');
  expect(browserOf({ presences: [aMissingDevice('one')] }, 'one')).toBe('one');
});

const place = { kind: 'url', url: 'http://127.0.0.1:1/' } as const;
const metric = { id: 'duration', title: 'duration', unit: 'ms', direction: 'lower' } as const;
const benchmark = versionsBenchmark(
  ['old.html', 'new.html'].map((name) => ({ name, kind: 'url', place })),
  { measures: [{ metric, reader: { by: 'load' } }] },
);
const [old, changed] = versionCases(benchmark);

/** What is said after blocks of these values of both versions. */
function lookAt(values: readonly (readonly [number, number])[]): readonly string[] {
  const trials = values.flatMap(([before, after], block) => [
    aTrial(aJob({ block, deviceId: 'one', case: old! }), [before]),
    aTrial(aJob({ block, deviceId: 'one', case: changed! }), [after]),
  ]);
  const side = (one: typeof old) => ({ deviceId: 'one', case: one! });
  const pair = { a: side(changed), b: side(old), metric };
  const rules = { margin: 0.02, alpha: 0.05 };
  return describeLook(decideTable(trials, [pair], rules), {
    presences: [aFoundDevice('one')],
    margin: 0.02,
  });
}

test('a look says how large a decided difference is', () => {
  const values = Array.from({ length: 12 }, (_, i) => [100 + (i % 3), 150 + (i % 3)] as const);
  expect(lookAt(values)).toEqual([
    expect.stringMatching(/new\.html  (49|50|1\.5) ?[%×] slower \(.*\), decided$/),
  ]);
});

test('a look says what was seen of an open difference, and where it may lie', () => {
  const values = Array.from({ length: 8 }, (_, i) => [100, 100 * 1.3 ** ((i % 4) - 1)] as const);
  expect(lookAt(values)).toEqual([
    expect.stringMatching(/new\.html  ≈ [\d.]+ % (slower|faster) so far \(0\.\d+ … [\d.]+×\)$/),
  ]);
});

test('before a block is complete a look says nothing', () => {
  expect(lookAt([])).toEqual([]);
});
