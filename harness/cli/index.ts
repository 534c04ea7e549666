import type { CommandModule } from './io.ts';

export interface CommandEntry {
  readonly name: string;
  /** Other names, by which somebody may look for it. */
  readonly also?: readonly string[];
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

/** What a folder of `harness/features/` adds to the farm. */
export interface Feature {
  readonly commands: readonly CommandEntry[];
}

/** A module is loaded only when its command is named, so that help stays quick. */
export const coreCommands: readonly CommandEntry[] = [
  {
    name: 'start',
    summary: 'setup, then the quick suite, then its report: what npm start does',
    load: () => import('./start.ts'),
  },
  {
    name: 'setup',
    summary: 'find browsers, and install what is missing where that is possible',
    load: () => import('./setup.ts'),
  },
  {
    name: 'devices',
    summary: 'the inventory, with what is really there',
    load: () => import('./devices.ts'),
  },
  {
    name: 'trust',
    summary: 'files whose programs may run: list, grant, revoke',
    load: () => import('./trust.ts'),
  },
  {
    name: 'doctor',
    summary: 'is this machine fit to measure, and how small a difference could be seen',
    load: () => import('./doctor.ts'),
  },
  {
    name: 'run',
    summary: 'measure a suite, or chosen benchmarks on chosen devices',
    load: () => import('./run.ts'),
  },
  {
    name: 'attend',
    summary: 'measure phones and other devices that join by scanning a code',
    load: () => import('./attend.ts'),
  },
  {
    name: 'agent',
    summary: 'let a farm elsewhere read the CPU of this machine while its browsers run here',
    load: () => import('./agent.ts'),
  },
  {
    name: 'resume',
    summary: 'go on with an interrupted run: the cells that have no outcome yet',
    load: () => import('./resume.ts'),
  },
  {
    name: 'compare',
    summary: 'two devices, builds, flags or parameters, block by block until it is decided',
    load: () => import('./compare.ts'),
  },
  {
    name: 'export',
    summary: 'write a stored run as JSON, CSV, JUnit XML or Perfherder’s JSON',
    load: () => import('./export.ts'),
  },
  {
    name: 'import',
    also: ['merge'],
    summary: 'take in the runs of another farm: its database, or what it exported as JSON',
    load: () => import('./import.ts'),
  },
  {
    name: 'prune',
    summary: 'remove old runs by age or size, and make the database smaller',
    load: () => import('./prune.ts'),
  },
  {
    name: 'backup',
    summary: 'copy the database, also while a run writes to it',
    load: () => import('./backup.ts'),
  },
  {
    name: 'runs',
    also: ['list', 'ls'],
    summary: 'what is stored: each run, when it was, what it measured and what it found',
    load: () => import('./runs.ts'),
  },
  {
    name: 'report',
    summary: 'write a stored run to one HTML file, or several beside each other',
    load: () => import('./report.ts'),
  },
  {
    name: 'completion',
    summary: 'print what makes a shell complete commands and options: bash, zsh or fish',
    load: () => import('./completion.ts'),
  },
];
