import type { OtherSuites } from '../app/run/run-suite.ts';
import type { Extension } from '../app/extensions.ts';
import type { CommandModule } from './io.ts';

export interface CommandEntry {
  readonly name: string;
  /** Other names of the command. */
  readonly also?: readonly string[];
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

/** The parts that a folder of `harness/features/` adds to the farm. */
export interface Feature extends Extension {
  readonly commands: readonly CommandEntry[];
  readonly suites?: OtherSuites;
}

/** The commands of the core. */
export function coreCommands(suites: OtherSuites): readonly CommandEntry[] {
  return [
    ...beforeRun,
    {
      name: 'run',
      summary: 'measure a suite or chosen benchmarks',
      load: async () => (await import('./run.ts')).runCommand(suites),
    },
    ...afterRun,
  ];
}

// A module is loaded only when its command is named, so that help stays quick.
const beforeRun: readonly CommandEntry[] = [
  {
    name: 'start',
    summary: 'set up, run the quick suite, write its report',
    load: () => import('./start.ts'),
  },
  {
    name: 'setup',
    summary: 'find browsers and install missing ones',
    load: () => import('./setup.ts'),
  },
  {
    name: 'devices',
    summary: 'list devices and their status',
    load: () => import('./devices.ts'),
  },
  {
    name: 'trust',
    summary: 'list, grant or revoke trust in files that name programs',
    load: () => import('./trust.ts'),
  },
  {
    name: 'doctor',
    summary: 'check this machine and its noise',
    load: () => import('./doctor.ts'),
  },
];

const afterRun: readonly CommandEntry[] = [
  {
    name: 'resume',
    summary: 'continue an interrupted run',
    load: () => import('./resume.ts'),
  },
  {
    name: 'runs',
    also: ['list', 'ls'],
    summary: 'list stored runs',
    load: () => import('./runs.ts'),
  },
  {
    name: 'report',
    summary: 'write stored runs as one HTML report',
    load: () => import('./report.ts'),
  },
  {
    name: 'completion',
    summary: 'print completions for bash, zsh or fish',
    load: () => import('./completion.ts'),
  },
];
