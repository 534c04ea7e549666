import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import { createLogUpdate } from 'log-update';
import pc from 'picocolors';
import { caseName } from '../../model/case.ts';
import type { Job } from '../../model/plan.ts';
import type { CellCounts, DeviceCells } from '../../model/run.ts';
import type { Trial } from '../../model/trial.ts';
import type { RunListener } from '../listener.ts';
import { plain } from './plain-text.ts';
import { Rest } from './rest.ts';
import { formatDuration, type TimeLeft } from './time-left.ts';
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
  const rest = new Rest(now);
  const told = new Set<string>(); // Devices of which it was said why their trials are skipped.
  /** One on each machine, the newest last. */
  const running = new Map<number, Job>();
  const waits = waitPrinter(screen, live);
  const showStatus = (): void => {
    if (!live || running.size === 0) return;
    const left = rest.leftMs() !== null ? `  ${pc.dim(rest.describe())}` : '';
    const lines = [`${position(rest.timeLeft)} ${runningText(running)}${left}`, ...rest.lines];
    screen.status(lines.join('\n'));
  };
  return {
    onRunStarted({ run, plan, mayEndEarly = false, lately }) {
      // One listener may see several runs, one after the other.
      rest.begin(plan, { mayEndEarly, lately });
      told.clear();
      running.clear();
      screen.line(runLine(run, rest.timeLeft.planned, plan));
    },
    onTrialStarted({ job }) {
      running.set(job.ordinal, job);
      showStatus();
    },
    ...troublePrinter(screen),
    onWaiting: waits.tell,
    ...repeatPrinter(screen, rest),
    onTrialEnded({ trial }) {
      const isOfMissing = rest.timeLeft.missing.has(trial.job.deviceId);
      running.delete(trial.job.ordinal);
      waits.over(trial.job.deviceId);
      rest.note(trial);
      showStatus();
      if (live && trial.outcome.kind === 'completed') return;
      if (trial.outcome.kind === 'skipped' && !isNew(trial.job.deviceId, told)) return;
      const left = live || isOfMissing ? '' : `  (${rest.describe()})`;
      const at = isOfMissing ? '' : `${position(rest.timeLeft)} `;
      screen.line(`${at}${trialLine(trial)}${left}`);
    },
    onWindowChosen({ firstMs, thenMs }) {
      rest.lengthen(thenMs - firstMs);
      screen.line(windowLine(firstMs, thenMs));
    },
    onLook(look) {
      rest.take(look);
      if (live) return;
      rest.lines.forEach(screen.line);
    },
    onRunEnded(event) {
      screen.done();
      for (const line of endLines(event, { ...screen, quarantined: rest.quarantined }))
        screen.line(line);
    },
  };
}

/** Says that trials are measured again. */
function repeatPrinter(
  screen: ProgressScreen,
  rest: Rest,
): Pick<RunListener, 'onTrialQuarantined' | 'onSpareBlock'> {
  return {
    onTrialQuarantined({ trial, reasons, repeat }) {
      rest.noteQuarantined(repeat);
      if (repeat === null) return;
      screen.line(onceMoreLine(trial.job, reasons));
    },
    onSpareBlock({ jobs }) {
      rest.add(jobs);
      screen.line(pc.yellow('one more block, in place of trials that were disturbed'));
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

function windowLine(firstMs: number, thenMs: number): string {
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

function position({ ended, planned }: TimeLeft): string {
  const width = String(planned).length;
  return pc.dim(`[${String(ended).padStart(width)}/${String(planned)}]`);
}

function runLine(
  run: number,
  planned: number,
  plan: { readonly seed: number; readonly isolation: string; readonly blocks: number },
): string {
  return `run ${String(run)}: ${String(planned)} trials in ${String(plan.blocks)} blocks, isolation ${plan.isolation}, seed ${String(plan.seed)}`;
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
  return pc.yellow(`\n${many}: something else used the machine (${npxCrossfarm} doctor)`);
}

type RunEnd = Parameters<NonNullable<RunListener['onRunEnded']>>[0];

/** Of one device the first line has said everything. */
function endLines(
  { run, cells, devices, interrupted }: RunEnd,
  { quarantined, columns }: Pick<ProgressScreen, 'columns'> & { readonly quarantined: number },
): readonly string[] {
  const total = endLine(run, cells, interrupted) + quarantineLine(quarantined);
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

type Ending = Exclude<keyof CellCounts, 'planned'>;
type Paint = (text: string) => string;

const endings: readonly (readonly [Ending, string, Paint])[] = [
  ['completed', 'completed', pc.green],
  ['failed', 'failed', pc.red],
  ['timedOut', 'timed out', pc.red],
  ['skipped', 'skipped', pc.yellow],
];

/** `12 completed, 1 failed`: zero counts are left out, except for completed trials. */
function outcomeWords(cells: CellCounts): string {
  const happened = endings.filter(([ending]) => ending === 'completed' || cells[ending] > 0);
  const words = happened.map(([ending, name, paint]) => paint(`${String(cells[ending])} ${name}`));
  return words.join(', ');
}

/**
 * How the cells of each device ended: a table, or one line for each device where the table would be
 * wider than the terminal.
 */
function outcomeTable(devices: readonly DeviceCells[], columns = Infinity): readonly string[] {
  const lines = makeTable(devices);
  const widest = Math.max(...lines.map((line) => stripVTControlCharacters(line).length));
  if (widest <= columns) return lines;
  return devices.map(({ deviceId, driver, cells }) => {
    return `${deviceId} by ${driver}: ${outcomeWords(cells)}`;
  });
}

/** A way of ending that nowhere came about has no column. */
function makeTable(devices: readonly DeviceCells[]): readonly string[] {
  const shown = endings.filter(
    ([ending]) => ending === 'completed' || devices.some(({ cells }) => cells[ending] > 0),
  );
  const table = new Table({
    head: ['device', 'driver', 'browser', ...shown.map(([, name]) => name)],
    colAligns: ['left', 'left', 'left', ...shown.map(() => 'right' as const)],
    style: { head: [], border: [], compact: true },
  });
  for (const { deviceId, driver, browser, cells } of devices) {
    const counts = shown.map(([ending, , paint]) => paintMany(cells[ending], paint));
    table.push([deviceId, driver, browser ?? pc.yellow('missing'), ...counts]);
  }
  return table.toString().split('\n');
}

function paintMany(count: number, paint: Paint): string {
  return count === 0 ? pc.dim('0') : paint(String(count));
}
