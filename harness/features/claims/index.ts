import type { Feature } from '../../core/cli/index.ts';

/** Confirms or refutes published claims, anomalies that were saved, and bundles of others. */
export const claims: Feature = {
  commands: [
    {
      name: 'claims',
      summary: 'list published claims and their verdicts',
      load: () => import('./claims-command.ts'),
    },
    {
      name: 'reproduce',
      summary: 'measure a claim, an anomaly or a bundle',
      load: () => import('./reproduce-command.ts'),
    },
    {
      name: 'anomalies',
      summary: 'list saved findings',
      load: () => import('./anomalies-command.ts'),
    },
  ],
  paths: () => import('./claim-answer.ts'),
  analyses: () => import('./claim-answer.ts'),
  findings: () => import('./findings.ts'),
  sections: async () => [(await import('./studies/section.ts')).rebuiltSection],
  gallery: () => import('./gallery.ts'),
  answers: () => import('./judging/evidence.ts'),
};
