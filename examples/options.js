/** @type {Partial<import('crossfarm').VersionsOptions>} All others are the defaults of `crossfarm compare`. */
export const options = {
  browsers: ['chromium'],
  // Without probes no trial is excluded, even on a busy machine.
  probes: process.env['PROBES'] !== 'off',
  // `fast` is a smoke test: it tries the program, and measures nothing well.
  ...(process.env['MEASUREMENT'] === 'fast' && { measurement: 'fast' }),
};
