import type { MeasuringCaller } from '../app/caller.ts';
import { joinListeners } from '../app/follow.ts';
import type { SetUpResult } from '../app/devices/setup.ts';
import type { WrittenReport } from '../app/report/report.ts';
import type { RunResult } from '../app/run/execute-plan.ts';
import { type ExitCode, exitCodes } from '../errors.ts';
import type { RunListener } from '../run/listener.ts';
import { guardListener } from '../run/progress/guard.ts';
import { jsonLines } from '../run/progress/json-lines.ts';
import { openScreen, terminalProgress } from '../run/progress/terminal.ts';
import { makeCaller, type Io, note, print } from './io.ts';
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

/** Prints how to see a run, or how to finish it. @returns the exit code. */
export function concludeRun(
  { run, cells, interrupted }: Pick<RunResult, 'run' | 'cells' | 'interrupted'>,
  { json, resumable = false }: { readonly json: boolean; readonly resumable?: boolean },
  io: Io,
): ExitCode {
  if (!json) {
    print(io, `see it: ${npxCrossfarm} report ${String(run)}`);
    if (interrupted && resumable) print(io, `go on: ${npxCrossfarm} continue ${String(run)}`);
  }
  if (interrupted) return exitCodes.unfinished;
  return cells.failed + cells.timedOut > 0 ? exitCodes.refuted : exitCodes.fine;
}

/** Prints what is still missing after a setup. @returns the exit code. */
export function concludeSetUp(
  { browserRemedies, notInstalled, withoutAppium }: SetUpResult,
  io: Io,
): ExitCode {
  if (browserRemedies.length > 0) {
    note(io, 'No browser is here. To get one, type one of:');
    for (const remedy of browserRemedies) note(io, `  ${remedy}`);
  }
  if (notInstalled.length > 0) note(io, `Could not be installed: ${notInstalled.join(', ')}.`);
  if (withoutAppium.length > 0) note(io, `Appium is not whole for: ${withoutAppium.join(', ')}.`);
  const missing = [...browserRemedies, ...notInstalled, ...withoutAppium];
  return missing.length === 0 ? exitCodes.fine : exitCodes.unfinished;
}

/** Says where the report of which runs was written. */
export function reportSentence({ path, bytes, runs }: WrittenReport): string {
  const what = `${runs.length === 1 ? 'run' : 'runs'} ${runs.join(', ')}`;
  return `report of ${what}: ${path} (${String(Math.ceil(bytes / 1000))} kB)`;
}
