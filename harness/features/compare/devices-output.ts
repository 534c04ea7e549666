import { comparisonSuite, versionsSuite } from '../../core/analysis/run-pairs.ts';
import type { OptInProbe } from '../../core/model/reading.ts';
import { nothingToSave } from '../../core/app/anomalies.ts';
import { readRecord } from '../../core/app/records.ts';
import {
  printEndReport,
  reportField,
  type ReportOption,
  writeEndReport,
} from '../../core/cli/end-report.ts';
import { type Io, print, printJson } from '../../core/cli/io.ts';
import type { DatabaseOption, JsonOption } from '../../core/cli/options.ts';
import { concludingCaller, endRun, holdEnd } from '../../core/cli/run-output.ts';
import { readTerminalWidth } from '../../core/cli/text/draw-table.ts';
import { type ExitCode, exitCodes } from '../../core/errors.ts';
import type { Verdict } from '../../core/results/verdicts.ts';
import { askBlameOfDevices } from './blame-answer.ts';
import type { DriverComparison } from './compare-drivers.ts';
import type { Comparison } from './conclude.ts';
import type { ContinueOptions } from './continue-comparison.ts';
import { describeLook } from './look-text.ts';
import { comparisonJson, describeDecision, describeDrivers, driversJson } from './devices-text.ts';

/** How a comparison of devices is printed, and what its exit code says. */
interface Output extends DatabaseOption, JsonOption, ReportOption {
  readonly expect?: Verdict;
  /** As `CompareOptions` has it. */
  readonly save?: string;
  /** The same. */
  readonly probe?: readonly OptInProbe[];
  readonly blame?: boolean;
  readonly markdown: boolean;
}

/** Continues a stored comparison, or the undecided ones of a run. @returns the exit code */
export async function continueStored(
  which: number | 'latest',
  asked: ContinueOptions & Output,
  io: Io,
): Promise<ExitCode> {
  const { id, suite } = (await readRecord(which, asked.database)).run;
  if (suite === versionsSuite) {
    const { continueVersionsHere } = await import('./versions-output.ts');
    return continueVersionsHere(which, asked, io);
  }
  if (suite !== comparisonSuite) {
    const { continueTable } = await import('../../core/app/run/continue-table.ts');
    const held = holdEnd(asked.json, io);
    const result = await continueTable(which, { ...asked, describe: describeLook }, held.caller);
    if (result !== null) return endRun(result, asked, { io, held });
    held.caller.say(`run ${String(id)} is decided already: a verdict that was reached stays`);
    return exitCodes.fine;
  }
  const { continueComparison } = await import('./continue-comparison.ts');
  const caller = concludingCaller(asked.json, io);
  return concludeTwo(await continueComparison(which, asked, caller), asked, io);
}

/** Prints the verdict on two sides. @returns the exit code */
export async function concludeTwo(
  compared: Comparison,
  { json, save, expect, blame = false, ...place }: Omit<Output, 'markdown'>,
  io: Io,
): Promise<ExitCode> {
  const { decision, anomaly, margin, run } = compared;
  const blamed = blame ? await askBlameOfDevices(compared, place, io) : null;
  const { written } = await writeEndReport(run, place, io);
  if (json) {
    const found = blamed === null ? {} : { blame: blamed.functions };
    printJson(io, { ...comparisonJson(compared, margin), ...found, ...reportField(written) });
  } else {
    const table = describeDecision(compared, readTerminalWidth(io.stdout));
    print(io, [table, ...(blamed?.lines ?? [])].join('\n'));
    printEndReport(run, written, io);
  }
  if (save !== undefined && anomaly === null) throw nothingToSave(decision);
  return verdictCode(compared, expect);
}

/** Prints the table of drivers. @returns the exit code */
export async function concludeDrivers(
  compared: DriverComparison,
  { json, expect, margin, ...place }: Omit<Output, 'markdown'> & { readonly margin: number },
  io: Io,
): Promise<ExitCode> {
  const { written } = await writeEndReport(compared.run, place, io);
  if (json) printJson(io, { ...driversJson(compared, margin), ...reportField(written) });
  else {
    print(io, describeDrivers(compared, margin));
    printEndReport(compared.run, written, io);
  }
  return driversCode(compared, expect);
}

function verdictCode({ decision, interrupted, stopped }: Comparison, expect?: Verdict): ExitCode {
  if (interrupted || stopped.kind === 'vanished' || decision === null) return exitCodes.unfinished;
  return expect !== undefined && decision.verdict !== expect ? exitCodes.refuted : exitCodes.fine;
}

function driversCode({ entries, interrupted }: DriverComparison, expect?: Verdict): ExitCode {
  if (interrupted) return exitCodes.unfinished;
  const verdicts = entries.map(({ decision }) =>
    decision.kind === 'decided-on' ? decision.decision.verdict : null,
  );
  if (verdicts.every((verdict) => verdict === null)) return exitCodes.unfinished;
  if (expect === undefined) return exitCodes.fine;
  return verdicts.every((verdict) => verdict === expect) ? exitCodes.fine : exitCodes.refuted;
}
