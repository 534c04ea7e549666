import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { formatQuantity, formatShare } from '../../../reports/html/number.ts';
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
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { listBusiest } from './profile/busiest.ts';
import { toChromeTrace, toSpeedscope } from './profile/export-profile.ts';
import { renderFlamePage } from './profile/flame-page.ts';
import type { Profile } from './profile/profile.ts';
import { listProfiled, type ProfiledTrial, readProfile } from './profile/stored-profiles.ts';

interface Options extends DatabaseOption, JsonOption {
  readonly trial?: number;
  readonly out?: string;
  readonly export?: string;
  readonly open: boolean;
}

export function declare(command: Command, run: Runner): void {
  command
    .argument('[run]', 'number of a stored run', 'latest')
    .addHelpText('after', help)
    .option('--trial <number>', 'a trial of the explorer (default: one of each case)', parseCount)
    .option('--out <file>', 'page with the flame graphs (default: next to the reports)')
    .option('--export <file>', 'first profile for other tools: .json or .speedscope.json')
    .option('--open', 'open the page in a browser', false);
  withDatabase(command);
  withJson(command, 'print { run, page, profiles }').action((which: string, options: Options) =>
    run((io) => showProfiles(which, options, io)),
  );
}

const help = `
Of a run that was measured with --probe profile: which function took how much time of one operation of
the page, on each thread, inside the timed window. Chromium, Firefox and Node.js give profiles.

A .json that --export writes opens in profiler.firefox.com, ui.perfetto.dev and speedscope.app; a
.speedscope.json in the latter.

Examples:
  ${npxCrossfarm} run --bench fib --param n=24 --probe profile --trials 1
  ${npxCrossfarm} profile --open
  ${npxCrossfarm} profile 7 --trial 212 --export profile.json`;

interface ShownProfile extends ProfiledTrial {
  readonly file: string;
  readonly data: Profile;
}

async function showProfiles(which: string, options: Options, io: Io): Promise<ExitCode> {
  const { database, json } = options;
  const { run, profiled } = await readTrials(which, options);
  const shown = await readAll(chooseOne(profiled), database);
  const [first] = shown;
  if (first === undefined) throw refuse(run, profiled);
  if (!json) noteMissing(profiled, io);
  const alone = options.trial === undefined ? '' : `-trial-${String(options.trial)}`;
  const name = `run-${String(run)}${alone}-profile.html`;
  const page = resolve(options.out ?? join(dirname(database), 'reports', name));
  const profiles = shown.map((one) => ({ title: titleOf(one), profile: one.data }));
  await writeWhole(page, await renderFlamePage({ title: `Run ${String(run)}`, profiles }));
  const exported = options.export === undefined ? null : resolve(options.export);
  if (exported !== null) await writeWhole(exported, exportText(first, exported));
  if (json) printJson(io, { run, page, export: exported, profiles: shown.map(toJson) });
  else {
    print(io, shown.map(describe).join('\n\n'));
    print(io, `page: ${page}`);
    if (exported !== null) print(io, `export: ${exported}`);
  }
  if (options.open) await openReport(page, io);
  return exitCodes.fine;
}

function noteMissing(profiled: readonly ProfiledTrial[], io: Io): void {
  const reasons = profiled.flatMap(({ deviceId, profile }) =>
    'notSupported' in profile ? [`${deviceId} has no profile: ${profile.notSupported}`] : [],
  );
  for (const reason of new Set(reasons)) note(io, reason);
}

async function readTrials(
  which: string,
  { database, trial }: Options,
): Promise<{ readonly run: number; readonly profiled: readonly ProfiledTrial[] }> {
  const record = await readRecord(parseRun(which), database);
  const { id } = record.run;
  if (trial === undefined) return { run: id, profiled: listProfiled(record) };
  const alone = await withStore(database, (store) => store.readTrial(trial));
  if (alone?.run.id === id || (which === 'latest' && alone !== null)) {
    return { run: alone.run.id, profiled: listProfiled(alone) };
  }
  throw new FarmError('unknown-run', {
    what: `Run ${String(id)} has no trial ${String(trial)}.`,
    next: `The explorer shows the numbers of trials: ${npxCrossfarm} serve`,
  });
}

/** The last trial of each case on each device: its engine had the longest to settle. */
function chooseOne(profiled: readonly ProfiledTrial[]): readonly ProfiledTrial[] {
  const chosen = new Map<string, ProfiledTrial>();
  for (const one of profiled) {
    if ('file' in one.profile) chosen.set(`${one.deviceId} ${one.caseName}`, one);
  }
  return [...chosen.values()];
}

/** More would make the page slow to open. */
const mostShown = 12;

async function readAll(
  chosen: readonly ProfiledTrial[],
  database: string,
): Promise<readonly ShownProfile[]> {
  const shown: ShownProfile[] = [];
  for (const one of chosen.slice(0, mostShown)) {
    const file = 'file' in one.profile ? one.profile.file : '';
    const data = await readProfile(database, file);
    if (data !== null) shown.push({ ...one, file, data });
  }
  return shown;
}

function refuse(run: number, profiled: readonly ProfiledTrial[]): FarmError {
  const because = profiled.flatMap(({ deviceId, profile }) =>
    'notSupported' in profile ? [`${deviceId}: ${profile.notSupported}`] : [],
  );
  return new FarmError('unknown-run', {
    what: `Run ${String(run)} has no profiles${because[0] === undefined ? '' : ` (${because[0]})`}.`,
    next: `Measure with --probe profile, in Chromium, Firefox or Node.js: ${npxCrossfarm} run --bench fib --probe profile`,
  });
}

function titleOf({ deviceId, caseName, block }: ProfiledTrial): string {
  return `${deviceId} · ${caseName} · block ${String(block)}`;
}

function exportText(first: ShownProfile, path: string): string {
  const document = path.endsWith('.speedscope.json')
    ? toSpeedscope(first.data, titleOf(first))
    : toChromeTrace(first.data);
  return JSON.stringify(document);
}

/** Functions of a profile that a terminal shows. */
const mostLines = 8;

function describe(one: ShownProfile): string {
  const lines = listBusiest(one.data)
    .slice(0, mostLines)
    .map(({ name, place, selfMs, share }) =>
      [
        formatQuantity(selfMs, { unit: 'ms', resolution: 0 }).padStart(10),
        formatShare(share).padStart(7),
        plain(` ${name}${place === '' ? '' : ` (${place})`}`),
      ].join(' '),
    );
  return [titleOf(one), ...lines, ...one.data.notes.map((text) => `  ${text}`)].join('\n');
}

/** An entry of `profile --json`: a contract with other tools. */
function toJson(one: ShownProfile): object {
  const { deviceId, caseName, block, file, data } = one;
  const { operations, intervalMs, thinnedBy, notes } = data;
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
    functions,
  };
}
