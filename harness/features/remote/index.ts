import type { Feature } from '../../core/cli/index.ts';

/** Devices on other machines: nodes of a grid, phones, and what joins by a code. */
export const remote: Feature = {
  commands: [
    {
      name: 'attend',
      under: 'devices',
      summary: 'measure devices that join by scanning a code',
      load: () => import('./attend-command.ts'),
    },
    {
      name: 'agent',
      under: 'devices',
      summary: 'let a remote farm read this machine’s CPU',
      load: () => import('./agent-command.ts'),
    },
  ],
  machines: [
    async () => (await import('./node/nodes.ts')).openNodes,
    async () => (await import('./phone/phones.ts')).openPhones,
  ],
};
