import { setExtensions } from './core/app/extensions.ts';
import { type CommandEntry, coreCommands, type Feature } from './core/cli/index.ts';
import { bisect } from './features/bisect/index.ts';
import { blame } from './features/blame/index.ts';
import { bundles } from './features/bundles/index.ts';
import { ci } from './features/ci/index.ts';
import { claims } from './features/claims/index.ts';
import { compare } from './features/compare/index.ts';
import { deviceReport } from './features/device-report/index.ts';
import { engines } from './features/engines/index.ts';
import { explorer } from './features/explorer/index.ts';
import { fleet } from './features/fleet/index.ts';
import { mcp } from './features/mcp/index.ts';
import { nights } from './features/nights/index.ts';
import { remote } from './features/remote/index.ts';

/** Features besides measuring and reporting: one line each. The core knows none. */
const features: readonly Feature[] = [
  remote,
  bundles,
  nights,
  claims,
  engines,
  bisect,
  // After what asks for comparisons, and continues its own.
  compare,
  blame,
  ci,
  mcp,
  fleet,
  deviceReport({ joining: () => import('./features/remote/lend-joined.ts') }),
  // Devices join at the door of the explorer, and its visitors keep what they measured.
  explorer({
    joining: () => import('./features/remote/receive.ts'),
    visits: () => import('./features/remote/visit-routes.ts'),
    visitors: () => import('./features/remote/visitors.ts'),
  }),
];

setExtensions(features);

/** The commands that help lists, in its order and under its headings; those under one follow it. */
const helpGroups: Readonly<Record<string, readonly string[]>> = {
  'Measure:': ['compare', 'run', 'start', 'nightly', 'ci'],
  'Find the cause:': ['bisect', 'blame', 'causal', 'profile'],
  'Read and repeat:': ['report', 'serve', 'claims', 'findings', 'db', 'continue'],
  'Browsers and machines:': ['devices', 'engines', 'worker', 'submit', 'queue', 'mcp'],
};

const helpOrder = Object.entries(helpGroups).flatMap(([group, names]) =>
  names.map((name) => ({ group, name })),
);

/** Every command. */
export const commands: readonly CommandEntry[] = [
  ...coreCommands(compare.suites),
  ...features.flatMap((feature) => feature.commands),
]
  .map((command) => ({ command, place: findPlace(command) }))
  .toSorted((one, other) => one.place - other.place)
  .map(({ command, place }) => ({ ...command, group: helpOrder[place]?.group }));

function findPlace({ name, under = name, isHidden = false }: CommandEntry): number {
  return isHidden ? helpOrder.length : helpOrder.findIndex((one) => one.name === under);
}
