import type { Command } from 'commander';
import { type Runner } from '../../core/cli/io.ts';
import {
  type DatabaseOption,
  type InventoryOption,
  withDatabase,
  withInventory,
} from '../../core/cli/options.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

interface Options extends InventoryOption, DatabaseOption {
  readonly allowBuild: boolean;
  readonly allowUrls: boolean;
}

export function declare(command: Command, run: Runner): void {
  withInventory(command);
  withDatabase(command);
  command
    .option('--allow-build', 'let tools run --build and --server commands', false)
    .option('--allow-urls', 'let tools open pages of other machines', false)
    .addHelpText('after', help)
    .action(({ allowBuild, allowUrls }: Options) =>
      run(async (io) => {
        const { serveTools } = await import('./serve-tools.ts');
        return serveTools(command, { build: allowBuild, urls: allowUrls }, io);
      }),
    );
}

const help = `
An agent starts it, and talks to it by its standard input and output (Model Context Protocol):
  claude mcp add crossfarm -- ${npxCrossfarm} mcp
  { "mcpServers": { "crossfarm": { "command": "npx", "args": ["crossfarm", "mcp"] } } }

Tools: compare, run, bisect, reproduce, findings, explain. Long work reports its progress, and ends when
the agent cancels it. A tool runs no command of your shell, and opens no page of another machine, unless
you allow it here.`;
