import pc from 'picocolors';
import { caseName } from '../model/case.ts';
import type { Job } from '../model/plan.ts';
import type { CellCounts } from '../model/run.ts';
import type { Trial } from '../model/trial.ts';
import type { RunListener } from '../runner/listener.ts';
import { formatDuration, TimeLeft } from './time-left.ts';

/** Where progress goes: lines stay; the status line, where there is one, is written over. */
export interface ProgressScreen {
  line(text: string): void;
  status(text: string): void;
  done(): void;
}

/**
 * Progress for a person. On a terminal one status line is kept up to date; elsewhere every trial
 * is a plain line. Troubles are lines on both.
 */
export function terminalProgress(screen: ProgressScreen, live: boolean): RunListener {
  let timeLeft = new TimeLeft({ jobs: [], presences: [] });
  let planned = 0;
  let ended = 0;
  let quarantined = 0;
  const skippedDevices = new Set<string>();
  /** One on each machine, the newest last. */
  const running = new Map<number, Job>();
  const waits = waitTeller(screen, live);
  const showStatus = (): void => {
    if (!live || running.size === 0) return;
    const left = ended === 0 ? '' : `  ${pc.dim(`${formatDuration(timeLeft.estimate())} left`)}`;
    screen.status(`${position(ended, planned)} ${runningText(running)}${left}`);
  };
  return {
    onRunStarted({ run, plan }) {
      timeLeft = new TimeLeft(plan);
      planned = plan.jobs.length;
      screen.line(runLine(run, planned, plan));
    },
    onTrialStarted({ job }) {
      running.set(job.ordinal, job);
      showStatus();
    },
    onAttemptFailed({ job, attempt }) {
      const what = `${job.deviceId}, ${caseName(job.case)}`;
      screen.line(pc.yellow(`again: ${what}: ${plain(attempt.failure.message)}`));
    },
    onWaiting: waits.tell,
    onTrialQuarantined({ trial, reasons, repeat }) {
      quarantined += 1;
      // Without a repeat there is nothing to wait for: the end says how many.
      if (repeat === null) return;
      planned += 1;
      timeLeft.add(repeat);
      const what = `${trial.job.deviceId}, ${reasons.join(', ')}`;
      screen.line(pc.yellow(`quarantined: ${what}; once more`));
    },
    onQuarantined({ deviceId, reason }) {
      screen.line(pc.red(`${deviceId}: ${plain(reason)}`));
    },
    onTrialEnded({ trial }) {
      ended += 1;
      running.delete(trial.job.ordinal);
      waits.over(trial.job.deviceId);
      timeLeft.note(trial.job.deviceId, trial.wallMs);
      showStatus();
      if (live && trial.outcome.kind === 'completed') return;
      if (trial.outcome.kind === 'skipped' && !isNew(trial.job.deviceId, skippedDevices)) return;
      const left = `${formatDuration(timeLeft.estimate())} left`;
      screen.line(`${position(ended, planned)} ${trialLine(trial)}${live ? '' : `  (${left})`}`);
    },
    onLeftover({ what }) {
      screen.line(pc.yellow(plain(what)));
    },
    onRunEnded({ run, cells, interrupted }) {
      screen.done();
      screen.line(endLine(run, cells, interrupted) + quarantineLine(quarantined));
    },
  };
}

interface WaitTeller {
  readonly tell: NonNullable<RunListener['onWaiting']>;
  readonly over: (deviceId: string) => void;
}

/** Tells that a device is waited for: on a terminal at every look, elsewhere in one line a wait. */
function waitTeller(screen: ProgressScreen, live: boolean): WaitTeller {
  const told = new Set<string>();
  return {
    tell: ({ deviceId, why, leftMs }) => {
      const text = `${deviceId} is waited for: ${plain(why)}; ${formatDuration(leftMs)} more at most`;
      if (live) screen.status(text);
      else if (!told.has(deviceId)) screen.line(pc.yellow(text));
      told.add(deviceId);
    },
    over: (deviceId) => {
      told.delete(deviceId);
    },
  };
}

function runningText(running: ReadonlyMap<number, Job>): string {
  const texts = Array.from(running.values(), (job) => `${job.deviceId}  ${caseName(job.case)}`);
  return texts.join(' · ');
}

/** A missing device skips every one of its cells for one reason: once is enough. */
function isNew(deviceId: string, known: Set<string>): boolean {
  const before = known.size;
  return known.add(deviceId).size > before;
}

function position(ended: number, planned: number): string {
  const width = String(planned).length;
  return pc.dim(`[${String(ended).padStart(width)}/${String(planned)}]`);
}

function runLine(
  run: number,
  planned: number,
  plan: { readonly seed: number; readonly isolation: string; readonly blocks: number },
): string {
  return `run ${String(run)}: ${String(planned)} cells in ${String(plan.blocks)} blocks, isolation ${plan.isolation}, seed ${String(plan.seed)}`;
}

function trialLine({ job, outcome, wallMs }: Trial): string {
  const what = `${job.deviceId}  ${caseName(job.case)}`;
  switch (outcome.kind) {
    case 'completed':
      return `${what}  ${pc.green('completed')} in ${formatDuration(wallMs)}`;
    case 'skipped':
      return `${job.deviceId}  ${pc.dim('skipped')}: ${plain(outcome.reason)}`;
    case 'failed':
    case 'timed-out':
      return `${what}  ${pc.red(outcome.kind)}: ${plain(outcome.failure.message)}`;
  }
}

function quarantineLine(count: number): string {
  if (count === 0) return '';
  const many = `${String(count)} ${count === 1 ? 'trial was' : 'trials were'} quarantined`;
  return pc.yellow(`\n${many}: something else used the machine (npx farm doctor)`);
}

function endLine(run: number, cells: CellCounts, interrupted: boolean): string {
  const parts = [
    pc.green(`${String(cells.completed)} completed`),
    cells.failed > 0 ? pc.red(`${String(cells.failed)} failed`) : '',
    cells.timedOut > 0 ? pc.red(`${String(cells.timedOut)} timed out`) : '',
    cells.skipped > 0 ? pc.yellow(`${String(cells.skipped)} skipped`) : '',
  ].filter((part) => part !== '');
  const verb = interrupted ? 'interrupted' : 'finished';
  return `run ${String(run)} ${verb}: ${parts.join(', ')} of ${String(cells.planned)} planned`;
}

/** What a page said may carry terminal escapes: control characters become spaces. */
export function plain(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ');
}
