import { setExtensions } from './core/app/extensions.ts';
import { type CommandEntry, coreCommands, type Feature } from './core/cli/index.ts';
import { bisect } from './features/bisect/index.ts';
import { blame } from './features/blame/index.ts';
import { bundles } from './features/bundles/index.ts';
import { ci } from './features/ci/index.ts';
import { claims } from './features/claims/index.ts';
import { compare } from './features/compare/index.ts';
import { engines } from './features/engines/index.ts';
import { explorer } from './features/explorer/index.ts';
import { fleet } from './features/fleet/index.ts';
import { mcp } from './features/mcp/index.ts';
import { nights } from './features/nights/index.ts';
import { remote } from './features/remote/index.ts';

/** Features besides measuring and reporting: one line each. The core knows none. */
const features: readonly Feature[] = [
  remote,
  compare,
  bundles,
  nights,
  claims,
  engines,
  bisect,
  blame,
  ci,
  mcp,
  fleet,
  // Devices join at the door of the explorer, and its visitors keep what they measured.
  explorer({
    joining: () => import('./features/remote/receive.ts'),
    visits: () => import('./features/remote/visit-routes.ts'),
  }),
];

setExtensions(features);

/** The commands that help lists, in its order; those under one of them follow it. */
const helpOrder = [
  ...['compare', 'bisect', 'blame', 'causal', 'profile', 'ci', 'run', 'start', 'report', 'serve'],
  'nightly',
  ...['claims', 'findings', 'engines', 'devices', 'db', 'continue', 'mcp'],
  ...['worker', 'submit', 'queue'],
];

/** Every command. */
export const commands: readonly CommandEntry[] = [
  ...coreCommands(compare.suites),
  ...features.flatMap((feature) => feature.commands),
].toSorted((one, other) => findPlace(one) - findPlace(other));

function findPlace({ name, under = name, isHidden = false }: CommandEntry): number {
  return isHidden ? helpOrder.length : helpOrder.indexOf(under);
}
