import type { Feature } from '../../core/cli/index.ts';

/** Builds of browsers and runtimes: keep them, and find the one that changed a case. */
export const engines: Feature = {
  commands: [
    {
      name: 'engines',
      also: ['builds'],
      summary: 'list, get or remove builds; sweep or bisect them',
      load: () => import('./builds-command.ts'),
    },
    {
      name: 'sweep',
      under: 'engines',
      summary: 'measure one case over many builds',
      load: () => import('./sweep-command.ts'),
    },
    {
      name: 'bisect',
      under: 'engines',
      summary: 'find the build that introduced a change',
      load: () => import('./bisect-command.ts'),
    },
  ],
  gallery: () => import('./gallery.ts'),
};
