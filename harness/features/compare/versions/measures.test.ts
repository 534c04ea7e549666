import { expect, test } from '@playwright/test';
import { parseNetwork } from './conditions.ts';
import {
  distinctMeasures,
  entryOf,
  measuresIn,
  pageMeasure,
  parseMeasure,
  repeated,
  withDefaults,
  withUniqueNames,
} from './measures.ts';
import { readingOfSuite } from './well-known.ts';

const ms = { unit: 'ms', higher: false };

test('named measures say how they are read', () => {
  expect(parseMeasure('lcp', ms)).toEqual({
    metric: {
      id: 'lcp',
      title: 'largest contentful paint',
      unit: 'ms',
      direction: 'lower',
      optional: true,
    },
    reader: { by: 'paint', name: 'largest-contentful-paint' },
  });
  expect(parseMeasure('cls', ms).metric.unit).toBe('score');
  expect(parseMeasure('measure:render list', ms)).toEqual({
    metric: { id: 'render-list', title: 'render list', unit: 'ms', direction: 'lower' },
    reader: { by: 'measure', name: 'render list' },
  });
  expect(pageMeasure('mark:ready', ms).reader).toEqual({ by: 'mark', name: 'ready' });
});

test('browser-wide probe measures have their own unit and may be missing', () => {
  expect(parseMeasure('memory', { unit: 'points', higher: true })).toEqual({
    metric: {
      id: 'memory',
      title: 'memory, at most',
      unit: 'MB',
      direction: 'lower',
      optional: true,
    },
    watched: 'memory-peak',
  });
  expect(parseMeasure('cpu', ms).metric.unit).toBe('s');
});

test('all else is an expression, in the unit that is given', () => {
  expect(parseMeasure('window.score', { unit: 'points', higher: true })).toEqual({
    metric: { id: 'window-score', title: 'window.score', unit: 'points', direction: 'higher' },
    reader: { by: 'expression', expression: 'window.score' },
  });
});

test('a name that every object has is an expression like any other', () => {
  for (const text of ['constructor', 'toString']) {
    expect(pageMeasure(text, ms).reader).toEqual({ by: 'expression', expression: text });
    expect(parseMeasure(text, ms)).toMatchObject({ reader: { by: 'expression' } });
    expect(() => readingOfSuite(text)).toThrow(/is not a suite/);
    expect(() => parseNetwork(text)).toThrow(/is not a network/);
  }
});

test('an entry of a record is a measure with its own name', () => {
  const record = pageMeasure('results', { unit: 'points', higher: true });
  expect(entryOf(record, 'Richards')).toEqual({
    metric: { id: 'Richards', title: 'Richards', unit: 'points', direction: 'higher' },
    reader: { by: 'expression', expression: 'results', key: 'Richards' },
  });
});

test('measures of one name stay apart, counted as often as made', () => {
  const asked = ['load', 'mark:load', 'measure:load', 'load', 'measure:sort', 'sort'];
  const distinct = distinctMeasures(asked.map((text) => parseMeasure(text, ms)));
  expect(withUniqueNames(distinct).map(({ metric }) => metric.title)).toEqual([
    ...['load', 'mark:load', 'measure:load', 'measure:sort', 'sort'],
  ]);
  const once = pageMeasure('measure:sort', ms);
  const [common] = distinctMeasures([repeated(once, 5), repeated(once, 2), repeated(once, 3)]);
  expect(common).toMatchObject({ reader: { times: 2 } });
});

test('ids are valid, and no two are the same', () => {
  const measures = ['a b', 'a-b', '…', '1x', 'a-b-2'].map((text) =>
    parseMeasure(`measure:${text}`, ms),
  );
  expect(withUniqueNames(measures).map(({ metric }) => metric.id)).toEqual([
    'a-b',
    'a-b-2',
    'value',
    'x',
    'a-b-2-2',
  ]);
});

test('steps that lead to another page are rows next to the named ones', () => {
  const input = { name: 'steps', steps: [{ click: '#go', name: 'go' }, { click: '#away' }] };
  const setting = { asked: [], withLoad: false, isShared: () => true, input };
  const titles = (offers: Readonly<Record<string, number>>): readonly string[] =>
    withDefaults(measuresIn(offers, []), setting).measures.map(({ metric }) => metric.title);
  expect(titles({ 'step:click #away': 1, 'measure:own': 2 })).toEqual(['go', 'click #away', 'own']);
  const unnamed = { ...setting, input: { name: 'steps', steps: [{ click: '#away' }] } };
  const led = measuresIn({ 'step:click #away': 1 }, []);
  expect(withDefaults(led, unnamed).measures).toMatchObject([
    { reader: { by: 'step', name: 'click #away' }, metric: { unit: 'ms', optional: true } },
  ]);
});
