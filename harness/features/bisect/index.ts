import type { CommandEntry, Feature } from '../../core/cli/index.ts';

const entry: CommandEntry = {
  name: 'bisect',
  summary: 'find the commit or build that made a difference',
  load: () => import('./bisect-command.ts'),
};

/** Finds what made a difference: the commit of a page, or the build of a browser. */
export const bisect: Feature = {
  // Earlier it knew builds only.
  commands: [entry, { ...entry, under: 'engines', isHidden: true }],
  findings: () => import('./answer.ts'),
  sections: async () => [(await import('./bisection-section.ts')).bisectionSection],
  continues: () => import('./find-continuation.ts'),
};
