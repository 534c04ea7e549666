import type { Feature } from '../../cli/index.ts';

/** Builds of browsers and runtimes: keep them, and find the one that changed a case. */
export const engines: Feature = {
  commands: [
    {
      name: 'builds',
      summary: 'builds of browsers and runtimes that registries have: list, get, remove',
      load: () => import('./builds-command.ts'),
    },
    {
      name: 'sweep',
      summary: 'one case over many builds: its value against the version, and where it changed',
      load: () => import('./sweep-command.ts'),
    },
    {
      name: 'bisect',
      summary: 'between which two of the kept builds of a browser a difference came',
      load: () => import('./bisect-command.ts'),
    },
  ],
};
