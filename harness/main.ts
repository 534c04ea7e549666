#!/usr/bin/env node
import { runCommandLine } from './core/cli/command-line.ts';
import { commands } from './features.ts';
import { askAtTerminal, openIo, whenUnread } from './core/cli/io.ts';
import { withoutPackages } from './core/setup/executable.ts';

const { stdout, stderr } = process;
for (const stream of [stdout, stderr]) whenUnread(stream, () => undefined);
// Child processes inherit it: servers look for drivers there, too.
process.env['PATH'] = withoutPackages(process.env['PATH'] ?? '');
process.exitCode = await runCommandLine(process.argv.slice(2), {
  commands,
  stdout,
  stderr,
  open: openIo,
  ask: askAtTerminal(),
});
