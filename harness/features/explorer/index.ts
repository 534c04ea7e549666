import type { Feature } from '../../cli/index.ts';

/** The explorer of everything stored, and its API, in the reader’s browser. */
export const explorer: Feature = {
  commands: [
    {
      name: 'serve',
      summary: 'the explorer of everything stored, and its JSON API, for this machine alone',
      load: () => import('./serve-command.ts'),
    },
  ],
};
