/**
 * Observable Plot draws into linkedom's document, and the result is written out as SVG: so a report
 * shows its charts without JavaScript. Both libraries are loaded when the first chart is drawn.
 */
import type * as Library from '@observablehq/plot';

/** Colours that the stylesheet has for curves; more targets than these share them. */
export const curveColours = 10;

const symbols = ['circle', 'square', 'triangle', 'diamond', 'star', 'cross', 'wye'] as const;

/** As many as there are pairs of a colour and a symbol. */
const names = Array.from({ length: curveColours * symbols.length }, (_, i) => String(i));

/** The scale that gives a series, named by its index, the stylesheet's colour. */
export const seriesColours = {
  type: 'ordinal' as const,
  domain: names,
  range: names.map((_, i) => `var(--c${String(i % curveColours)})`),
};

/** The scale that gives a series its symbol. */
export const seriesSymbols = {
  domain: names,
  range: names.map((_, i) => symbols[i % symbols.length] ?? 'circle'),
};

interface Painting {
  readonly Plot: typeof Library;
  /** The types of both libraries name the DOM's, which this project does not load. */
  readonly document: never;
}

export async function openPlot(): Promise<Painting> {
  const [Plot, { parseHTML }] = await Promise.all([
    import('@observablehq/plot'),
    import('linkedom'),
  ]);
  const dom = parseHTML('<!doctype html><html><body></body></html>') as unknown;
  const { document } = dom as Pick<Painting, 'document'>;
  return { Plot, document };
}

/** A drawing of more marks than fit into this many characters keeps whole pixels only. */
const mostExact = 100_000;

/**
 * The same picture in fewer bytes: Plot writes fourteen decimals, where a tenth of a pixel cannot be
 * seen. Its style element goes too: the page's Content-Security-Policy allows only the page's own.
 */
export function compact(svg: string): string {
  const shorter =
    svg.length > mostExact
      ? (tag: string) => tag.replace(/\d+\.\d+/g, (number) => String(Math.round(Number(number))))
      : (tag: string) => tag.replace(/(\d+\.\d)\d+/g, '$1');
  return (
    svg
      .replace(/<style>.*?<\/style>/gs, '')
      .replace(/ d="[^"]*"/g, shorter)
      .replace(/<[^>]*>/g, (tag) => tag.replace(/(\d+\.\d)\d+/g, '$1'))
      // A chart is one picture for a screen reader; its table has the same links for the keyboard.
      .replace(/<a (?:xlink:)?href=("[^"]*")[^>]*>/g, '<a tabindex="-1" href=$1>')
      .replace(/ aria-label="[^"]*"/g, '')
      .replace(/ font-family="[^"]*"/g, '')
  );
}
