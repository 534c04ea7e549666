import type { Feature } from '../../core/cli/index.ts';

/** Many machines: PostgreSQL hands out measuring commands, and keeps the results of all. */
export const fleet: Feature = {
  commands: [
    {
      name: 'worker',
      summary: 'measure the jobs that a farm has for this host',
      load: () => import('./worker-command.ts'),
    },
    {
      name: 'submit',
      summary: 'have another host of the farm measure something',
      load: () => import('./submit-command.ts'),
    },
    {
      name: 'queue',
      summary: 'list hosts and jobs of a farm; cancel one',
      load: () => import('./queue-command.ts'),
    },
    {
      name: 'cancel',
      under: 'queue',
      summary: 'end a job; what it has measured stays',
      load: () => import('./cancel-command.ts'),
    },
  ],
};
