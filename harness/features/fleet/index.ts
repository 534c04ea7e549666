import type { Feature } from '../../core/cli/index.ts';

/** Many machines: PostgreSQL hands out measuring commands, and keeps the results of all. */
export const fleet: Feature = {
  commands: [
    {
      name: 'worker',
      summary: 'measure jobs of a farm',
      load: () => import('./worker-command.ts'),
    },
    {
      name: 'submit',
      summary: 'measure on another host',
      load: () => import('./submit-command.ts'),
    },
    {
      name: 'queue',
      summary: 'list hosts and jobs',
      load: () => import('./queue-command.ts'),
    },
    {
      name: 'cancel',
      under: 'queue',
      summary: 'end a job',
      load: () => import('./cancel-command.ts'),
    },
  ],
};
