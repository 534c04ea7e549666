/** Types of answers that there are; the first is sent to who accepts any. */
export type Accepted = 'application/json' | 'text/csv';

/**
 * The best of what is offered by the `Accept` header (RFC 9110, 12.5.1); null when none will do. Of
 * equal weights what is offered first wins, and the more exact range gives the weight.
 */
export function chooseType(
  accept: string | undefined,
  offered: readonly Accepted[],
): Accepted | null {
  if (accept === undefined || accept.trim() === '') return offered[0] ?? null;
  const ranges = accept.split(',').map(parseRange);
  const weighted = offered.map((type) => ({ type, weight: weightOf(type, ranges) }));
  const best = Math.max(...weighted.map(({ weight }) => weight));
  return best > 0 ? (weighted.find(({ weight }) => weight === best)?.type ?? null) : null;
}

interface Range {
  readonly type: string;
  readonly weight: number;
}

function parseRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((one) => one.startsWith('q='))?.slice(2);
  const weight = quality === undefined ? 1 : Number(quality);
  return { type, weight: Number.isFinite(weight) ? weight : 0 };
}

function weightOf(type: Accepted, ranges: readonly Range[]): number {
  const candidates = [type, `${type.split('/')[0] ?? ''}/*`, '*/*'];
  for (const candidate of candidates) {
    const range = ranges.find((one) => one.type === candidate);
    if (range !== undefined) return range.weight;
  }
  return 0;
}

/** Whether what the client has is still the same, by weak comparison (RFC 9110, 13.1.2). */
export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  return (
    ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => opaque(tag) === opaque(etag))
  );
}
