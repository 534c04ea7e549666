import type { HistoryFacts, LaneFacts, NightFacts } from '../../reports/findings.ts';
import type { NightAnalysis } from './analyse-night.ts';
import type { AaLane, NightDocument } from './night-document.ts';

/** What the report of a night's run says beside the run: the same that `night.json` has. */
export function nightFacts({ aa, analysis }: NightDocument): NightFacts {
  return {
    lane: aa === null ? null : laneFacts(aa),
    history: analysis === null ? null : historyFacts(analysis),
  };
}

function laneFacts({ target, results, history }: AaLane): LaneFacts {
  const { nights, comparisons, alarms, rate, smallest } = history;
  return {
    ...{ targetId: target, nights, comparisons, alarms, rate },
    cases: results.map(({ case: caseName, metric, blocks, smallestVisible, alarm }) => {
      const usual = smallest.find(
        (one) => one.device === target && one.case === caseName && one.metric === metric,
      );
      return {
        ...{ caseName, metric, blocks, smallestVisible, alarm },
        usually: usual?.smallestVisible ?? null,
        nights: usual?.nights ?? 1,
      };
    }),
  };
}

function historyFacts({ series, anomalies, gone, unconfirmed }: NightAnalysis): HistoryFacts {
  return {
    series,
    anomalies: anomalies.map(({ id, title }) => `${id}: ${title}`),
    gone: gone.map(({ id, title }) => `${id}: ${title}`),
    unconfirmed: unconfirmed.map(({ title, reason }) => `${title}: ${reason}`),
  };
}
