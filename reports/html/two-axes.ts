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

/**
 * The reader's choice of axes, in plain JavaScript for their browser: a box at each figure that has
 * two drawings. All of them, and the table's choice, are one. `make` is that of `script.ts`.
 */
export const axes = `
  const axes = { linear: false, followers: [] };
  const setAxes = (linear) => {
    axes.linear = linear;
    document.documentElement.classList.toggle('lin', linear);
    for (const follow of axes.followers) follow(linear);
  };
  for (const figure of document.querySelectorAll('figure')) {
    if (figure.querySelector('.linear') === null) continue;
    const box = Object.assign(make('input', ''), { type: 'checkbox' });
    const label = Object.assign(make('label', ''), { className: 'axes' });
    label.append(box, ' linear axis');
    box.addEventListener('input', () => setAxes(box.checked));
    axes.followers.push((linear) => { box.checked = linear; });
    figure.querySelector('figcaption').append(label);
  }
`;
