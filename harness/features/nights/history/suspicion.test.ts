import { expect, test } from '@playwright/test';
import { seededGenerator, type SeededGenerator } from '../../../core/analysis/stats/random.ts';
import { searchAll, type WatchedSeries } from './suspicion.ts';

/** ln of medians that scatter by 2 %, each night remembering half of the one before. */
function nights(count: number, generator: SeededGenerator): number[] {
  let state = generator.normal();
  return Array.from({ length: count }, () => {
    state = 0.5 * state + Math.sqrt(0.75) * generator.normal();
    return 0.02 * state;
  });
}

/** A series as the search sees it; of one device, unless a test changes it. */
const seen = (
  values: readonly number[],
  changed: readonly number[] = [],
  group = 'chromium',
): WatchedSeries => ({ values, changed, group, nights: values.map((_, night) => night) });

const shifted = (values: readonly number[], from: number, ratio: number): number[] =>
  values.map((value, night) => (night >= from ? value + Math.log(ratio) : value));

const suspectsOf = (watched: readonly WatchedSeries[], seed = 71) =>
  searchAll(watched, seededGenerator(seed)).map(({ suspect }) => suspect);

test('suspects little if no change is known', { tag: '@campaign' }, () => {
  const generator = seededGenerator(72);
  const farms = 60;
  const alarmed = Array.from({ length: farms }, (_, farm) => {
    const watched = Array.from({ length: 50 }, () => seen(nights(40, generator)));
    return suspectsOf(watched, farm).some((suspect) => suspect !== null);
  }).filter(Boolean).length;
  expect(alarmed / farms).toBeLessThanOrEqual(0.15);
});

/** Counts the suspected ones among 60 series of which these are 5 % slower since night 40. */
function countSuspected(
  areShifted: (index: number) => boolean,
  changed: readonly number[],
): number {
  const generator = seededGenerator(73);
  const all = Array.from({ length: 60 }, (_, index) =>
    seen(shifted(nights(43, generator), 40, areShifted(index) ? 1.05 : 1), changed),
  );
  return suspectsOf(all).filter((one, index) => areShifted(index) && one?.index === 40).length;
}

test('needs less evidence where a change is known', () => {
  const few = (index: number): boolean => index % 15 === 0;
  expect(countSuspected(few, [40])).toBeGreaterThanOrEqual(3);
  expect(countSuspected(few, [])).toBeLessThan(countSuspected(few, [40]));
});

test('suspects many series that change in one night without a known change', () => {
  const many = (index: number): boolean => index < 30;
  expect(countSuspected(many, [40])).toBeGreaterThan(24);
  expect(countSuspected(many, [])).toBeGreaterThan(20);
});

test('nights that are bad for all series raise no more suspicion', { tag: '@campaign' }, () => {
  const generator = seededGenerator(80);
  const alarmed = Array.from({ length: 40 }, (_, farm) => {
    const common = nights(43, generator);
    const watched = Array.from({ length: 20 }, () =>
      seen(nights(43, generator).map((value, night) => 0.5 * value + (common[night] ?? 0))),
    );
    return suspectsOf(watched, farm).some((suspect) => suspect !== null);
  }).filter(Boolean).length;
  expect(alarmed / 40).toBeLessThanOrEqual(0.2);
});

test('suspects a large change without a known cause', () => {
  const generator = seededGenerator(74);
  const watched = Array.from({ length: 20 }, (_, index) =>
    seen(shifted(nights(43, generator), 40, index === 0 ? 1.5 : 1)),
  );
  const [first] = suspectsOf(watched);
  expect(first?.index).toBe(40);
  expect(first?.agreeing).toBe(3);
});

test('never suspects one night alone, but two that agree', () => {
  const values = shifted(nights(50, seededGenerator(75)), 40, 1.5);
  const suspectAfter = (count: number) =>
    suspectsOf([seen(values.slice(0, 40 + count), [40])])[0] ?? null;
  expect(suspectAfter(1)).toBeNull();
  expect(suspectAfter(2)?.index).toBe(40);
});

test('suspects no change older than five nights: it is then settled', () => {
  const values = shifted(nights(60, seededGenerator(76)), 40, 1.5);
  const searchAfter = (count: number) =>
    searchAll([seen(values.slice(0, 40 + count), [40])], seededGenerator(1))[0];
  expect(searchAfter(5)?.suspect?.index).toBe(40);
  expect(searchAfter(8)?.suspect).toBeNull();
  expect(searchAfter(8)?.changePoints.map(({ index }) => index)).toContain(40);
});

test('finds the next change within ten nights after a settled one', () => {
  const values = shifted(shifted(nights(51, seededGenerator(77)), 40, 1.5), 48, 1.3);
  const [found] = searchAll([seen(values, [48])], seededGenerator(1));
  expect(found?.changePoints.map(({ index }) => index)).toEqual([40]);
  expect(found?.suspect?.index).toBe(48);
});

test('does not call a level that returns after an odd week lasting', () => {
  const generator = seededGenerator(78);
  const values = nights(60, generator).map((value, night) =>
    night >= 30 && night < 37 ? value + 0.5 : value,
  );
  const [found] = searchAll([seen(values)], seededGenerator(1));
  expect(found?.changePoints.map(({ index }) => index)).toEqual([30, 37]);
  expect(found?.suspect).toBeNull();
});

test('gives the same answer for the same seed, and none for no series', () => {
  const watched = [seen(nights(40, seededGenerator(79)), [38])];
  expect(suspectsOf(watched, 5)).toEqual(suspectsOf(watched, 5));
  expect(searchAll([], seededGenerator(1))).toEqual([]);
});
