import type { Category, Profile, ProfiledFunction, ProfiledThread } from './profile.ts';

/** A node of a flame graph, in the short names that its library reads. */
export interface FlameNode {
  /** Name of the function: the page's, and hostile. */
  readonly n: string;
  /** Milliseconds in it and in what it called. */
  v: number;
  /** Where the function is; empty for work of the browser. */
  readonly l: string;
  readonly k: Category;
  readonly c: FlameNode[];
}

/** Narrower nodes could not be seen. */
const narrowest = 1 / 2000;

interface GrowingNode extends FlameNode {
  readonly byFunction: Map<number, GrowingNode>;
}

/** Adds up the stacks of a thread from the outermost function on, the widest first, idle time left out. */
export function growFlame(profile: Profile, thread: ProfiledThread): FlameNode {
  const tree = new GrowingTree(profile, thread.name);
  thread.stacks.forEach((stack, i) => {
    tree.add(stack, thread.weightsMs[i] ?? 0);
  });
  return tree.prune();
}

const unknown: ProfiledFunction = { name: '', url: '', line: 0, column: 0, category: 'native' };

class GrowingTree {
  readonly #profile: Profile;
  readonly #root: GrowingNode;
  readonly #nodes = new Map<number, GrowingNode>();
  readonly #self = new Map<GrowingNode, number>();

  constructor(profile: Profile, name: string) {
    this.#profile = profile;
    this.#root = growNode({ ...unknown, name });
  }

  add(stack: number, weightMs: number): void {
    const node = this.#find(stack);
    if (node.k !== 'idle') this.#self.set(node, (this.#self.get(node) ?? 0) + weightMs);
  }

  #find(stack: number): GrowingNode {
    const { frames } = this.#profile;
    const path: number[] = [];
    let one: number | null = stack;
    while (one !== null && !this.#nodes.has(one)) {
      path.push(one);
      one = frames[one]?.parent ?? null;
    }
    let above = (one === null ? undefined : this.#nodes.get(one)) ?? this.#root;
    for (const next of path.toReversed()) {
      above = this.#under(above, frames[next]?.function ?? 0);
      this.#nodes.set(next, above);
    }
    return above;
  }

  #under(above: GrowingNode, what: number): GrowingNode {
    const known = above.byFunction.get(what);
    if (known !== undefined) return known;
    const made = growNode(this.#profile.functions[what] ?? unknown);
    above.byFunction.set(what, made);
    above.c.push(made);
    return made;
  }

  prune(): FlameNode {
    return prune(this.#root, this.#self);
  }
}

function growNode({ name, url, line, column, category }: ProfiledFunction): GrowingNode {
  const place = url === '' ? '' : `${url}:${String(line)}:${String(column)}`;
  return { n: name, v: 0, l: place, k: category, c: [], byFunction: new Map() };
}

/** Sums up from the leaves, without recursion, and leaves out what is too narrow. */
function prune(root: GrowingNode, self: ReadonlyMap<GrowingNode, number>): FlameNode {
  const order: GrowingNode[] = [root];
  for (const node of order) order.push(...(node.c as GrowingNode[]));
  for (const node of order.toReversed()) {
    node.v = (self.get(node) ?? 0) + node.c.reduce((sum, { v }) => sum + v, 0);
  }
  const least = root.v * narrowest;
  const kept = new Map<GrowingNode, FlameNode>();
  for (const node of order.toReversed()) {
    const c = node.c
      .filter(({ v }) => v > 0 && v >= least)
      .map((one) => kept.get(one as GrowingNode) as FlameNode)
      .toSorted((a, b) => b.v - a.v);
    const { n, l, k } = node;
    kept.set(node, { n, v: Math.round(node.v * 1000) / 1000, l, k, c });
  }
  return kept.get(root) as FlameNode;
}
