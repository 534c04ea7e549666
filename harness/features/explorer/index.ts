import type { Feature } from '../../cli/index.ts';

/** The explorer of everything stored, and its API, in the reader’s browser. */
export const explorer: Feature = {
  commands: [
    {
      name: 'serve',
      summary: 'serve the explorer and its JSON API on this machine',
      load: () => import('./serve-command.ts'),
    },
  ],
};
