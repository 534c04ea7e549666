/**
 * The trials of one cell, one path for all: a report may hold thousands of these figures, so every
 * byte counts. Colours come from the stylesheet by class, positions from `client/strip.js`, which
 * the script of a report uses to draw it again.
 */
import { pathsOf, type Axis, type Strip } from '../client/strip.js';
import { html, raw, renderMarkup, type Html } from './escape.ts';

/**
 * Every trial as a dot in block order, its interval as a band, its median as a line; the stylesheet
 * distinguishes the first three paths by their order, which takes fewer bytes than names. The width
 * and height are the stylesheet's, pixel for pixel, so the element needs no viewBox.
 * @param words of its tooltip; it has none where they are empty
 */
export function trialStrip(
  strip: Strip,
  { axis, colour, words }: { readonly axis: Axis; readonly colour: number; readonly words: string },
): Html {
  const { band, middle, dots, rings } = pathsOf(strip, axis);
  // The row already says everything in words: for a screen reader the picture is only noise.
  return raw(
    `<svg class="s c${String(colour)}" aria-hidden="true"><path d="${band}"/>` +
      `<path d="${middle}"/><path d="${dots}"/>` +
      `${rings === '' ? '' : `<path class="q" d="${rings}"/>`}` +
      // Last, because the stylesheet names the paths by their places.
      `${words === '' ? '' : renderMarkup(html`<title>${words}</title>`)}</svg>`,
  );
}
