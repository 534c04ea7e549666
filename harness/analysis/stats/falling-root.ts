export interface RootRange {
  readonly from: number;
  readonly to: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Roots are found to this share of the range, which is next to the last digit of a double. */
const tolerance = 1e-12;

/**
 * Where a falling, continuous function crosses zero. Given is the last point found at which it is
 * not yet negative, so the answer errs to one side only; `from` if it is negative there already,
 * `to` if it is not negative anywhere.
 *
 * Method: the bracket is first sought near `from`, in steps that double, as the callers' roots lie
 * there more often than not; then the Illinois variant of the false position, whose order is 1.44
 * and which never loses the bracket (Dowell & Jarratt 1971, BIT 11:168–174). Some 10 evaluations.
 */
export function fallingRoot(f: (x: number) => number, range: RootRange): number {
  const start = { x: range.from, y: f(range.from) };
  if (start.y < 0) return range.from;
  const bracket = bracketFrom(start, { f, to: range.to });
  return bracket === null ? range.to : illinois(f, { ...bracket, width: range.to - range.from });
}

function bracketFrom(
  start: Point,
  { f, to }: { readonly f: (x: number) => number; readonly to: number },
): { readonly above: Point; readonly below: Point } | null {
  let above = start;
  for (let step = (to - start.x) / 1024; above.x < to; step *= 2) {
    const x = Math.min(to, above.x + step);
    const y = f(x);
    if (y < 0) return { above, below: { x, y } };
    if (x === above.x) return null;
    above = { x, y };
  }
  return null;
}

function illinois(
  f: (x: number) => number,
  bracket: { readonly above: Point; readonly below: Point; readonly width: number },
): number {
  let { above, below } = bracket;
  let stayed: 'above' | 'below' | null = null;
  const nearest = (tolerance * bracket.width) / 2;
  while (below.x - above.x > 2 * nearest) {
    const secant = (above.x * below.y - below.x * above.y) / (below.y - above.y);
    const guess = Number.isFinite(secant) ? secant : (above.x + below.x) / 2;
    // Next to an end that is all but the root, a step beyond the root closes the bracket.
    const x = Math.min(below.x - nearest, Math.max(above.x + nearest, guess));
    if (x <= above.x || x >= below.x) break;
    const y = f(x);
    // The value of an end that stays for the second time is halved, or it might stay for ever.
    if (y >= 0) {
      above = { x, y };
      if (stayed === 'below') below = { x: below.x, y: below.y / 2 };
      stayed = 'below';
    } else {
      below = { x, y };
      if (stayed === 'above') above = { x: above.x, y: above.y / 2 };
      stayed = 'above';
    }
  }
  return above.x;
}
