import type { Feature } from '../../core/cli/index.ts';

/** A farm that measures every night unattended, and what changed over the nights. */
export const nights: Feature = {
  commands: [
    {
      name: 'nightly',
      summary: 'measure, look for changes, report and notify, unattended',
      load: () => import('./nightly-command.ts'),
    },
    {
      name: 'history',
      under: 'nightly',
      summary: 'show what changed over the nights',
      load: () => import('./history-command.ts'),
    },
  ],
  gallery: () => import('./gallery.ts'),
  findings: () => import('./search-history.ts'),
  sections: async () => [
    (await import('./report/night.ts')).nightSection,
    (await import('./report/trends.ts')).trendsSection,
  ],
  continues: () => import('./find-continuation.ts'),
  paths: () => import('./paths.ts'),
};
