import type { Feature } from '../../cli/index.ts';

/** A farm that measures every night unattended, and what changed over the nights. */
export const nights: Feature = {
  commands: [
    {
      name: 'nightly',
      summary: 'a whole night: measure, analyse, report, notify, keep the database in order',
      load: () => import('./nightly-command.ts'),
    },
    {
      name: 'history',
      summary: 'what changed over the nights of a suite, when, and with what',
      load: () => import('./history-command.ts'),
    },
  ],
};
