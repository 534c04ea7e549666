import type { Feature } from '../../core/cli/index.ts';
import type { Reception } from './serve-command.ts';

/** The explorer of everything stored, and its API, in the reader’s browser. */
export function explorer(reception: Reception): Feature {
  return {
    livePages: () => import('./live-pages.ts'),
    commands: [
      {
        name: 'serve',
        summary: 'serve the explorer and its JSON API on this machine',
        load: async () => (await import('./serve-command.ts')).serveCommand(reception),
      },
    ],
  };
}
