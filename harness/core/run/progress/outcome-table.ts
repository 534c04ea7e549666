import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import pc from 'picocolors';
import type { CellCounts, DeviceCells } from '../../model/run.ts';

type Ending = Exclude<keyof CellCounts, 'planned'>;
type Paint = (text: string) => string;

const endings: readonly (readonly [Ending, string, Paint])[] = [
  ['completed', 'completed', pc.green],
  ['failed', 'failed', pc.red],
  ['timedOut', 'timed out', pc.red],
  ['skipped', 'skipped', pc.yellow],
];

/** `12 completed, 1 failed`: zero counts are left out, except for completed trials. */
export function outcomeWords(cells: CellCounts): string {
  const happened = endings.filter(([ending]) => ending === 'completed' || cells[ending] > 0);
  const words = happened.map(([ending, name, paint]) => paint(`${String(cells[ending])} ${name}`));
  return words.join(', ');
}

/**
 * How the cells of each device ended: a table, or one line for each device where the table would be
 * wider than the terminal.
 */
export function outcomeTable(
  devices: readonly DeviceCells[],
  columns = Infinity,
): readonly string[] {
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
