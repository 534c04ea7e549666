import type { QuarantinedTrials, Trouble } from '../../reports/findings.ts';
import { caseName } from '../model/case.ts';
import { isQuarantined, type Trial } from '../model/trial.ts';
import { groupBy } from './grouping.ts';

/**
 * Trials that did not complete, equal ones counted together. A device that is missing fails every
 * case for one reason, so its skips are one entry.
 */
export function makeTroubles(trials: readonly Trial[]): readonly Trouble[] {
  const grouped = groupBy(trials.flatMap(troubleOf), (one) =>
    [one.kind, one.targetId, one.caseName, one.code, one.message].join('\n'),
  );
  return [...grouped.values()].flatMap((group) =>
    group[0] === undefined ? [] : [{ ...group[0], trials: group.length }],
  );
}

/** Trials that are set aside, those of one case on one target together. */
export function makeQuarantined(trials: readonly Trial[]): readonly QuarantinedTrials[] {
  const grouped = groupBy(trials.filter(isQuarantined), ({ job }) =>
    [job.deviceId, caseName(job.case)].join('\n'),
  );
  return [...grouped.values()].flatMap((group) => {
    const [first] = group;
    if (first?.outcome.kind !== 'completed') return [];
    const { deviceId: targetId, case: one } = first.job;
    const why = first.outcome.quarantine.join('; ');
    return [{ targetId, caseName: caseName(one), trials: group.length, why }];
  });
}

function troubleOf({ job, outcome }: Trial): readonly Trouble[] {
  const targetId = job.deviceId;
  switch (outcome.kind) {
    case 'completed':
      return [];
    case 'skipped':
      return [
        {
          kind: 'skipped',
          targetId,
          caseName: 'all cases',
          trials: 1,
          code: 'skipped',
          message: outcome.reason,
          remedy: outcome.remedy,
        },
      ];
    case 'failed':
    case 'timed-out':
      return [
        {
          kind: outcome.kind,
          targetId,
          caseName: caseName(job.case),
          trials: 1,
          ...outcome.failure,
          remedy: '',
        },
      ];
  }
}
