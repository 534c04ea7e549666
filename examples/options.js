import { defaultDatabase, defaultInventory, versionsDefaults } from 'crossfarm';

/** What the examples have in common: as `farm compare` has it where nothing else is said. */
export const options = {
  ...versionsDefaults,
  inventory: defaultInventory(),
  database: defaultDatabase(),
  browsers: ['chromium'],
};
