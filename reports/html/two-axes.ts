/**
 * A chart on a logarithmic axis may have a twin on a linear one. The stylesheet shows the first, and
 * the second once the script has marked the page, so without JavaScript one sees the usual one.
 */
import { html, raw, type Html } from './escape.ts';

export type AxisKind = 'log' | 'linear';

/** Both drawings in one place; without a second one the first stays, whatever the reader chooses. */
export function inBothAxes(log: string, linear: string | null): Html {
  if (linear === null) return raw(log);
  return raw(`<div class="log">${log}</div><div class="linear">${linear}</div>`);
}

/** What a caption says of the axis, for the drawing that is seen. */
export function axisNote({ twin, log, linear }: AxisNote): Html {
  if (!twin) return html`${log}`;
  return html`<span class="log">${log}</span><span class="linear">${linear}</span>`;
}

interface AxisNote {
  /** Whether there is a drawing on a linear axis, too. */
  readonly twin: boolean;
  readonly log: string;
  readonly linear: string;
}
