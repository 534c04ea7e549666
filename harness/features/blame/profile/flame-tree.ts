import type { FlameNode } from '../../../core/results/index.ts';
import type { Category, Profile, ProfiledFunction, ProfiledThread } from './profile.ts';

/** Narrower nodes could not be seen: a share of the whole. */
const narrowest = 1 / 2000;

/** Adds up the stacks of a thread from the outermost function on, the widest first, idle time left out. */
export function growFlame(profile: Profile, thread: ProfiledThread): FlameNode {
  const tree = new GrowingTree(thread.name);
  tree.add({ profile, thread, ids: profile.functions.map((_, i) => i), scale: 1 });
  return tree.prune();
}

interface GrowingNode {
  readonly name: string;
  readonly place: string;
  readonly category: Category;
  /** Milliseconds in itself, on each side; with what it called, once all is there. */
  readonly ms: [number, number];
  readonly below: Map<number, GrowingNode>;
}

interface AddedThread {
  readonly profile: Profile;
  readonly thread: ProfiledThread;
  /** Names of the functions in the tree. */
  readonly ids: readonly number[];
  /** What a millisecond counts. */
  readonly scale: number;
  /** 1 for the later one of two sides. */
  readonly side?: 0 | 1;
}

const unknown: ProfiledFunction = { name: '', url: '', line: 0, column: 0, category: 'native' };

/** Stacks of threads, of one side or of two, as one tree. */
export class GrowingTree {
  readonly #root: GrowingNode;
  #hasSides = false;

  constructor(name: string) {
    this.#root = makeNode({ ...unknown, name });
  }

  add({ profile, thread: { stacks, weightsMs }, ids, scale, side }: AddedThread): void {
    if (side !== undefined) this.#hasSides = true;
    const nodes = new Map<number, GrowingNode>();
    stacks.forEach((stack, i) => {
      const node = this.#find(stack, { profile, ids, nodes });
      if (node.category !== 'idle') node.ms[side ?? 0] += (weightsMs[i] ?? 0) * scale;
    });
  }

  #find(
    stack: number,
    { profile, ids, nodes }: Pick<AddedThread, 'profile' | 'ids'> & KnownNodes,
  ): GrowingNode {
    const { frames, functions } = profile;
    const path: number[] = [];
    let one: number | null = stack;
    while (one !== null && !nodes.has(one)) {
      path.push(one);
      one = frames[one]?.parent ?? null;
    }
    let node = nodes.get(one ?? -1) ?? this.#root;
    for (const next of path.toReversed()) {
      const what = frames[next]?.function ?? 0;
      node = findBelow(node, ids[what] ?? -1, functions[what]);
      nodes.set(next, node);
    }
    return node;
  }

  /** Sums up from the leaves, without recursion, and leaves out what is too narrow. */
  prune(): FlameNode {
    const order: GrowingNode[] = [this.#root];
    for (const node of order) for (const one of node.below.values()) order.push(one);
    const upwards = order.toReversed();
    for (const { ms, below } of upwards) {
      for (const one of below.values()) {
        ms[0] += one.ms[0];
        ms[1] += one.ms[1];
      }
    }
    const least = this.#width(this.#root) * narrowest;
    const kept = new Map<GrowingNode, FlameNode>();
    for (const node of upwards) {
      const { name: n, place: l, category: k, ms, below } = node;
      const c = [...below.values()]
        .filter((one) => this.#width(one) > 0 && this.#width(one) >= least)
        .map((one) => kept.get(one) as FlameNode)
        .sort((a, b) => b.v - a.v);
      const d = this.#hasSides ? { d: round(ms[1] - ms[0]) } : {};
      kept.set(node, { n, v: round(this.#width(node)), ...d, l, k, c });
    }
    return kept.get(this.#root) as FlameNode;
  }

  /** The mean of two sides: what is on one alone is seen, and the parts make up the whole. */
  #width({ ms: [before, after] }: GrowingNode): number {
    return this.#hasSides ? (before + after) / 2 : before;
  }
}

interface KnownNodes {
  /** Nodes of the profile's frames that are there already. */
  readonly nodes: Map<number, GrowingNode>;
}

function findBelow(
  { below }: GrowingNode,
  id: number,
  what: ProfiledFunction = unknown,
): GrowingNode {
  const known = below.get(id) ?? makeNode(what);
  below.set(id, known);
  return known;
}

/** To the microsecond. */
function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function makeNode({ name, url, line, column, category }: ProfiledFunction): GrowingNode {
  const place = url === '' ? '' : `${url}:${String(line)}:${String(column)}`;
  return { name, place, category, ms: [0, 0], below: new Map() };
}
