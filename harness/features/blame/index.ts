import type { Feature } from '../../core/cli/index.ts';

/** Says which function made a difference, and what a faster one would bring. */
export const blame: Feature = {
  commands: [
    {
      name: 'blame',
      summary: 'find the functions that made a difference',
      load: () => import('./blame-command.ts'),
    },
    {
      name: 'causal',
      summary: 'measure what the time of each function of a page costs',
      load: () => import('./causal/causal-command.ts'),
    },
    {
      name: 'profile',
      summary: 'show which function ran when',
      load: () => import('./profile-command.ts'),
    },
  ],
  findings: () => import('./kept-blame.ts'),
  sections: async () => [(await import('./blame-section.ts')).blameSection],
  profiles: () => import('./profile/make-profile.ts'),
};
