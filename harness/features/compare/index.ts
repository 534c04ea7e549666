import type { Feature } from '../../core/cli/index.ts';

/** Comparisons until they are decided: of versions of a page, of two devices, of drivers. */
export const compare = {
  commands: [
    {
      name: 'compare',
      summary: 'compare versions of a page, or two browsers, until decided',
      load: () => import('./compare-command.ts'),
    },
    {
      name: 'open',
      isHidden: true,
      summary: 'open a page once in every browser',
      takes: async (word) => (await import('./versions/resolve.ts')).isPage(word),
      load: () => import('./open-command.ts'),
    },
  ],
  continues: () => import('./find-continuation.ts'),
  ownPages: () => import('./versions/stored-pages.ts'),
  suites: {
    names: async () => (await import('./versions/well-known.ts')).wellKnownSuites,
    run: async (options, caller) =>
      (await import('./run-known-suite.ts')).runKnownSuite(options, caller),
    runPages: async (pages, options, caller) =>
      (await import('./run-pages.ts')).runPages(pages, options, caller),
  },
} satisfies Feature;
