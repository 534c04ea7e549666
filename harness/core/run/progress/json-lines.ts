import { caseName } from '../../model/case.ts';
import type { Job } from '../../model/plan.ts';
import type { Outcome } from '../../model/trial.ts';
import type { RunListener } from '../listener.ts';
import { RestOfRun } from './rest.ts';

export type LineWriter = (line: string) => void;

/** One JSON object a line; the last is `run-finished`. Names are a contract with other tools. */
export function jsonLines(write: LineWriter): RunListener {
  const emit = (value: object): void => {
    write(JSON.stringify(value));
  };
  const rest = new RestOfRun();
  return {
    onRunStarted(start) {
      const { run, plan } = start;
      rest.onRunStarted(start);
      const targets = plan.presences.map((presence) => ({
        id: presence.device.id,
        status: presence.status,
      }));
      const { seed, isolation, blocks } = plan;
      emit({
        type: 'run-started',
        run,
        seed,
        isolation,
        blocks,
        planned: plan.jobs.filter(({ block }) => block < blocks).length,
        targets,
      });
    },
    ...troubleLines(emit, rest),
    onTrialStarted({ job }) {
      emit({ type: 'trial-started', ...describeCell(job) });
    },
    onTrialEnded({ trial }) {
      const { job, outcome, wallMs } = trial;
      rest.onTrialEnded({ trial });
      emit({
        type: 'trial-ended',
        ...describeCell(job),
        outcome: outcome.kind,
        ...why(outcome),
        wallMs,
      });
    },
    onWindowChosen({ firstMs, thenMs }) {
      rest.onWindowChosen({ firstMs, thenMs });
      emit({ type: 'window-chosen', firstMs, thenMs });
    },
    onLook(look) {
      rest.onLook(look);
      const { lines, blocks, found } = look;
      const leftMs = rest.leftMs();
      const rounded = leftMs === null ? null : Math.round(leftMs);
      emit({ type: 'look', lines, blocks, leftMs: rounded, ...found });
    },
    onRunEnded({ run, cells, devices, interrupted, report }) {
      const byDevice = devices.map(({ deviceId: device, ...one }) => ({ device, ...one }));
      emit({ type: 'run-finished', run, cells, interrupted, devices: byDevice, report });
    },
  };
}

function troubleLines(emit: (value: object) => void, rest: RestOfRun): RunListener {
  return {
    onAttemptFailed({ job, attempt }) {
      emit({
        type: 'attempt-failed',
        ...describeCell(job),
        attempt: attempt.number,
        ...attempt.failure,
      });
    },
    onWaiting({ deviceId, why: reason, leftMs }) {
      emit({ type: 'waiting', device: deviceId, reason, leftMs: Math.round(leftMs) });
    },
    onTrialQuarantined({ trial, reasons, repeat }) {
      rest.onTrialQuarantined({ repeat });
      const { job } = trial;
      emit({
        type: 'quarantined-trial',
        ...describeCell(job),
        reasons,
        repeat: repeat?.ordinal ?? null,
      });
    },
    onQuarantined({ deviceId, reason }) {
      emit({ type: 'quarantined', device: deviceId, reason });
    },
    onLeftover({ what }) {
      emit({ type: 'leftover', what });
    },
  };
}

function describeCell(job: Job): object {
  const repeats = job.repeats === undefined ? {} : { repeats: job.repeats };
  return {
    cell: job.ordinal,
    block: job.block,
    device: job.deviceId,
    case: caseName(job.case),
    ...repeats,
  };
}

function why(outcome: Outcome): object {
  switch (outcome.kind) {
    case 'completed':
      return {};
    case 'skipped':
      return { reason: outcome.reason };
    case 'failed':
    case 'timed-out':
      return { code: outcome.failure.code, message: outcome.failure.message };
  }
}
