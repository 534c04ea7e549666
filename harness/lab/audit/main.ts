import { runCommandLine } from '../../core/cli/command-line.ts';
import { askAtTerminal, openIo, whenUnread } from '../../core/cli/io.ts';
import { withoutPackages } from '../../core/setup/executable.ts';
import { auditCommand } from './command.ts';

// `npm run audit -- …`: one command, with the options, answers and exit codes of the farm's own.
const { stdout, stderr } = process;
for (const stream of [stdout, stderr]) whenUnread(stream, () => undefined);
process.env['PATH'] = withoutPackages(process.env['PATH'] ?? '');
process.exitCode = await runCommandLine(['audit', ...process.argv.slice(2)], {
  commands: [auditCommand],
  stdout,
  stderr,
  open: openIo,
  ask: askAtTerminal(),
});
