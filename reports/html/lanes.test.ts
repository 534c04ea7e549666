import { expect, test } from '@playwright/test';
import { renderMarkup } from './escape.ts';
import { drawLanes, type Span } from './lanes.ts';

const shape = { ends: ['0', '100 ms'], label: 'lanes' } as const;
const span = (fromMs: number, toMs: number, role = 'gc'): Span => ({ fromMs, toMs, role });

/** Steps of one role's path as [column, row, width]. */
function stepsOf(markup: string, role: string): readonly (readonly number[])[] {
  const d = new RegExp(`class="r-${role}" d="([^"]*)"`).exec(markup)?.[1] ?? '';
  return [...d.matchAll(/M(\d+) (\d+)h(\d+)/g)].map((match) => match.slice(1).map(Number));
}

test('a thread is drawn on its core for as long as it ran', () => {
  const cores = [[span(0, 50, 'js-main')], [span(25, 75), span(75, 100, 'foreign')]];
  const markup = renderMarkup(drawLanes({ ...shape, cores, fromMs: 0, toMs: 100 }));
  expect(stepsOf(markup, 'js-main')).toEqual([[0, 22, 320]]);
  expect(stepsOf(markup, 'gc')).toEqual([[160, 54, 320]]);
  expect(stepsOf(markup, 'foreign')).toEqual([[480, 54, 160]]);
  expect(markup).toContain('core 0, 50 % in use');
  expect(markup).toContain('core 1, 75 % in use');
});

test('a close-up shows only what lies in it, cut at its ends', () => {
  const cores = [[span(0, 45), span(49, 51), span(90, 100)]];
  const markup = renderMarkup(drawLanes({ ...shape, cores, fromMs: 40, toMs: 60 }));
  expect(stepsOf(markup, 'gc')).toEqual([
    [0, 22, 160],
    [288, 22, 64],
  ]);
});

test("draws a column's largest role, and almost nothing as idle", () => {
  const column = 100 / 640;
  const cores = [
    [
      span(0, column * 0.3, 'js-main'),
      span(column * 0.3, column * 0.9, 'gc'),
      span(column * 5, column * 5.1, 'io'),
    ],
  ];
  const markup = renderMarkup(drawLanes({ ...shape, cores, fromMs: 0, toMs: 100 }));
  expect(stepsOf(markup, 'gc')).toEqual([[0, 22, 1]]);
  expect(markup).not.toContain('r-js-main');
  expect(markup).not.toContain('r-io');
});

test('twenty thousand slices on many cores stay a small picture', () => {
  const cores = Array.from({ length: 64 }, (_, core) =>
    Array.from({ length: 320 }, (__, i) => {
      const fromMs = i * 3 + (core % 3);
      return span(fromMs, fromMs + 1.5, i % 2 === 0 ? 'js-worker' : 'gc');
    }),
  );
  const markup = renderMarkup(drawLanes({ ...shape, cores, fromMs: 0, toMs: 960 }));
  expect(markup.length).toBeLessThan(25_000);
  expect(markup).toMatch(/busiest 16 of 64 cores/);
});
