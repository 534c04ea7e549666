import type { Benchmark } from '../model/case.ts';
import type { RunRecord } from '../model/run.ts';
import type { Series } from './series.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

/** Returns the command that measures one case again, given its series on all targets. */
export type CommandOf = (series: readonly Series[]) => string;

/**
 * Makes the commands that repeat the cases of one run or several: on the measured devices, with as
 * many trials and the same isolation. A device that only a comparison knows, such as one side of a
 * browser against itself, is repeated by the command of its run.
 *
 * @param inventoryId gives the device of a target; of one run they have the same id.
 */
export function repeatCommands(
  records: readonly RunRecord[],
  inventoryId: (targetId: string) => string = (targetId) => targetId,
): CommandOf {
  const trials = Math.max(0, ...records.map(({ jobs }) => new Set(jobs.map(blockOf)).size));
  const fresh = records.some(({ run }) => run.isolation === 'session');
  const how = [`--trials ${String(trials)}`, `--isolation ${fresh ? 'session' : 'page'}`];
  return (series) => {
    const [first] = series;
    if (first === undefined) return '';
    const run = records.find(({ presences }) =>
      presences.some(({ device }) => device.id === first.deviceId),
    )?.run;
    const devices = [...new Set(series.map(({ deviceId }) => inventoryId(deviceId)))];
    if (run !== undefined && devices.some(isMadeUp)) return run.command;
    return [
      ...[
        `${npxCrossfarm} run`,
        `--bench ${idInCatalog(first.case.benchmark)}`,
        ...choicesOf(first),
      ],
      ...[`--device ${devices.join(',')}`, ...how, ...circumstancesIn(run?.command ?? '')],
    ].join(' ');
  };
}

function blockOf({ block }: RunRecord['jobs'][number]): number {
  return block;
}

/** No id of an inventory has an "@": a comparison adds it to distinguish its sides. */
function isMadeUp(deviceId: string): boolean {
  return deviceId.includes('@');
}

function choicesOf({ case: one }: Series): readonly string[] {
  return one.benchmark.parameters.map(
    ({ name }) => `--param ${name}=${String(one.parameters[name])}`,
  );
}

/** The inventory, pages, deadline and measurement options of the run: a case needs the same. */
function circumstancesIn(command: string): readonly string[] {
  return command.match(/--(?:inventory|pages|deadline|measurement) (?:'[^']*'|\S+)/g) ?? [];
}

/** The id of a benchmark of which several runs have several versions. */
export function labelBenchmark({ id, version }: Benchmark): string {
  return `${id}${suffixOf(version)}`;
}

/** The id under which the catalog has a benchmark: without the version of `labelBenchmark`. */
function idInCatalog({ id, version }: Benchmark): string {
  const suffix = suffixOf(version);
  return id.endsWith(suffix) ? id.slice(0, -suffix.length) : id;
}

function suffixOf(version: number): string {
  return ` (version ${String(version)})`;
}
