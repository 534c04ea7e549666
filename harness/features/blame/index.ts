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
  findings: async () => {
    const parts = await Promise.all([
      import('./profile/kept-answers.ts'),
      import('./profile/report-section.ts'),
    ]);
    return {
      async addFindings(reading) {
        const found = await Promise.all(parts.map((one) => one.addFindings(reading)));
        return { ...found[0], ...found[1] };
      },
    };
  },
  sections: async () => {
    const { profileInShort, profileSection } = await import('./profile/report-section.ts');
    const { causalSection } = await import('./causal/causal-section.ts');
    const { blameSection } = await import('./blame-section.ts');
    return [causalSection, blameSection, profileInShort, profileSection];
  },
  profiles: () => import('./profile/make-profile.ts'),
  scripts: () => import('./profile/locate-scripts.ts'),
};
