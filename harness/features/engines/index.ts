import type { Feature } from '../../core/cli/index.ts';

/** Builds of browsers and runtimes: keep them, and find the one that changed a case. */
export const engines: Feature = {
  commands: [
    {
      name: 'builds',
      summary: 'list, get or remove builds of browsers and runtimes',
      load: () => import('./builds-command.ts'),
    },
    {
      name: 'sweep',
      summary: 'measure one case over many builds',
      load: () => import('./sweep-command.ts'),
    },
    {
      name: 'bisect',
      summary: 'find the build that introduced a change',
      load: () => import('./bisect-command.ts'),
    },
  ],
  gallery: () => import('./gallery.ts'),
};
