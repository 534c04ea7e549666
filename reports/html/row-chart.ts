/** A row for each case, with a mark for each value of it: for what grows over nothing. */
import { printable } from './escape.ts';
import { formatTick } from './number.ts';
import { compact, openPlot, seriesColours, seriesSymbols } from './plot.ts';
import type { AxisKind } from './axes.ts';

export interface RowPoint {
  readonly panel: string;
  readonly row: string;
  /** Index of the colour in the stylesheet, and of the symbol. */
  readonly curve: number;
  readonly value: number;
  /** Of its interval; null without an interval. */
  readonly low: number | null;
  readonly high: number | null;
  readonly title: string;
  /** Address that its mark leads to. */
  readonly href?: string | undefined;
}

interface RowChart {
  readonly unit: string;
  /** Pixels. */
  readonly width: number;
  readonly axis: AxisKind;
}

/** More rows than these are not looked at. */
const mostRows = 60;

/** Pixels that a letter of a tick takes, about. */
const letter = 6;

/** Loads the libraries, and gives what draws a panel. */
export async function drawRows(
  points: readonly RowPoint[],
  { unit, width, axis }: RowChart,
): Promise<(panel: string) => string> {
  const { Plot, document } = await openPlot();
  return (panel) => {
    const ofPanel = points.filter((point) => point.panel === panel);
    const rows = [...new Set(ofPanel.map(({ row }) => printable(row)))].slice(0, mostRows);
    const own = ofPanel
      .map((point) => ({ ...point, row: printable(point.row), colour: String(point.curve) }))
      .filter(({ row }) => rows.includes(row));
    const sure = own.filter(({ low }) => low !== null && (axis !== 'log' || low > 0));
    const room = Math.min(260, Math.round(width * 0.45));
    const longest = Math.floor((room - 12) / letter);
    const figure = Plot.plot({
      document,
      className: 'plot',
      width,
      height: 70 + rows.length * 26,
      marginLeft: room,
      marginBottom: 40,
      color: seriesColours,
      symbol: seriesSymbols,
      x: {
        type: axis,
        label: `${printable(unit)} →`,
        grid: true,
        nice: true,
        tickFormat: (x: number) => printable(formatTick(x, { unit, resolution: 0 })),
      },
      y: {
        label: null,
        domain: rows,
        type: 'point',
        tickFormat: (row: string) => short(row, longest),
      },
      marks: [
        Plot.link(sure, {
          y: 'row',
          x1: 'low',
          x2: 'high',
          stroke: 'colour',
          strokeWidth: 4,
          strokeOpacity: 0.35,
        }),
        Plot.dot(own, {
          x: 'value',
          y: 'row',
          fill: 'colour',
          symbol: 'colour',
          r: 3.5,
          title: 'title',
          ...(own.some(({ href }) => href !== undefined) && { href: 'href' }),
        }),
      ],
    });
    return compact(figure.outerHTML);
  };
}

/** A case without the name of its benchmark, which all rows have, and no longer than there is room. */
function short(row: string, longest: number): string {
  const parameters = row.slice(row.indexOf(' ') + 1);
  return parameters.length <= longest ? parameters : `${parameters.slice(0, longest - 1)}…`;
}
