import { type Io, note } from './io.ts';

const openers: Readonly<Record<string, string>> = { darwin: 'open', linux: 'xdg-open' };

/** Opens a report with the program of this desktop for it; a note says when that fails. */
export async function openReport(path: string, io: Io): Promise<void> {
  const program = openers[process.platform];
  const { execa } = await import('execa');
  const opened =
    program === undefined ? null : await execa(program, [path], { reject: false, stdio: 'ignore' });
  if (opened?.exitCode !== 0) note(io, 'The report could not be opened: open it by hand.');
}
