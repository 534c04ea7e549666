import type { OtherSuites } from '../app/run/run-suite.ts';
import type { Extension } from '../app/extensions.ts';
import type { CommandModule } from './io.ts';

export interface CommandEntry {
  readonly name: string;
  /** The command that it stands under: `db` of `db export`. Its bare name works, too. */
  readonly under?: string;
  /** Other names of the command, which help leaves out. */
  readonly also?: readonly string[];
  readonly summary: string;
  /** The heading that it stands below in help, where it stands under no other command. */
  readonly group?: string | undefined;
  /** Help leaves it out. */
  readonly isHidden?: boolean;
  /** Its action reads the options of all others. */
  readonly readsOthers?: boolean;
  /** True for a first argument that names no command, and is one of this command: `farm mine.html`. */
  readonly takes?: (word: string) => Promise<boolean>;
  readonly load: () => Promise<CommandModule>;
}

/** The parts that a folder of `harness/features/` adds to the farm. */
export interface Feature extends Extension {
  readonly commands: readonly CommandEntry[];
  readonly suites?: OtherSuites;
}

// A module is loaded only when its command is named, so that help stays quick.
/** The commands of the core. */
export function coreCommands(suites: OtherSuites): readonly CommandEntry[] {
  return [
    {
      name: 'run',
      summary: 'measure a suite, benchmarks or pages of your own',
      load: async () => (await import('./run.ts')).runCommand(suites),
    },
    ...otherCommands,
  ];
}

const otherCommands: readonly CommandEntry[] = [
  {
    name: 'start',
    summary: 'set up, run the quick suite, write its report',
    load: () => import('./start.ts'),
  },
  {
    name: 'report',
    summary: 'write stored runs as one HTML report',
    load: () => import('./report.ts'),
  },
  {
    name: 'devices',
    summary: 'list devices; set up, check or join some',
    load: () => import('./devices.ts'),
  },
  {
    name: 'setup',
    under: 'devices',
    summary: 'find browsers and install missing ones',
    load: () => import('./setup.ts'),
  },
  {
    name: 'doctor',
    under: 'devices',
    summary: 'check this machine and its noise',
    load: () => import('./doctor.ts'),
  },
  {
    name: 'db',
    also: ['runs', 'list', 'ls'],
    summary: 'list stored runs; export, import, prune, back up',
    load: () => import('./runs.ts'),
  },
  {
    name: 'continue',
    summary: 'continue an interrupted run or an undecided comparison',
    load: () => import('./continue.ts'),
  },
  {
    name: 'resume',
    isHidden: true,
    summary: 'continue an interrupted run',
    load: () => import('./resume.ts'),
  },
  {
    name: 'trust',
    isHidden: true,
    summary: 'list, grant or revoke trust in files that name programs',
    load: () => import('./trust.ts'),
  },
  {
    name: 'completion',
    isHidden: true,
    readsOthers: true,
    summary: 'print completions for bash, zsh or fish',
    load: () => import('./completion.ts'),
  },
];
