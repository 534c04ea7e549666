import { defaultDatabase, defaultInventory, versionsDefaults } from 'crossfarm';

/** Shared options of the examples: the defaults of `farm compare`. */
export const options = {
  ...versionsDefaults,
  inventory: defaultInventory(),
  database: defaultDatabase(),
  browsers: ['chromium'],
  // Without probes no trial is excluded, even on a busy machine.
  probes: process.env.PROBES !== 'off',
  // `fast` is a smoke test: it tries the program, and measures nothing well.
  measurement: process.env.MEASUREMENT,
};
