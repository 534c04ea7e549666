import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** The folder in which this farm may make control groups, or the reason why it is missing. */
export type CgroupHome =
  | { readonly kind: 'delegated'; readonly folder: string }
  | { readonly kind: 'none'; readonly because: string };

/** Where Linux shows control groups; tests name folders that look like it. */
export interface CgroupPlaces {
  readonly root: string;
  readonly self: string;
}

const usualPlaces: CgroupPlaces = { root: '/sys/fs/cgroup', self: '/proc/self/cgroup' };

/**
 * Control groups of version 2 (cgroups(7), "Cgroups v2 delegation"), from Linux 5.14 on, which
 * brought `cgroup.kill`. A service of systemd has them with `Delegate=`; most containers do not.
 */
export function findCgroupHome({ root, self }: CgroupPlaces = usualPlaces): CgroupHome {
  if (!existsSync(join(root, 'cgroup.controllers'))) {
    return { kind: 'none', because: `there are no cgroups of version 2 at ${root}` };
  }
  const own = /^0::(\/.*)$/m.exec(readOrNothing(self))?.[1];
  if (own === undefined) return { kind: 'none', because: `${self} does not name ours` };
  const folder = join(root, own);
  if (!existsSync(join(folder, 'cgroup.kill'))) {
    return { kind: 'none', because: `${folder} has no cgroup.kill, as before Linux 5.14` };
  }
  const isOurs = [folder, join(folder, 'cgroup.procs')].every(isWritable);
  if (!isOurs) return { kind: 'none', because: `${folder} is not ours to divide` };
  return { kind: 'delegated', folder };
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

interface Ending {
  readonly forMs: number;
  readonly pause: () => Promise<void>;
}

const usualEnding: Ending = {
  forMs: 5_000,
  pause: () => new Promise((resolve) => setTimeout(resolve, 25)),
};

/**
 * The control group of one session. Every process that starts in it stays in it, so that even one
 * without parent, environment and name is ended with it.
 */
export class SessionCgroup {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Null where none can be made: the process tree then alone shows a session. */
  static make(id: string, home: CgroupHome = findCgroupHome()): SessionCgroup | null {
    if (home.kind === 'none') return null;
    const folder = join(home.folder, `crossfarm-${id}`);
    try {
      mkdirSync(folder);
      return new SessionCgroup(folder);
    } catch {
      // It looked delegated and was not: a limit on their number, or a read-only mount.
      return null;
    }
  }

  /**
   * Bounds the memory of its processes together, without a way out by swapping; at the bound the
   * kernel ends it whole. Where its home lacks the memory controller, this bound is missing.
   * @returns whether there is one
   */
  boundMemory(bytes: number): boolean {
    const set = (file: string, value: string): boolean => {
      try {
        writeFileSync(join(this.#folder, file), value);
        return true;
      } catch {
        return false;
      }
    };
    if (!set('memory.max', String(bytes))) return false;
    set('memory.swap.max', '0');
    set('memory.oom.group', '1');
    return true;
  }

  /**
   * Takes processes in; what they start from now on is in it by itself.
   * @returns how many: one that has ended is not, and the process tree still knows the others.
   */
  take(pids: readonly number[]): number {
    return pids.filter((pid) => this.#takeOne(pid)).length;
  }

  /**
   * Ends all of its processes by force, and removes it.
   * @throws the file system's error, EBUSY when something is left that cannot be ended.
   */
  async end({ forMs, pause }: Ending = usualEnding): Promise<void> {
    writeFileSync(join(this.#folder, 'cgroup.kill'), '1');
    const deadline = performance.now() + forMs;
    while (this.#isInhabited() && performance.now() < deadline) await pause();
    rmdirSync(this.#folder);
  }

  /** The kernel takes one at a time. */
  #takeOne(pid: number): boolean {
    try {
      writeFileSync(join(this.#folder, 'cgroup.procs'), `${String(pid)}\n`);
      return true;
    } catch {
      return false;
    }
  }

  #isInhabited(): boolean {
    return readOrNothing(join(this.#folder, 'cgroup.procs')).trim() !== '';
  }
}
