import type { FindingsReading } from '../../core/app/extensions.ts';
import { withStore } from '../../core/app/records.ts';
import type { RunRecord } from '../../core/model/run.ts';
import type { Findings } from '../../core/results/index.ts';
import { claims } from './catalogue/index.ts';
import { readClaimAnswer } from './claim-answer.ts';
import { describeAsked } from './judging/evidence.ts';
import { fittingClaims } from './judging/fitting.ts';
import { rebuildCharts } from './studies/charts.ts';
import { rebuildTables, type Study } from './studies/rebuild.ts';
import { recursionStudies } from './studies/recursion.ts';
import { runtimeStudies } from './studies/runtimes.ts';
import { threadStudies } from './studies/threads.ts';

/** Adds the answer to a run's question, claims about what it compares, and the published tables and charts that it has numbers for. */
export async function addFindings(reading: FindingsReading): Promise<Partial<Findings>> {
  const { record, database, isPart, findings } = reading;
  const [{ verdicts }, rebuilt] = await Promise.all([findings, rebuildStudies(record, database)]);
  const fitting = fittingClaims(claims, record, verdicts.pairs);
  const { question } = record;
  return {
    ...(fitting.length > 0 && { fitting }),
    // Of a part no question is answered.
    ...(question !== undefined && !isPart && { asked: describeAsked(record, question) }),
    ...rebuilt,
  };
}

async function rebuildStudies(
  record: RunRecord,
  database: string,
): Promise<Pick<Findings, 'rebuilt' | 'rebuiltCharts' | 'claims'>> {
  const rebuilt = rebuildTables(record, studies);
  if (rebuilt.length === 0) return { rebuilt };
  const rebuiltCharts = rebuildCharts(record);
  const sections = new Set(rebuilt.map(({ section }) => section.charAt(0)));
  return withStore(database, async (store) => {
    const answers = [];
    for (const claim of claims.filter(({ id }) => sections.has(id.charAt(0)))) {
      answers.push(await readClaimAnswer(claim, store));
    }
    return { rebuilt, rebuiltCharts, claims: answers };
  });
}

/** The published studies whose tables the farm rebuilds, in the order of the claims. */
export const studies: readonly Study[] = [...recursionStudies, ...runtimeStudies, ...threadStudies];
