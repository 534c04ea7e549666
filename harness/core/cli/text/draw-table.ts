import { stripVTControlCharacters } from 'node:util';
import pc from 'picocolors';
import { wrappedInColours } from './text-blocks.ts';

/** A table; cells may have colours and several lines. */
export interface DrawnTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly align?: readonly ('left' | 'right')[];
  /** A line between rows, for cells of several lines. */
  readonly ruled?: boolean;
}

/** A column of fewer characters breaks most words. */
const narrowest = 12;

/** How wide the lines of a stream may be: any length where no terminal shows it. */
export function readTerminalWidth({
  isTTY,
  columns,
}: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): number {
  // A pseudo-terminal may have no size.
  return isTTY && columns > 0 ? columns : Infinity;
}

/**
 * Draws a table no wider than the terminal. Where it would be, the widest columns wrap their words;
 * where that would leave them too narrow for words, each row is a list of its cells.
 */
export async function drawTable(shown: DrawnTable, columns = Infinity): Promise<string> {
  const { head, rows, align, ruled = false } = shown;
  const natural = head.map((title, index) =>
    Math.max(measureWidth(title), ...rows.map((row) => measureWidth(row[index] ?? ''))),
  );
  const room = columns - (head.length + 1) - 2 * head.length;
  const widest = widestColumn(natural, room);
  if (widest < Math.min(narrowest, Math.max(...natural))) return asLists(shown, columns);
  const { default: Table } = await import('cli-table3');
  const isWrapped = Number.isFinite(widest);
  const table = new Table({
    head: [...head],
    style: { head: [], border: [], compact: !ruled },
    ...(align !== undefined && { colAligns: [...align] }),
    ...(isWrapped && {
      colWidths: natural.map((width) => Math.min(width, widest) + 2),
      wordWrap: true,
    }),
  });
  for (const row of rows)
    table.push(isWrapped ? row.map((cell) => broken(cell, widest)) : [...row]);
  return table.toString();
}

/** Of the longest of its lines, without colours. */
function measureWidth(cell: string): number {
  return Math.max(
    ...stripVTControlCharacters(cell)
      .split('\n')
      .map((line) => Array.from(line).length),
  );
}

/** The width at which the wider columns are cut so that all fit; Infinity where all fit as they are. */
function widestColumn(natural: readonly number[], room: number): number {
  const sorted = natural.toSorted((a, b) => a - b);
  let left = room;
  for (const [index, width] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index));
    if (width > share) return share;
    left -= width;
  }
  return Infinity;
}

/** With what has no space to wrap at, such as a path, in pieces: else it would be cut off. */
function broken(cell: string, width: number): string {
  if (stripVTControlCharacters(cell) !== cell) return cell;
  return cell.replace(new RegExp(`\\S{${String(width)}}(?=\\S)`, 'gu'), '$& ');
}

function asLists({ head, rows }: DrawnTable, columns: number): string {
  const [ours = ''] = head;
  const indent = ' '.repeat(4);
  return rows
    .map(([first = '', ...cells]) => {
      const lines = cells.flatMap((cell, index) => {
        const text = wrappedInColours(`${head[index + 1] ?? ''}: ${cell}`, columns - indent.length);
        return cell === '' ? [] : [`  ${text.replaceAll('\n', `\n${indent}`)}`];
      });
      // A number alone says nothing.
      return [pc.bold(/^\d+$/.test(first) ? `${ours} ${first}` : first), ...lines].join('\n');
    })
    .join('\n');
}
