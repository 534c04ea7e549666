import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hostOf, type Target } from '../model/device.ts';
import { isHere } from './appium.ts';
import { isExecutable } from './executable.ts';

/** Everything that a build is made of, where it can be copied. */
export interface BuildHome {
  /** A folder, or the executable itself where that is all of it. */
  readonly root: string;
  readonly executable: string;
}

export interface NoHome {
  readonly because: string;
}

/** Their executables use libraries that lie among those of the system, and are updated with them. */
const spreadOut: ReadonlySet<string> = new Set(['webkitgtk', 'safari']);

/** Folders in which programs of many kinds lie side by side. */
const shared: ReadonlySet<string> = new Set(['bin', 'sbin', 'games']);

/** Where a system's packages keep a browser that a script in /usr/bin starts, as Debian's chromium. */
const packageFolders = ['/usr/lib', '/usr/lib64', '/opt'];

/** What to copy to keep a target's build; or why there is nothing that could be copied. */
export async function findBuildHome({ device, executable }: Target): Promise<BuildHome | NoHome> {
  if (!isHere(device) || executable === '') return { because: 'it is not on this machine' };
  if (spreadOut.has(device.browser)) return { because: 'its files lie among those of the system' };
  const host = hostOf(device.browser);
  if (host === 'program') return { because: 'it is made from its source' };
  const real = await realpath(executable);
  // A runtime is one file, whatever lies beside it.
  if (host === 'runtime') return { root: real, executable: real };
  const [application] = /^.*\.app(?=\/Contents\/)/.exec(real) ?? [];
  if (application !== undefined) return { root: application, executable: real };
  const folder = dirname(real);
  if (!shared.has(basename(folder))) return { root: folder, executable: real };
  const name = basename(real);
  const inside = packageFolders.map((one) => join(one, name, name)).find(isExecutable);
  if (inside !== undefined) return { root: dirname(inside), executable: inside };
  return { because: `it is not known which files of ${folder} belong to it` };
}
