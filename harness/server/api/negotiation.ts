import fresh from 'fresh';
import Negotiator from 'negotiator';

/** Types of answers that there are. */
export type AnswerType = 'application/json' | 'text/csv';

/**
 * The best of what is offered by the `Accept` header (RFC 9110, 12.5.1); null when none will do. Of
 * equal weights the one that the client names first wins, or the first offered when it names none.
 */
export function chooseType(
  accept: string | undefined,
  offered: readonly AnswerType[],
): AnswerType | null {
  const headers = { accept: accept?.trim() || '*/*' };
  const [best] = new Negotiator({ headers }).mediaTypes([...offered]);
  return offered.find((type) => type === best) ?? null;
}

/** True if the client's copy is still the same, by weak comparison (RFC 9110, 13.1.2). */
export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  return fresh({ 'if-none-match': ifNoneMatch }, { etag });
}
