import type { Findings } from '../../reports/findings.ts';
import { claims } from '../analysis/claims/catalogue/index.ts';
import { studies } from '../analysis/claims/studies/study.ts';
import { rebuildTables } from '../analysis/claims/studies/rebuild.ts';
import type { RunRecord } from '../model/run.ts';
import { openStore } from '../store/store.ts';
import { readClaimAnswer } from './claim-answer.ts';

/** The published tables that a run has numbers for, and what this farm says of the claims about them. */
export async function rebuildStudies(
  record: RunRecord,
  database: string,
): Promise<Pick<Findings, 'rebuilt' | 'claims'>> {
  const rebuilt = rebuildTables(record, studies);
  if (rebuilt.length === 0) return { rebuilt };
  const sections = new Set(rebuilt.map(({ section }) => section.charAt(0)));
  const store = await openStore(database);
  try {
    const answers = [];
    for (const claim of claims.filter(({ id }) => sections.has(id.charAt(0)))) {
      answers.push(await readClaimAnswer(claim, store));
    }
    return { rebuilt, claims: answers };
  } finally {
    await store.close();
  }
}
