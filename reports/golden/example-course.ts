import type { CaseCourse, Findings } from '../../harness/core/results/index.ts';

/** How the speed of each measured cell went: slow calls at first, then its median. */
export function someCourses({ rows }: Pick<Findings, 'rows'>): readonly CaseCourse[] {
  return rows.flatMap(({ caseName, unit, cells }, place) =>
    cells.flatMap((cell, i) => {
      if (cell.kind === 'missing') return [];
      const { targetId, centre: median } = cell;
      const [firstMs, warmMs, windowAtMs] = [4 * median, 40 + 30 * i, 80 + 40 * i];
      const level = (ms: number): number => (ms < warmMs ? 1.8 * median : median);
      const points = Array.from({ length: 40 }, (_, n): readonly [number, number] => {
        const endMs = firstMs + (n * 3 * windowAtMs) / 40;
        return [endMs, n === 0 ? firstMs : level(endMs) * (1 + 0.01 * ((n * 7 + place) % 5))];
      });
      const end = points.at(-1)?.[0] ?? 0;
      const segments = [
        { fromMs: 0, toMs: warmMs, level: 1.8 * median },
        { fromMs: warmMs, toMs: end, level: median },
      ];
      return [{ caseName, targetId, block: 3, unit, points, firstMs, windowAtMs, segments }];
    }),
  );
}
