import { accessSync, constants, readdirSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { askProgram } from './ask-program.ts';

/** True if the path is a file that this user may run. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * A PATH without the folders that npm puts before it for the time of a script: a package's
 * `geckodriver` there is a script that downloads a driver, and would stand before a real one.
 */
export function withoutPackages(path: string): string {
  const ofPackages = /[\\/]node_modules[\\/]\.bin[\\/]?$/;
  return path
    .split(delimiter)
    .filter((folder) => !ofPackages.test(folder))
    .join(delimiter);
}

/** The first of the names that is on PATH, as an absolute path; not one that a package brought. */
export function findOnPath(names: readonly string[]): string | null {
  const path = withoutPackages(process.env['PATH'] ?? '');
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  const endings = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  for (const name of names) {
    for (const folder of folders) {
      const hit = endings.map((ending) => join(folder, name + ending)).find(isExecutable);
      if (hit !== undefined) return hit;
    }
  }
  return null;
}

/** The first path that can be run; a `*` in it stands for one folder name. */
export function findAmong(paths: readonly string[]): string | null {
  return paths.flatMap(expandStar).find(isExecutable) ?? null;
}

function expandStar(path: string): readonly string[] {
  const [before, after] = path.split('/*/');
  if (before === undefined || after === undefined) return [path];
  try {
    return readdirSync(before)
      .sort()
      .map((folder) => join(before, folder, after));
  } catch {
    return [];
  }
}

/**
 * The version that a program or its package manager prints, such as `156.0.8078.79`; null when
 * none of the commands answers within 10 s.
 */
export async function askVersion(commands: readonly (readonly string[])[]): Promise<string | null> {
  for (const [program, ...args] of commands) {
    if (program === undefined) continue;
    const { stdout, failed } = await askProgram(program, args, {
      timeoutMs: 10_000,
      cwd: dirname(program) === '.' ? process.cwd() : dirname(program),
    });
    const version = failed ? null : /\d+(?:\.\d+)+\w*/.exec(stdout);
    if (version) return version[0].replace(/-\S*$/, '');
  }
  return null;
}

/**
 * The version of the distribution's package that a program came in, such as `2.1`; null where no
 * package manager knows it. The program itself is not asked: an unknown one might open a window
 * instead of an answer. A program that is only to start another one, which its flags name after
 * `--`, has the version of that one.
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
  const { stdout, failed } = await askProgram('dpkg-query', ['-S', path], { timeoutMs: 10_000 });
  return failed ? null : (/^([a-z0-9][a-z0-9+.-]+)(?::\w+)?: /m.exec(stdout)?.[1] ?? null);
}
