import type * as Library from '@observablehq/plot';

/** The chart library, which the page loads as a separate script. */
declare global {
  const Plot: typeof Library;
}
