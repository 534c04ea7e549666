import { createLogUpdate } from 'log-update';
import pc from 'picocolors';
import { caseName } from '../../model/case.ts';
import type { Job } from '../../model/plan.ts';
import type { CellCounts } from '../../model/run.ts';
import type { Trial } from '../../model/trial.ts';
import type { LaterWindow, RunListener } from '../listener.ts';
import { outcomeTable, outcomeWords } from './outcome-table.ts';
import { plain } from './plain-text.ts';
import { RestOfRun } from './rest.ts';
import { formatDuration } from './time-left.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

/** Where progress goes: lines stay; the status line, where there is one, is written over. */
interface ProgressScreen {
  /** Its width in characters; a line may be of any length when left out. */
  readonly columns?: number;
  line(text: string): void;
  status(text: string): void;
  done(): void;
}

/**
 * Progress for a person. On a terminal one status line is kept up to date; otherwise every trial
 * is a plain line. Troubles are lines on both.
 */
export function terminalProgress(
  screen: ProgressScreen,
  live: boolean,
  now: () => number = () => performance.now(),
): RunListener {
  const rest = new RestOfRun(now);
  const told = new Set<string>(); // Devices of which it was said why their trials are skipped.
  /** One on each machine, the newest last. */
  const running = new Map<number, Job>();
  const waits = waitPrinter(screen, live);
  const position = (): string => pc.dim(positionText(rest));
  const showStatus = (): void => {
    if (!live || running.size === 0) return;
    const left = rest.isKnown ? `  ${pc.dim(rest.describe())}` : '';
    const lines = [`${position()} ${runningText(running)}${left}`, ...rest.lines.map(plain)];
    screen.status(lines.join('\n'));
  };
  return {
    onRunStarted(start) {
      // One listener may see several runs, one after the other.
      rest.onRunStarted(start);
      told.clear();
      running.clear();
      screen.line(runLine(start, rest.counts.planned));
    },
    onTrialStarted({ job }) {
      running.set(job.ordinal, job);
      showStatus();
    },
    ...troublePrinter(screen),
    onWaiting: waits.tell,
    ...repeatPrinter(screen, rest),
    onTrialEnded({ trial }) {
      const isOfMissing = rest.isOfMissing(trial.job);
      running.delete(trial.job.ordinal);
      waits.over(trial.job.deviceId);
      rest.onTrialEnded({ trial });
      showStatus();
      if (live && trial.outcome.kind === 'completed') return;
      if (trial.outcome.kind === 'skipped' && !isNew(trial.job.deviceId, told)) return;
      const left = live || isOfMissing ? '' : `  (${rest.describe()})`;
      const at = isOfMissing ? '' : `${position()} `;
      screen.line(`${at}${trialLine(trial)}${left}`);
    },
    onWindowChosen(chosen) {
      rest.onWindowChosen(chosen);
      screen.line(windowLine(chosen));
    },
    onLook(look) {
      rest.onLook(look);
      if (live) return;
      look.lines.map(plain).forEach(screen.line);
    },
    onRunEnded(event) {
      screen.done();
      for (const line of endLines(event, { ...screen, excluded: rest.excluded })) screen.line(line);
    },
  };
}

/** Says that trials are measured again. */
function repeatPrinter(
  screen: ProgressScreen,
  rest: RestOfRun,
): Pick<RunListener, 'onTrialQuarantined'> {
  return {
    onTrialQuarantined(event) {
      rest.onTrialQuarantined(event);
      if (event.repeat !== null) screen.line(onceMoreLine(event.trial.job, event.reasons));
    },
  };
}

function troublePrinter(
  screen: ProgressScreen,
): Pick<RunListener, 'onAttemptFailed' | 'onQuarantined' | 'onLeftover'> {
  return {
    onAttemptFailed({ job, attempt }) {
      screen.line(againLine(job, attempt.failure.message));
    },
    onQuarantined({ deviceId, reason }) {
      screen.line(pc.red(`${deviceId}: ${plain(reason)}`));
    },
    onLeftover({ what }) {
      screen.line(pc.yellow(plain(what)));
    },
  };
}

interface WaitPrinter {
  readonly tell: NonNullable<RunListener['onWaiting']>;
  readonly over: (deviceId: string) => void;
}

/** Shows that a device is waited for: on a terminal at every look, else in one line a wait. */
function waitPrinter(screen: ProgressScreen, live: boolean): WaitPrinter {
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

function windowLine({ firstMs, thenMs }: LaterWindow): string {
  const [then, first] = [thenMs, firstMs].map((ms) => String(Math.round(ms / 100) / 10));
  return `each trial is timed for ${then ?? ''} s from here on, not for ${first ?? ''} s: sessions differ less then`;
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

/** `[ 3/12]`; of a run that a rule ends, `[3]`: how many there will be is not known. */
function positionText({ counts, mayEndEarly }: RestOfRun): string {
  const { ended, planned } = counts;
  if (mayEndEarly) return `[${String(ended)}]`;
  return `[${String(ended).padStart(String(planned).length)}/${String(planned)}]`;
}

type RunStart = Parameters<NonNullable<RunListener['onRunStarted']>>[0];

function runLine({ run, plan, mayEndEarly = false }: RunStart, planned: number): string {
  const { isolation, seed, blocks } = plan;
  const perBlock = plan.jobs.filter(({ block }) => block === plan.jobs.at(-1)?.block).length;
  const what = mayEndEarly
    ? `blocks of ${String(perBlock)} trials until it is decided, ${String(blocks)} at most`
    : `${String(planned)} trials in ${String(blocks)} blocks`;
  return `run ${String(run)}: ${what}, isolation ${isolation}, seed ${String(seed)}`;
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

function againLine(job: Job, why: string): string {
  return pc.yellow(`again: ${job.deviceId}, ${caseName(job.case)}: ${plain(why)}`);
}

/** Only with a repeat: without one there is nothing to wait for, and the end says how many. */
function onceMoreLine({ deviceId }: Job, reasons: readonly string[]): string {
  return pc.yellow(`quarantined: ${deviceId}, ${reasons.join(', ')}; once more`);
}

function quarantineLine(count: number): string {
  if (count === 0) return '';
  const many = `${String(count)} ${count === 1 ? 'trial was' : 'trials were'} disturbed`;
  return pc.yellow(`\n${many}: something else used the machine (${npxCrossfarm} devices doctor)`);
}

type RunEnd = Parameters<NonNullable<RunListener['onRunEnded']>>[0];

/** Of one device the first line has said everything. */
function endLines(
  { run, cells, devices, interrupted }: RunEnd,
  { excluded, columns }: Pick<ProgressScreen, 'columns'> & { readonly excluded: number },
): readonly string[] {
  const total = endLine(run, cells, interrupted) + quarantineLine(excluded);
  return devices.length > 1 ? [total, ...outcomeTable(devices, columns)] : [total];
}

function endLine(run: number, cells: CellCounts, interrupted: boolean): string {
  const verb = interrupted ? 'interrupted' : 'finished';
  return `run ${String(run)} ${verb}: ${outcomeWords(cells)} of ${String(cells.planned)} planned`;
}

/** A screen on a stream: with a status line that is written over, or plain lines only. */
export function openScreen(stream: NodeJS.WriteStream, live: boolean): ProgressScreen {
  if (!live) {
    return {
      line: (text) => {
        stream.write(`${text}\n`);
      },
      status: () => undefined,
      done: () => undefined,
    };
  }
  const update = createLogUpdate(stream);
  return {
    columns: stream.columns,
    line(text) {
      update.clear();
      stream.write(`${text}\n`);
    },
    status: (text) => {
      update(text);
    },
    done: () => {
      update.clear();
    },
  };
}
