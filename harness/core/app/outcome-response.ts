import type { Findings } from '../results/index.ts';
import type { RunOutcome } from '../results/stored.ts';
import { placedPairs, findVerdict } from '../../../reports/wording/difference.ts';
import { headline } from '../../../reports/wording/headline.ts';
import { makeLegend } from '../../../reports/wording/legend.ts';
import { askedFindings } from './extensions.ts';
import { describeRun } from '../analysis/findings.ts';
import type { RunRecord } from '../model/run.ts';

/**
 * The results of a run, as a list shows them: the title of its report, and the counts of its
 * verdicts. A run that answers a question has the answer, and counts no verdicts.
 */
export async function outcomeResponse(record: RunRecord): Promise<RunOutcome> {
  // Of the page's head, which a list has not.
  const described = describeRun(record, { writtenAt: '', farmVersion: '' });
  if (record.question !== undefined) {
    return outcomeOf(record, { ...described, ...(await askedFindings(record)) }, []);
  }
  const verdicts = placedPairs(described).map(({ pair }) => findVerdict(pair));
  return outcomeOf(record, described, verdicts);
}

function outcomeOf(record: RunRecord, findings: Findings, verdicts: readonly string[]): RunOutcome {
  const count = (wanted: string): number => verdicts.filter((one) => one === wanted).length;
  return {
    run: record.run.id,
    headline: headline(findings, makeLegend(findings.targets)),
    faster: count('faster'),
    slower: count('slower'),
    equivalent: count('equivalent'),
    undecided: count('undecided'),
  };
}
