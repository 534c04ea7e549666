import type { Findings, NightFacts, Trends } from '../../harness/results/index.ts';
import { plural } from '../html/number.ts';

/**
 * The finding of a night in one sentence: reasons against it first, then confirmed, new or
 * suspected changes.
 */
export function nightHeadline({ night, trends }: Findings): string | null {
  if (night === undefined) return null;
  return invalidating(night) ?? changed(night) ?? suspected(night, trends);
}

function invalidating({ unfit = [], ledger }: NightFacts): string | null {
  if (unfit.length > 0) return 'The machine was not fit: little of this night counts';
  const lost = ledger?.withoutOutcome ?? 0;
  return lost > 0 ? `${plural(lost, 'planned cell has', 'planned cells have')} no outcome` : null;
}

function changed({ history, changes }: NightFacts): string | null {
  const [confirmed, ...others] = history?.anomalies ?? [];
  if (confirmed !== undefined) return `Confirmed: ${confirmed}${andMore(others)}`;
  const [first, ...rest] = changes ?? [];
  return first === undefined ? null : `${first}${andMore(rest)}`;
}

function suspected({ changes }: NightFacts, trends: Trends | undefined): string {
  const suspects = suspectsIn(trends);
  if (suspects > 0) {
    return `Nothing is confirmed; ${plural(suspects, 'series is', 'series are')} suspected`;
  }
  return changes === null ? 'The first night: there is none to compare it with' : 'Nothing changed';
}

function suspectsIn(trends: Trends | undefined): number {
  return (trends?.trends ?? []).filter(({ changes }) => changes.at(-1)?.state === 'suspect').length;
}

function andMore(others: readonly unknown[]): string {
  return others.length === 0 ? '' : `, and ${String(others.length)} more`;
}
