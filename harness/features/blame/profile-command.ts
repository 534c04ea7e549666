import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { formatQuantity, formatShare } from '../../../reports/html/number.ts';
import { versionNames } from '../../core/analysis/run-pairs.ts';
import { readRecord, withStore, writeWhole } from '../../core/app/records.ts';
import { type Io, note, print, printJson, type Runner } from '../../core/cli/io.ts';
import { plain } from '../../core/run/progress/plain-text.ts';
import { openReport } from '../../core/cli/open-report.ts';
import {
  type DatabaseOption,
  type JsonOption,
  parseCount,
  parseRun,
  withDatabase,
  withJson,
} from '../../core/cli/options.ts';
import { type ExitCode, exitCodes, FarmError } from '../../core/errors.ts';
import type { FunctionMs } from '../../core/results/index.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { listBusiest } from './profile/busiest.ts';
import { describeCode } from './profile/evidence.ts';
import { formatChange } from './profile/difference.ts';
import { toChromeTrace, toSpeedscope } from './profile/export-profile.ts';
import {
  findDifferences,
  type NamedDifference,
  pairRuns,
  pairVersions,
} from './profile/find-differences.ts';
import { renderFlamePage } from './profile/flame-page.ts';
import { summarizeProfiles } from './profile/summarize-profiles.ts';
import {
  chooseLast,
  listProfiled,
  type ProfiledTrial,
  readChosen,
  type ReadTrial,
} from './profile/stored-profiles.ts';

interface Options extends DatabaseOption, JsonOption {
  readonly trial?: number;
  readonly against?: number;
  readonly out?: string;
  readonly export?: string;
  readonly open: boolean;
}

export function declare(command: Command, run: Runner): void {
  command
    .argument('[run]', 'number of a stored run', 'latest')
    .addHelpText('after', help)
    .option('--trial <number>', 'a trial of the explorer (default: one of each case)', parseCount)
    .option('--against <run>', 'show the difference to an earlier run', parseCount)
    .option('--out <file>', 'page with the flame graphs (default: next to the reports)')
    .option('--export <file>', 'first profile for other tools: .json or .speedscope.json')
    .option('--open', 'open the page in a browser', false);
  withDatabase(command);
  withJson(command, 'print { run, page, profiles, differences }').action(
    (which: string, options: Options) => run((io) => showProfiles(which, options, io)),
  );
}

const help = `
Of a run that was measured with --probe profile: which function took how much time of one operation of
the page, on each thread, inside the timed window. Chromium, Firefox and Node.js give profiles.
Versions of a page that are compared, or a run --against another one, have a graph of their difference.

A .json that --export writes opens in profiler.firefox.com, ui.perfetto.dev and speedscope.app; a
.speedscope.json in the latter.

Examples:
  ${npxCrossfarm} run --bench fib --param n=24 --probe profile --trials 1
  ${npxCrossfarm} profile --open
  ${npxCrossfarm} profile 8 --against 7 --open
  ${npxCrossfarm} profile 7 --trial 212 --export profile.json`;

async function showProfiles(which: string, options: Options, io: Io): Promise<ExitCode> {
  const { database, json } = options;
  const { run, profiled, names } = await readTrials(which, options);
  const differences = await findDifferences(
    database,
    options.against === undefined
      ? pairVersions(profiled, names)
      : pairRuns(await readTrials(String(options.against), { database }), { run, profiled }),
  );
  if (options.against !== undefined && differences.length === 0) {
    throw new FarmError('bad-argument', {
      what: `Runs ${String(options.against)} and ${String(run)} have no profiled case in common.`,
      next: 'Give two runs of the same cases, each measured with --probe profile.',
    });
  }
  const shown = await readChosen(database, chooseLast(profiled).slice(0, mostShown));
  const [first] = shown;
  if (first === undefined) throw refuse(run, profiled);
  if (!json) noteMissing(profiled, io);
  const name = `run-${String(run)}${describePart(options)}-profile.html`;
  const page = resolve(options.out ?? join(dirname(database), 'reports', name));
  const summary = summarizeProfiles({ differences, profiles: shown });
  await writeWhole(page, await renderFlamePage(`Run ${String(run)}`, summary));
  const exported = options.export === undefined ? null : resolve(options.export);
  if (exported !== null) await writeWhole(exported, exportText(first, exported));
  if (json) {
    const answer = { profiles: shown.map(toJson), differences: differences.map(differenceJson) };
    printJson(io, { run, page, export: exported, ...answer });
  } else {
    print(io, [...differences.map(describeDifference), ...shown.map(describe)].join('\n\n'));
    print(io, `page: ${page}`);
    if (exported !== null) print(io, `export: ${exported}`);
  }
  if (options.open) await openReport(page, io);
  return exitCodes.fine;
}

function describePart({ trial, against }: Options): string {
  if (trial !== undefined) return `-trial-${String(trial)}`;
  return against === undefined ? '' : `-against-${String(against)}`;
}

function noteMissing(profiled: readonly ProfiledTrial[], io: Io): void {
  const reasons = profiled.flatMap(({ deviceId, profile }) =>
    'notSupported' in profile ? [`${deviceId} has no profile: ${profile.notSupported}`] : [],
  );
  for (const reason of new Set(reasons)) note(io, reason);
}

interface ReadTrials {
  readonly run: number;
  readonly profiled: readonly ProfiledTrial[];
  /** Versions of a page that the run compares, in their order; none for other runs. */
  readonly names: readonly string[];
}

async function readTrials(
  which: string,
  { database, trial }: Pick<Options, 'database' | 'trial'>,
): Promise<ReadTrials> {
  const record = await readRecord(parseRun(which), database);
  const { id } = record.run;
  if (trial === undefined) {
    return { run: id, profiled: listProfiled(record), names: versionNames(record) ?? [] };
  }
  const alone = await withStore(database, (store) => store.readTrial(trial));
  if (alone?.run.id === id || (which === 'latest' && alone !== null)) {
    return { run: alone.run.id, profiled: listProfiled(alone), names: [] };
  }
  throw new FarmError('unknown-run', {
    what: `Run ${String(id)} has no trial ${String(trial)}.`,
    next: `The explorer shows the numbers of trials: ${npxCrossfarm} serve`,
  });
}

/** More would make the page slow to open. */
const mostShown = 12;

function refuse(run: number, profiled: readonly ProfiledTrial[]): FarmError {
  const because = profiled.flatMap(({ deviceId, profile }) =>
    'notSupported' in profile ? [`${deviceId}: ${profile.notSupported}`] : [],
  );
  return new FarmError('unknown-run', {
    what: `Run ${String(run)} has no profiles${because[0] === undefined ? '' : ` (${because[0]})`}.`,
    next: `Measure with --probe profile, in Chromium, Firefox or Node.js: ${npxCrossfarm} run --bench fib --probe profile`,
  });
}

function exportText(first: ReadTrial, path: string): string {
  const document = path.endsWith('.speedscope.json')
    ? toSpeedscope(first.data, first.title)
    : toChromeTrace(first.data);
  return JSON.stringify(document);
}

/** Functions of a profile that a terminal shows. */
const mostLines = 8;

function describe(one: ReadTrial): string {
  const lines = listBusiest(one.data)
    .slice(0, mostLines)
    .map(({ name, place, selfMs, share }) =>
      [
        formatQuantity(selfMs, { unit: 'ms', resolution: 0 }).padStart(10),
        formatShare(share).padStart(7),
        plain(` ${name}${place === '' ? '' : ` (${place})`}`),
      ].join(' '),
    );
  const said = [...describeCode([one.data]), ...one.data.notes];
  return [plain(one.title), ...lines, ...said.map((text) => `  ${plain(text)}`)].join('\n');
}

/** The largest changes of self time, with the times before and after. */
function describeDifference({ title, functions, evidence }: NamedDifference): string {
  const lines = functions.slice(0, mostLines).map((one) => {
    const times = [one.before, one.after].map((side) => formatSelf(side)).join(' → ');
    const place = one.place === '' ? '' : ` (${one.place})`;
    return `${formatChange(one.changeMs).padStart(10)}  ${plain(`${one.name}${place}`)}: ${times}`;
  });
  return [plain(title), ...lines, ...evidence.map((text) => `  ${plain(text)}`)].join('\n');
}

function formatSelf(side: FunctionMs | null): string {
  return side === null ? 'not there' : formatQuantity(side.selfMs, { unit: 'ms', resolution: 0 });
}

/** An entry of `differences` in `profile --json`: a contract with other tools. */
function differenceJson(one: NamedDifference): object {
  const { title, before, after, profiles, evidence, functions } = one;
  return {
    title,
    before: { name: before, profiles: profiles[0] },
    after: { name: after, profiles: profiles[1] },
    evidence,
    functions,
  };
}

/** An entry of `profile --json`: a contract with other tools. */
function toJson(one: ReadTrial): object {
  const { deviceId, caseName, block, file, data } = one;
  const { operations, intervalMs, thinnedBy, notes } = data;
  const evidence = describeCode([data]);
  const functions = listBusiest(data).map(
    ({ name, source, line, category, selfMs, totalMs, share }) => ({
      name,
      source,
      line,
      category,
      selfMs,
      totalMs,
      share,
    }),
  );
  return {
    device: deviceId,
    case: caseName,
    block,
    file,
    operations,
    intervalMs,
    thinnedBy,
    notes,
    evidence,
    functions,
  };
}
