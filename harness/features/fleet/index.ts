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
    {
      name: 'prune',
      under: 'queue',
      summary: 'remove old runs',
      load: () => import('./prune-command.ts'),
    },
    {
      name: 'tokens',
      under: 'queue',
      summary: 'list, make or revoke tokens',
      load: () => import('./tokens-command.ts'),
    },
    {
      name: 'devices',
      under: 'queue',
      summary: 'list the devices of all hosts',
      isHidden: true,
      load: () => import('./devices-command.ts'),
    },
    {
      name: 'serve',
      under: 'queue',
      summary: 'serve the explorer of the farm',
      isHidden: true,
      load: () => import('./serve-farm-command.ts'),
    },
    {
      name: 'copy',
      under: 'db',
      summary: 'copy runs to or from the farm',
      load: () => import('./copy-command.ts'),
    },
  ],
};
