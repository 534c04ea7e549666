import type { Feature } from '../../core/cli/index.ts';

/** Runs that leave the farm and come in again; copies of its database, and an end to old runs. */
export const bundles: Feature = {
  commands: [
    {
      name: 'export',
      under: 'db',
      summary: 'export a run for another farm, CI or a tracker',
      load: () => import('./export-command.ts'),
    },
    {
      name: 'import',
      under: 'db',
      also: ['merge'],
      summary: 'import runs of a farm, Vitest or Speedometer',
      load: () => import('./import-command.ts'),
    },
    {
      name: 'prune',
      under: 'db',
      summary: 'remove old runs and shrink the database',
      load: () => import('./prune-command.ts'),
    },
    {
      name: 'backup',
      under: 'db',
      summary: 'copy the database, even during a run',
      load: () => import('./backup-command.ts'),
    },
  ],
};
