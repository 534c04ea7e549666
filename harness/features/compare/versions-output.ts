import { appendFile } from 'node:fs/promises';
import { askBlame, type BlameAnswer } from './blame-answer.ts';
import type { VersionsComparison } from './compare-versions.ts';
import type { ContinueOptions } from './continue-comparison.ts';
import type { VersionsOptions } from './options.ts';
import { findStanding, isFailing, unevenErrors } from '../../core/analysis/fail-on.ts';
import { formatThreeDigits } from '../../../reports/html/number.ts';
import { type ExitCode, exitCodes, FarmError } from '../../core/errors.ts';
import { type Io, note, print, printJson } from '../../core/cli/io.ts';
import type { DatabaseOption } from '../../core/cli/options.ts';
import { concludingCaller } from '../../core/cli/run-output.ts';
import {
  type EndReport,
  printEndReport,
  reportField,
  type ReportOption,
  writeEndReport,
} from '../../core/cli/end-report.ts';
import { readTerminalWidth } from '../../core/cli/text/draw-table.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

interface Output extends ReportOption {
  readonly json: boolean;
  readonly markdown: boolean;
  readonly blame?: boolean;
  readonly failOn?: number | undefined;
}

interface Concluding extends Omit<Output, 'blame'>, DatabaseOption {
  readonly blamed: BlameAnswer | null;
}

/** Compares versions of a page, and prints the table in the form that was asked for. */
export async function compareVersionsHere(
  names: readonly string[],
  { json, markdown, failOn, report, blame = false, ...options }: VersionsOptions & Output,
  io: Io,
): Promise<ExitCode> {
  if (names.length < 2) {
    throw new FarmError('bad-argument', {
      what: `${names[0] ?? 'A page'} has nothing to be compared with.`,
      next: `Give at least two versions: ${npxCrossfarm} compare old.html new.html. Two browsers on one page: ${npxCrossfarm} compare chromium firefox --page mine.html`,
    });
  }
  const { compareVersions } = await import('./compare-versions.ts');
  const asked = { ...options, worseBy: failOn };
  const compared = await compareVersions(names, asked, concludingCaller(json || markdown, io));
  const { database } = options;
  const blamed = blame ? await askBlame(compared, options, io) : null;
  const output = { json, markdown, failOn, report, database, blamed };
  return concludeVersions(compared, output, io);
}

/** Continues a stored comparison of versions, and prints all of it. @returns the exit code */
export async function continueVersionsHere(
  which: number | 'latest',
  { json, markdown, report, ...asked }: ContinueOptions & Omit<Output, 'failOn'>,
  io: Io,
): Promise<ExitCode> {
  const { continueVersions } = await import('./continue-versions.ts');
  const caller = concludingCaller(json || markdown, io);
  const { failOn, ...compared } = await continueVersions(which, asked, caller);
  const { database } = asked;
  const output = { json, markdown, failOn, report, database, blamed: null };
  return concludeVersions(compared, output, io);
}

async function concludeVersions(
  compared: VersionsComparison,
  { json, markdown, failOn, report, database, blamed }: Concluding,
  io: Io,
): Promise<ExitCode> {
  const { cautionNotes } = await import('./versions-text.ts');
  const { run } = compared;
  const place = { database, ...(report !== undefined && { report }) };
  const { written } = await writeEndReport(run, place, io);
  await printComparison(compared, { json, markdown, written, blamed }, io);
  const code = codeOf(compared, failOn);
  if (failOn !== undefined) {
    note(io, meaningOf(code, failOn, compared));
    // In a log that keeps the sentence alone.
    for (const caution of cautionNotes(compared)) note(io, caution);
  }
  return code;
}

interface Printing extends Pick<Output, 'json' | 'markdown'>, Pick<EndReport, 'written'> {
  readonly blamed: BlameAnswer | null;
}

async function printComparison(
  compared: VersionsComparison,
  { json, markdown, written, blamed }: Printing,
  io: Io,
): Promise<void> {
  const { describeVersions, versionsMarkdown } = await import('./versions-text.ts');
  const { versionsJson } = await import('./versions-json.ts');
  // With both the Markdown goes to another place.
  const isHandedOn = json && markdown;
  const inMarkdown = versionsMarkdown(compared, blamed?.markdown);
  const text = isHandedOn ? { markdown: inMarkdown } : {};
  const found = blamed === null ? {} : { blame: blamed.functions };
  if (json) {
    printJson(io, { ...versionsJson(compared), ...found, ...text, ...reportField(written) });
  } else if (markdown) print(io, inMarkdown);
  else {
    const table = await describeVersions(compared, readTerminalWidth(io.stdout));
    print(io, [table, ...(blamed?.lines ?? [])].join('\n'));
  }
  // Markdown is pasted elsewhere, where this file is not.
  if (!json) printEndReport(compared.run, written, markdown ? { stdout: io.stderr } : io);
  if (!isHandedOn) await writeStepSummary(inMarkdown, io);
}

/** Adds the table to the summary of a step of GitHub Actions, where this is one. */
async function writeStepSummary(inMarkdown: string, io: Io): Promise<void> {
  const summary = process.env['GITHUB_STEP_SUMMARY'];
  if (summary === undefined || summary === '') return;
  await appendFile(summary, `${inMarkdown}\n`).catch((error: unknown) => {
    note(io, `the step summary could not be written: ${String(error)}`);
  });
}

/** Says what the exit code means: the table has how much slower a version is, and not the limit. */
function meaningOf(
  code: ExitCode,
  failOn: number,
  { margin }: Pick<VersionsComparison, 'margin'>,
): string {
  const moreThan = (share: number): string =>
    share === 0 ? 'slower' : `slower by more than ${formatThreeDigits(100 * share)} %`;
  const by = moreThan(failOn);
  switch (code) {
    case exitCodes.fine:
      // A change within the margin counts as the same.
      return `nothing is ${moreThan(Math.max(failOn, margin))}`;
    case exitCodes.refuted:
      return `a version is shown to be ${by}, has lost a measure, or has errors of its own`;
    case exitCodes.undecided:
      return `whether a version is ${by} is not decided`;
    default:
      return `whether a version is ${by} was not measured to the end`;
  }
}

function codeOf(compared: VersionsComparison, failOn?: number): ExitCode {
  const { interrupted, stopped, entries } = compared;
  const unfinished = interrupted || stopped !== null;
  if (failOn === undefined) return unfinished ? exitCodes.unfinished : exitCodes.fine;
  const standings = entries
    .map((entry) => findStanding(entry, failOn))
    .filter((standing) => standing !== null);
  // A verdict stays, even if the rest of the run did not end.
  if (standings.some(isFailing) || unevenErrors(compared).length > 0) return exitCodes.refuted;
  if (unfinished) return exitCodes.unfinished;
  const isAnswered = standings.length > 0 && standings.every((standing) => standing === 'within');
  return isAnswered ? exitCodes.fine : exitCodes.undecided;
}
