import { realpathSync } from 'node:fs';
import { askVersion, findOnPath } from './executable.ts';

/**
 * The version of the distribution's package that a program came in, such as `2.1`; null where no
 * package manager knows it. The program itself is not asked: one that nobody knows might open a
 * window instead of an answer. A program that is only to start another one, which its flags name
 * after `--`, has the version of that one.
 */
export async function askPackage(
  executable: string,
  flags: readonly string[] = [],
): Promise<string | null> {
  const path = realpathSync(startedBy(flags) ?? executable);
  const owner = await findOwner(path);
  const commands = [
    ...(owner === null ? [] : [['dpkg-query', '-W', '-f=${Version}', owner]]),
    ['rpm', '-qf', '--qf', '%{VERSION}', path],
  ];
  return askVersion(commands);
}

function startedBy(flags: readonly string[]): string | null {
  const name = flags[flags.indexOf('--') + 1];
  return flags.includes('--') && name !== undefined ? findOnPath([name]) : null;
}

/** `surf` of the line `surf: /usr/bin/surf`; null without dpkg, or for a program of no package. */
async function findOwner(path: string): Promise<string | null> {
  const { execa } = await import('execa');
  const options = { reject: false, timeout: 10_000, stdin: 'ignore' } as const;
  const { stdout, failed } = await execa('dpkg-query', ['-S', path], options);
  return failed ? null : (/^([a-z0-9][a-z0-9+.-]+)(?::\w+)?: /m.exec(stdout)?.[1] ?? null);
}
