import type { Feature } from '../../core/cli/index.ts';
import type { Reception } from './report-command.ts';

/** Tries one device and writes what it can do into one file: `devices doctor --bundle`. */
export function deviceReport(reception: Reception): Feature {
  return {
    commands: [
      {
        name: 'device-report',
        isHidden: true,
        summary: 'try every ability of one device',
        load: async () => (await import('./report-command.ts')).reportCommand(reception),
      },
    ],
  };
}
