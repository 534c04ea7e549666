import type { MeasuringCaller } from '../app/caller.ts';
import type { RunResult } from '../app/run/execute-plan.ts';
import { type ExitCode, exitCodes } from '../errors.ts';
import type { RunListener } from '../run/listener.ts';
import { guardListener } from '../run/progress/guard.ts';
import { jsonLines } from '../run/progress/json-lines.ts';
import { openScreen, terminalProgress } from '../run/progress/terminal.ts';
import { callerOf, type Io, note, print } from './io.ts';

/** A caller whose runs are shown as they go on: as JSON lines, or for a person. */
export function watchingCaller(json: boolean, io: Io): MeasuringCaller {
  return { ...callerOf(io), listener: json ? eventLines(io) : progress(io) };
}

/** A caller of a command that prints one JSON document at its end: no progress beside it. */
export function concludingCaller(json: boolean, io: Io): MeasuringCaller {
  return json ? callerOf(io) : watchingCaller(false, io);
}

/** Progress for a person: a live status on a terminal, lines elsewhere. */
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

/** Tells a person where to see a run, or how to finish it, and takes the exit code. */
export function concludeRun(
  { run, cells, interrupted }: Pick<RunResult, 'run' | 'cells' | 'interrupted'>,
  { json, resumable = false }: { readonly json: boolean; readonly resumable?: boolean },
  io: Io,
): ExitCode {
  if (!json) {
    print(io, `see it: npx farm report ${String(run)}`);
    if (interrupted && resumable) print(io, `go on: npx farm resume ${String(run)}`);
  }
  if (interrupted) return exitCodes.unfinished;
  return cells.failed + cells.timedOut > 0 ? exitCodes.refuted : exitCodes.fine;
}
