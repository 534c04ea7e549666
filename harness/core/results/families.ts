/**
 * Groups of targets: families of browsers by their engine, as the first study grouped them, and
 * others.
 */
export const families = [
  'chromium-based',
  'firefox-based',
  'webkit-based',
  'runtime',
  'shell',
  'program',
] as const;
