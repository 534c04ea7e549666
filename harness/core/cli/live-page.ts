import type { Command } from 'commander';
import { openLivePages } from '../app/extensions.ts';
import { joinListeners } from '../app/follow.ts';
import { type Io, note } from './io.ts';
import { openOnDesktop } from './open-report.ts';
import type { DatabaseOption } from './options.ts';

export interface OpenOption {
  readonly open: boolean;
}

export function withOpen(command: Command): Command {
  return command.option('--open', 'show the run on a page of this machine while it goes on', false);
}

/**
 * Shows the runs of a command on a page while they go on, if that was asked for, and opens the page where
 * there is a display. Its server ends with the command.
 */
export async function withLivePage<Result>(
  { open, database }: OpenOption & DatabaseOption,
  io: Io,
  act: (io: Io) => Promise<Result>,
): Promise<Result> {
  if (!open) return act(io);
  const pages = await openLivePages(database);
  const show = async (run: number): Promise<void> => {
    const address = await pages.addressOf(run);
    note(io, `see it while it goes on: ${address}`);
    await openOnDesktop(address);
  };
  const onRunStarted = ({ run }: { readonly run: number }): void => {
    show(run).catch((error: unknown) => {
      note(io, `the run cannot be shown: ${String(error)}`);
    });
  };
  try {
    return await act({ ...io, watcher: joinListeners(io.watcher ?? {}, { onRunStarted }) });
  } finally {
    await pages.close();
  }
}
