import type { Feature } from '../../core/cli/index.ts';

/** The farm as tools of an agent, over the Model Context Protocol. */
export const mcp: Feature = {
  commands: [
    {
      name: 'mcp',
      summary: 'let an agent measure and explain, as MCP tools',
      readsOthers: true,
      load: () => import('./mcp-command.ts'),
    },
  ],
};
