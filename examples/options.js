import { defaultDatabase, defaultInventory, versionsDefaults } from 'crossfarm';

/** What the examples have in common: as `farm compare` has it where nothing else is said. */
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
