import type * as Library from '@observablehq/plot';

/** The chart library, which the page loads as a script of its own. */
declare global {
  const Plot: typeof Library;
}
