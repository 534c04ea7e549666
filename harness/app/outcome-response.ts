import type { Findings } from '../results/index.ts';
import type { RunOutcome } from '../results/stored.ts';
import { placedPairs, verdictOf } from '../../reports/wording/difference.ts';
import { headline } from '../../reports/wording/headline.ts';
import { legendOf } from '../../reports/wording/legend.ts';
import { describeAsked } from '../analysis/claims/evidence.ts';
import { describeRun } from '../analysis/findings.ts';
import type { RunRecord } from '../model/run.ts';

/**
 * What a run found, as a list shows it: the title of its report, and how its verdicts fell. A run that
 * answers a question has the answer, and counts no verdicts beside it.
 */
export function outcomeResponse(record: RunRecord): RunOutcome {
  const { question } = record;
  // Of the page's head, which a list has not.
  const described = describeRun(record, { writtenAt: '', farmVersion: '' });
  if (question !== undefined) {
    const findings = { ...described, asked: describeAsked(record, question) };
    return outcomeOf(record, findings, []);
  }
  const verdicts = placedPairs(described).map(({ pair }) => verdictOf(pair));
  return outcomeOf(record, described, verdicts);
}

function outcomeOf(record: RunRecord, findings: Findings, verdicts: readonly string[]): RunOutcome {
  const count = (wanted: string): number => verdicts.filter((one) => one === wanted).length;
  return {
    run: record.run.id,
    headline: headline(findings, legendOf(findings.targets)),
    faster: count('faster'),
    slower: count('slower'),
    equivalent: count('equivalent'),
    undecided: count('undecided'),
  };
}
