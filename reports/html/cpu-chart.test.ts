import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { coreHeatMap, pooled, roleBar, roleClass, roleStack } from './cpu-chart.ts';
import { renderMarkup } from './escape.ts';

test('slices are averaged, not dropped, when there are too many', () => {
  expect(pooled([0, 1, 0, 1, 1, 1], 3)).toEqual([0.5, 0.5, 1]);
  expect(pooled([0.2, 0.4], 3)).toEqual([0.2, 0.4]);
});

test('a machine with many cores shows its busiest, and says how many are hidden', () => {
  const busy = Array.from({ length: 64 }, (_, core) => [core / 64, core / 64]);
  const chart = coreHeatMap(busy, 'cores');
  expect(chart.hidden).toBe(48);
  expect(chart.cores.map(({ core }) => core)).toEqual(Array.from({ length: 16 }, (_, i) => 48 + i));
});

test('the figure of a long window stays small', () => {
  const busy = Array.from({ length: 8 }, (_, core) =>
    Array.from({ length: 5_000 }, (__, i) => ((i * 7 + core * 3) % 11) / 11),
  );
  expect(renderMarkup(coreHeatMap(busy, 'cores').picture).length).toBeLessThan(6_000);
});

test('merges equal adjacent cells, shades busy cores fully, leaves idle ones empty', () => {
  const markup = renderMarkup(
    coreHeatMap(
      [
        [0, 0.01],
        [1, 1],
        [0.3, 0.3],
      ],
      'cores',
    ).picture,
  );
  expect([...markup.matchAll(/class="h (h\d)" d="([^"]*)"/g)].map(([, ...one]) => one)).toEqual([
    ['h2', 'M38 34h196'],
    ['h5', 'M38 20h196'],
  ]);
});

/** Levels of a role's upper edge, in pixels above the base, from its path. */
function levelsOf(markup: string, role: string): readonly number[] {
  const d = new RegExp(`class="r-${role}" d="([^"]*)"`).exec(markup)?.[1] ?? '';
  let level = 0;
  return [...d.matchAll(/v(-?\d+)/g)].map(([, step]) => (level -= Number(step)));
}

test('a stack adds its roles up, in cores of the height', () => {
  const roles = [
    { role: 'js-main', busy: [1, 1] },
    { role: 'gc', busy: [0, 1] },
  ];
  const markup = renderMarkup(roleStack({ roles, cores: 2, label: 'roles' }));
  expect(levelsOf(markup, 'js-main')).toEqual([28]);
  expect(levelsOf(markup, 'gc')).toEqual([28, 56]);
  expect(markup.indexOf('r-gc')).toBeLessThan(markup.indexOf('r-js-main'));
});

test('a stack of any roles stays inside its figure and small', () => {
  const busy = fc.array(fc.double({ min: 0, max: 50, noNaN: true }), {
    minLength: 300,
    maxLength: 300,
  });
  fc.assert(
    fc.property(fc.array(busy, { minLength: 1, maxLength: 7 }), (all) => {
      const roles = all.map((one, i) => ({ role: `role-${String(i)}`, busy: one }));
      const markup = renderMarkup(roleStack({ roles, cores: 4, label: 'roles' }));
      // Returned, not expected: Playwright records every `expect` as a step, which takes longer.
      const isInside = levelsOf(markup, 'other').every((level) => level >= 0 && level <= 56);
      return isInside && markup.length < 4_000;
    }),
  );
});

test('an unknown role has the colour of the others', () => {
  expect(roleClass('gc')).toBe('r-gc');
  expect(roleClass('"><script>')).toBe('r-other');
});

test('a bar is as long as the cores that were busy', () => {
  const markup = renderMarkup(
    roleBar(
      [
        { role: 'js-main', cores: 1 },
        { role: 'gc', cores: 0.5 },
      ],
      { cores: 2, label: 'roles' },
    ),
  );
  expect(markup).toContain('M0.0 0h134.0');
  expect(markup).toContain('M135.0 0h66.5');
});
