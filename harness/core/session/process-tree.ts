import {
  identify,
  isAlive,
  readProcessTable,
  type ProcessEntry,
  type ProcessIdentity,
} from './process-table.ts';

/** Carried by every process of a session, as far as it keeps the environment that it was given. */
export const sessionVariable = 'CROSSFARM_SESSION';

/** How the processes of one session are known. */
export interface TreeMarks {
  /** Processes that a driver started itself, and all members of the tree seen before. */
  readonly roots: readonly ProcessIdentity[];
  /** `NAME=value` in the environment. */
  readonly mark: string;
  /** Profile directory; null without a process to look for. */
  readonly profile: string | null;
}

/**
 * The living processes of a session: the roots, and those that carry the mark or name the profile,
 * each with its children, transitively. Neither alone is enough (seen with Chromium
 * 156, Firefox 153 and WebKitGTK 2.50): Chromium's helpers overwrite their environment but name the
 * profile; its crash handler, and Firefox's, are children of init from the start but keep the mark;
 * Firefox's and WebKit's helpers name no profile but keep the mark.
 */
export function selectTree(
  table: readonly ProcessEntry[],
  { roots, mark, profile }: TreeMarks,
  self: number = process.pid,
): readonly ProcessIdentity[] {
  const children = groupByParent(table);
  const isRoot = (entry: ProcessEntry): boolean =>
    entry.environment.includes(mark) ||
    (profile !== null && entry.command.includes(profile)) ||
    roots.some(({ pid, start }) => pid === entry.pid && start === entry.start);
  const tree = new Map<number, ProcessEntry>();
  const pending = table.filter((entry) => entry.pid !== self && isRoot(entry));
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    // The farm itself is never a part, not even when it was started inside a session.
    if (tree.has(entry.pid) || entry.pid === self) continue;
    tree.set(entry.pid, entry);
    pending.push(...(children.get(entry.pid) ?? []));
  }
  return [...tree.values()]
    .filter(({ dead }) => !dead)
    .map(({ pid, start }) => ({ pid, start }))
    .sort((a, b) => a.pid - b.pid);
}

function groupByParent(table: readonly ProcessEntry[]): ReadonlyMap<number, ProcessEntry[]> {
  const children = new Map<number, ProcessEntry[]>();
  for (const entry of table) {
    children.set(entry.parent, [...(children.get(entry.parent) ?? []), entry]);
  }
  return children;
}

export interface EndingRules {
  /** How long processes may take to end politely, then by force, in milliseconds. */
  readonly politeMs: number;
  readonly forcedMs: number;
}

const endingRules: EndingRules = { politeMs: 3000, forcedMs: 5000 };

/** One session's processes. It remembers what it has seen: a helper may lose its parent and its marks. */
export class ProcessTree {
  private readonly marks: TreeMarks;
  private seen: readonly ProcessIdentity[];

  constructor(marks: TreeMarks) {
    this.marks = marks;
    this.seen = marks.roots;
  }

  /** Names further roots; a pid that no longer lives does not count. */
  addRoots(pids: readonly number[]): void {
    const found = pids.map(identify).filter((one) => one !== null);
    this.seen = [...this.seen, ...found];
  }

  /** Everything that lives of the session, found now. */
  find(): readonly ProcessIdentity[] {
    const found = selectTree(readProcessTable(), { ...this.marks, roots: this.seen });
    // Where processes cannot be listed, only the roots are known.
    const living = found.length > 0 ? found : this.seen.filter(isAlive);
    this.seen = living;
    return living;
  }

  /**
   * Ends the whole tree: SIGTERM, and SIGKILL to what is left after `politeMs`. Looks again before
   * every signal, because a dying browser may still start a process.
   * @returns what survived even that.
   */
  async end(rules: EndingRules = endingRules): Promise<readonly ProcessIdentity[]> {
    const left = await this.signalUntilGone('SIGTERM', rules.politeMs);
    return left.length === 0 ? left : this.signalUntilGone('SIGKILL', rules.forcedMs);
  }

  private async signalUntilGone(
    signal: 'SIGTERM' | 'SIGKILL',
    patienceMs: number,
  ): Promise<readonly ProcessIdentity[]> {
    const deadline = performance.now() + patienceMs;
    const told = new Set<number>();
    for (;;) {
      const living = this.find();
      if (living.length === 0 || performance.now() >= deadline) return living;
      for (const one of living.filter(({ pid }) => !told.has(pid))) {
        told.add(one.pid);
        signalProcess(one, signal);
      }
      // Processes that are not our children do not report their end: they must be looked at.
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}

function signalProcess(one: ProcessIdentity, signal: 'SIGTERM' | 'SIGKILL'): void {
  // The pid may have passed to a stranger since the look a moment ago.
  if (!isAlive(one)) return;
  try {
    process.kill(one.pid, signal);
  } catch (error) {
    // ESRCH: gone by itself just now. EPERM: not ours to end; it shows as a survivor.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
