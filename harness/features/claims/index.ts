import type { Feature } from '../../core/cli/index.ts';

/** Confirms or refutes published claims, anomalies that were saved, and bundles of others. */
export const claims: Feature = {
  commands: [
    {
      name: 'claims',
      summary: 'list published claims; measure one',
      load: () => import('./claims-command.ts'),
    },
    {
      name: 'reproduce',
      under: 'claims',
      summary: 'measure a claim, or the one in a bundle',
      load: () => import('./reproduce-command.ts'),
    },
    {
      name: 'studies',
      under: 'claims',
      summary: 'write the published studies’ tables with ours',
      load: () => import('./studies/studies-command.ts'),
    },
    {
      name: 'findings',
      also: ['anomalies'],
      summary: 'list saved findings; ignore or close one',
      load: () => import('./anomalies-command.ts'),
    },
    {
      name: 'reproduce',
      under: 'findings',
      summary: 'measure a finding again, or the one in a bundle',
      load: () => import('./reproduce-command.ts'),
    },
  ],
  continues: () => import('./find-continuation.ts'),
  paths: () => import('./claim-answer.ts'),
  analyses: () => import('./claim-answer.ts'),
  findings: () => import('./findings.ts'),
  sections: async () => [(await import('./studies/section.ts')).rebuiltSection],
  gallery: () => import('./gallery.ts'),
  answers: () => import('./judging/evidence.ts'),
};
