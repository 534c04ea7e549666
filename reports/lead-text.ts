/** The sentences of a report's first screen as text, for a terminal and for a script. */
import type { Findings } from './findings.ts';
import { textOf, type TextBlock } from './html/text.ts';
import { differenceList } from './sections/difference-list.ts';
import { legendOf } from './sections/legend.ts';
import { pairSentences, pairWhy } from './sections/pair-outcome.ts';
import { inShort } from './sections/summary.ts';

export type { TextBlock };

/** What was measured, what differs, by how much, how surely, and what was seen with it: the report's own words. */
export function leadText(findings: Findings): Promise<readonly TextBlock[]> {
  const legend = legendOf(findings.targets);
  const pair = pairSentences(findings, legend);
  const found = pair === false ? differenceList(findings, legend) : pair;
  return textOf(inShort(findings, { legend, found }));
}

/** Of a run that compared one pair: what was seen with its difference; empty where there is none. */
export async function whyText(findings: Findings): Promise<readonly TextBlock[]> {
  const why = pairWhy(findings, legendOf(findings.targets));
  return why === false ? [] : textOf(why);
}
