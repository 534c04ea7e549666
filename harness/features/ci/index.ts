import type { Feature } from '../../core/cli/index.ts';

/** The answer in a pull request, from any continuous integration. */
export const ci: Feature = {
  commits: () => import('./history-page.ts'),
  commands: [
    {
      name: 'ci',
      summary: 'compare a pull request with its base, and comment on it',
      load: () => import('./ci-command.ts'),
    },
  ],
};
