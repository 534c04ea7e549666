import { appendFile } from 'node:fs/promises';
import type { VersionsComparison, VersionsOptions } from '../app/versions/compare-versions.ts';
import { lostMeasures, shownChange } from '../app/versions/expectations.ts';
import { type ExitCode, exitCodes, FarmError } from '../errors.ts';
import { type Io, note, print, printJson } from './io.ts';
import { concludingCaller } from './run-output.ts';
import { columnsOf } from './text/draw-table.ts';
import type { FailOn } from './versions-options.ts';

interface Output {
  readonly json: boolean;
  readonly markdown: boolean;
  readonly failOn?: FailOn;
}

/** Compares versions of a page, and prints the table in the form that was asked for. */
export async function compareVersionsHere(
  names: readonly string[],
  { json, markdown, failOn, ...options }: VersionsOptions & Output,
  io: Io,
): Promise<ExitCode> {
  if (names.length < 2) {
    throw new FarmError('bad-argument', {
      what: `${names[0] ?? 'A page'} has nothing to be compared with.`,
      next: 'Give at least two versions: farm compare old.html new.html',
    });
  }
  const { compareVersions } = await import('../app/versions/compare-versions.ts');
  const { describeVersions, versionsJson, versionsMarkdown } =
    await import('./text/versions-text.ts');
  const compared = await compareVersions(names, options, concludingCaller(json || markdown, io));
  if (json) printJson(io, versionsJson(compared));
  else if (markdown) print(io, versionsMarkdown(compared));
  else print(io, await describeVersions(compared, columnsOf(io.stdout)));
  const summary = process.env['GITHUB_STEP_SUMMARY'];
  if (summary !== undefined && summary !== '') {
    await appendFile(summary, `${versionsMarkdown(compared)}\n`).catch((error: unknown) => {
      note(io, `the step summary could not be written: ${String(error)}`);
    });
  }
  return codeOf(compared, failOn);
}

function codeOf(compared: VersionsComparison, failOn?: FailOn): ExitCode {
  const { interrupted, stopped, entries } = compared;
  const unfinished = interrupted || stopped !== null;
  if (failOn === undefined) return unfinished ? exitCodes.unfinished : exitCodes.fine;
  const changes = entries.map(shownChange).filter((change) => change !== null);
  const isWorse = changes.some(({ worse }) => worse > failOn.worseBy);
  // What is shown stays so, whatever else of the run did not come to its end.
  if (isWorse || lostMeasures(compared).length > 0) return exitCodes.refuted;
  if (unfinished) return exitCodes.unfinished;
  const isAnswered = changes.length > 0 && changes.every(({ isDecided }) => isDecided);
  return isAnswered ? exitCodes.fine : exitCodes.undecided;
}
