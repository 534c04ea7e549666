import type { MeasuringCaller } from '../app/caller.ts';
import { joinListeners } from '../app/follow.ts';
import type { SetUpResult } from '../app/devices/setup.ts';
import type { RunResult } from '../app/run/execute-plan.ts';
import { type ExitCode, exitCodes } from '../errors.ts';
import type { RunListener } from '../run/listener.ts';
import { guardListener } from '../run/progress/guard.ts';
import { jsonLines } from '../run/progress/json-lines.ts';
import { openScreen, terminalProgress } from '../run/progress/terminal.ts';
import {
  type EndReport,
  printEndReport,
  reportField,
  type ReportOption,
  writeEndReport,
} from './end-report.ts';
import { makeCaller, type Io, note, print } from './io.ts';
import type { DatabaseOption } from './options.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

/** A caller whose runs are shown as they go on: as JSON lines, or for a person. */
export function watchingCaller(json: boolean, io: Io): MeasuringCaller {
  const printing = json ? eventLines(io) : progress(io);
  return { ...makeCaller(io), listener: joinListeners(printing, io.watcher ?? {}) };
}

/** A caller of a command that prints one JSON document at its end, without progress. */
export function concludingCaller(json: boolean, io: Io): MeasuringCaller {
  return json ? makeCaller(io) : watchingCaller(false, io);
}

/** Progress for a person: a live status on a terminal, otherwise lines. */
function progress(io: Io): RunListener {
  const live = io.stderr.isTTY;
  return guarded(terminalProgress(openScreen(io.stderr, live), live), io);
}

function eventLines(io: Io): RunListener {
  return guarded(
    jsonLines((line) => {
      print(io, line);
    }),
    io,
  );
}

function guarded(listener: RunListener, io: Io): RunListener {
  return guardListener(listener, (sentence) => {
    note(io, sentence);
  });
}

/**
 * Ends a command that measured a run: with its table, its report, and how to finish it. JSON lines end
 * with `run-finished`, which names the report.
 * @returns the exit code.
 */
export async function endRun(
  result: Omit<RunResult, 'trials'>,
  asked: AskedEnd,
  shown: { readonly io: Io; readonly held: HeldEnd },
): Promise<ExitCode> {
  return (await endWithReport(result, asked, shown)).code;
}

type AskedEnd = ReportOption &
  DatabaseOption & { readonly json: boolean; readonly resumable?: boolean };

interface EndedRun extends Pick<EndReport, 'written'> {
  readonly code: ExitCode;
  /** Null where no trial completed. */
  readonly findings: EndReport['findings'] | null;
}

/** `endRun`, for who shows the report. */
export async function endWithReport(
  result: Omit<RunResult, 'trials'>,
  asked: AskedEnd,
  { io, held }: { readonly io: Io; readonly held: HeldEnd },
): Promise<EndedRun> {
  const { run, cells } = result;
  if (cells.completed === 0) {
    held.release({});
    return { code: concludeRun(result, asked, io), written: null, findings: null };
  }
  const { written, findings } = await writeEndReport(run, asked, io);
  held.release(reportField(written));
  if (!asked.json) {
    const { drawOverview } = await import('./text/overview.ts');
    const { readTerminalWidth } = await import('./text/draw-table.ts');
    print(io, await drawOverview(findings, readTerminalWidth(io.stdout)));
    printEndReport(run, written, io);
  }
  const code = concludeRun(result, { ...asked, isReported: true }, io);
  return { code, written, findings };
}

type RunEnd = Parameters<NonNullable<RunListener['onRunEnded']>>[0];

/** The end of a run, which JSON lines tell last. */
export interface HeldEnd {
  readonly caller: MeasuringCaller;
  /** Tells it, with what came about since. */
  readonly release: (more: Pick<RunEnd, 'report'>) => void;
}

/** A watching caller whose JSON lines wait with `run-finished` until the report is written. */
export function holdEnd(json: boolean, io: Io): HeldEnd {
  const caller = watchingCaller(json, io);
  if (!json) return { caller, release: () => undefined };
  let ended: RunEnd | null = null;
  const { listener = {} } = caller;
  const holding = joinListeners(
    { ...listener, onRunEnded: () => undefined },
    {
      onRunEnded: (event) => {
        ended = event;
      },
    },
  );
  const release: HeldEnd['release'] = (more) => {
    if (ended !== null) listener.onRunEnded?.({ ...ended, ...more });
  };
  return { caller: { ...caller, listener: holding }, release };
}

/** Prints how to see a run, or how to finish it. @returns the exit code. */
export function concludeRun(
  { run, cells, interrupted }: Pick<RunResult, 'run' | 'cells' | 'interrupted'>,
  { json, resumable = false, isReported = false }: Concluding,
  io: Io,
): ExitCode {
  if (!json) {
    if (!isReported) print(io, `see it: ${npxCrossfarm} report ${String(run)}`);
    if (interrupted && resumable) print(io, `go on: ${npxCrossfarm} continue ${String(run)}`);
  }
  if (interrupted) return exitCodes.unfinished;
  return cells.failed + cells.timedOut > 0 ? exitCodes.refuted : exitCodes.fine;
}

interface Concluding {
  readonly json: boolean;
  readonly resumable?: boolean;
  /** The place of its report has been printed. */
  readonly isReported?: boolean;
}

/** Prints what is still missing after a setup. @returns the exit code. */
export function concludeSetUp(
  { browserRemedies, notInstalled, withoutAppium }: SetUpResult,
  io: Io,
): ExitCode {
  if (browserRemedies.length > 0) {
    note(io, 'No browser is here. To get one, do one of these:');
    for (const remedy of browserRemedies) note(io, `  ${remedy}`);
  }
  if (notInstalled.length > 0) note(io, `Could not be installed: ${notInstalled.join(', ')}.`);
  if (withoutAppium.length > 0) note(io, `Appium is not whole for: ${withoutAppium.join(', ')}.`);
  const missing = [...browserRemedies, ...notInstalled, ...withoutAppium];
  return missing.length === 0 ? exitCodes.fine : exitCodes.unfinished;
}
