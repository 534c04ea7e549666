import type { Feature } from '../../core/cli/index.ts';

/** Builds of browsers and runtimes: keep them, and measure one case over many. */
export const engines: Feature = {
  commands: [
    {
      name: 'engines',
      also: ['builds'],
      summary: 'list, get or remove builds; sweep over them',
      load: () => import('./builds-command.ts'),
    },
    {
      name: 'sweep',
      under: 'engines',
      summary: 'measure one case over many builds',
      load: () => import('./sweep-command.ts'),
    },
  ],
  gallery: () => import('./gallery.ts'),
  paths: () => import('./paths.ts'),
};
