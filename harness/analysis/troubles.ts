import type { Trouble } from '../../reports/findings.ts';
import { caseName } from '../model/case.ts';
import type { Trial } from '../model/trial.ts';
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
