import type { Feature } from '../../cli/index.ts';

/** Confirms or refutes published claims, anomalies that were saved, and bundles of others. */
export const claims: Feature = {
  commands: [
    {
      name: 'claims',
      summary: 'published claims, and the verdict on each',
      load: () => import('./claims-command.ts'),
    },
    {
      name: 'reproduce',
      summary: 'confirm or refute a claim, an anomaly or a bundle, with the evidence',
      load: () => import('./reproduce-command.ts'),
    },
    {
      name: 'anomalies',
      summary: 'findings that were saved, and what became of each',
      load: () => import('./anomalies-command.ts'),
    },
  ],
};
