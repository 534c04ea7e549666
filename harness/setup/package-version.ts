import { realpathSync } from 'node:fs';
import { askVersion } from './executable.ts';

/**
 * The version of the distribution's package that a program came in, such as `2.1`; null where no
 * package manager knows it. The program itself is not asked: one that nobody knows might open a
 * window instead of an answer.
 */
export async function askPackage(executable: string): Promise<string | null> {
  const path = realpathSync(executable);
  const owner = await findOwner(path);
  const commands = [
    ...(owner === null ? [] : [['dpkg-query', '-W', '-f=${Version}', owner]]),
    ['rpm', '-qf', '--qf', '%{VERSION}', path],
  ];
  return askVersion(commands);
}

/** `surf` of the line `surf: /usr/bin/surf`; null without dpkg, or for a program of no package. */
async function findOwner(path: string): Promise<string | null> {
  const { execa } = await import('execa');
  const options = { reject: false, timeout: 10_000, stdin: 'ignore' } as const;
  const { stdout, failed } = await execa('dpkg-query', ['-S', path], options);
  return failed ? null : (/^([a-z0-9][a-z0-9+.-]+)(?::\w+)?: /m.exec(stdout)?.[1] ?? null);
}
