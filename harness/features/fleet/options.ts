import type { Command } from 'commander';
import { farmVariableName } from './server.ts';

export interface FarmOption {
  /** Of the environment when left out. */
  readonly farm?: string;
}

export function withFarm(command: Command): Command {
  return command.option(
    '--farm <url>',
    `PostgreSQL server of the farm (default: ${farmVariableName})`,
  );
}
