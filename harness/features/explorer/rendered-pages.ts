import { describeTrial } from '../../analysis/trial-facts.ts';
import { farmVersion } from '../../project.ts';
import type { RenderedPage } from '../../server/api/sources.ts';
import type { Store } from '../../store/store.ts';
import { renderRuns } from '../../app/report/report.ts';

/**
 * The report of stored runs next to each other, as `farm report` writes it. Errors: those of that.
 */
export async function renderReport(
  runs: readonly number[],
  database: string,
): Promise<RenderedPage> {
  const { html } = await renderRuns(runs, { database });
  return withPolicy(html);
}

/** A trial with its series, cores, threads and surroundings; null when the trial is unknown. */
export async function renderTrialPage(trial: number, store: Store): Promise<RenderedPage | null> {
  const record = await store.readTrial(trial);
  const facts =
    record &&
    describeTrial(record, {
      trial,
      writtenAt: new Date().toISOString(),
      farmVersion: farmVersion(),
      links: [
        { text: 'All runs', href: '/' },
        { text: `Run ${String(record.run.id)}`, href: `/runs/${String(record.run.id)}` },
      ],
    });
  if (facts === null) return null;
  const { renderTrial } = await import('../../../reports/trial.ts');
  const ofCase = {
    text: 'Its case over time',
    href: `/cases/${encodeURIComponent(facts.caseName)}`,
  };
  const html = await renderTrial({ ...facts, links: [...facts.links, ofCase] });
  return withPolicy(html);
}

/** Reports are loaded when the first one is rendered. */
async function withPolicy(html: string): Promise<RenderedPage> {
  const { policyOf } = await import('../../../reports/html/page.ts');
  return { html, policy: policyOf(html) };
}
