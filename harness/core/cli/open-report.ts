import { setTimeout as pause } from 'node:timers/promises';
import { type Io, note } from './io.ts';

/** Finds the desktop's program that opens files and addresses; null without a display. */
function findOpener(environment: NodeJS.ProcessEnv): readonly [string, ...string[]] | null {
  const { BROWSER = '', DISPLAY = '', WAYLAND_DISPLAY = '' } = environment;
  // Several stand in a list, each perhaps with arguments.
  const [own, ...args] = BROWSER.split(':')[0]?.split(' ').filter(Boolean) ?? [];
  if (own !== undefined) return [own, ...args.filter((arg) => arg !== '%s')];
  switch (process.platform) {
    case 'darwin':
      return ['open'];
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler'];
    default:
      return DISPLAY + WAYLAND_DISPLAY === '' ? null : ['xdg-open'];
  }
}

/** Some browsers run in the foreground until their user closes them. */
const longestMs = 3_000;

/**
 * Opens an address or a file with the program of this desktop for it, or with `BROWSER` of the environment.
 * @returns false without a program or a display, or if the program fails
 */
export async function openOnDesktop(address: string): Promise<boolean> {
  const [program, ...args] = findOpener(process.env) ?? [];
  if (program === undefined) return false;
  const { execa } = await import('execa');
  const opening = execa(program, [...args, address], {
    reject: false,
    stdio: 'ignore',
    detached: true,
    cleanup: false,
  });
  opening.unref();
  const ended = opening.then(({ exitCode }) => exitCode === 0);
  return Promise.race([ended, pause(longestMs, true, { ref: false })]);
}

/** Opens a report on this desktop; a note says when that fails. */
export async function openReport(path: string, io: Io): Promise<void> {
  if (!(await openOnDesktop(path))) {
    note(io, 'The report could not be opened: open it by hand.');
  }
}
