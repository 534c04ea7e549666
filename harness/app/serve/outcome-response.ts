import { placedPairs, verdictOf } from '../../../reports/wording/difference.ts';
import { headline } from '../../../reports/wording/headline.ts';
import { legendOf } from '../../../reports/wording/legend.ts';
import { describeRun } from '../../analysis/findings.ts';
import type { RunRecord } from '../../model/run.ts';
import type { OutcomeResponse } from '../../server/api/home-response.ts';

/** What a run found, as a list shows it: the title of its report, and how its verdicts fell. */
export function outcomeResponse(record: RunRecord): OutcomeResponse {
  // Of the page's head, which a list has not.
  const findings = describeRun(record, { writtenAt: '', farmVersion: '' });
  const verdicts = placedPairs(findings).map(({ pair }) => verdictOf(pair));
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
