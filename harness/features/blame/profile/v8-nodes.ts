import type { ProfileBuilder } from './builder.ts';
import type { Category } from './profile.ts';

interface CallFrame {
  readonly functionName?: string;
  readonly url?: string;
  /** From 0 on; -1 or left out where it is not known. */
  readonly lineNumber?: number;
  readonly columnNumber?: number;
}

/** A node of V8's tree of calls, as its profiles have it. */
export interface V8Node {
  readonly id?: number;
  readonly parent?: number;
  readonly callFrame?: CallFrame;
  readonly deoptReason?: string;
}

interface NodeFrame {
  /** Null for the root. */
  readonly frame: number | null;
  readonly category: Category;
}

const root: NodeFrame = { frame: null, category: 'native' };

const categoryOfName = new Map<string, Category>([
  ['(garbage collector)', 'gc'],
  ['(idle)', 'idle'],
  ['(program)', 'native'],
]);

/** Frames of V8's nodes, each made when a sample needs it. */
export class FramesOfNodes {
  readonly #nodes = new Map<number, V8Node>();
  readonly #known = new Map<number, NodeFrame | null>();
  readonly #builder: ProfileBuilder;

  constructor(builder: ProfileBuilder, nodes: readonly V8Node[]) {
    this.#builder = builder;
    for (const node of nodes) if (node.id !== undefined) this.#nodes.set(node.id, node);
  }

  /** Null where the node, or one above it, is lost. */
  find(id: number): NodeFrame | null {
    const path: number[] = [];
    let known = this.#known.get(id);
    for (let one = id; known === undefined;) {
      const node = this.#nodes.get(one);
      // A tree must not lead back into itself.
      if (node === undefined || path.length > this.#nodes.size) return null;
      path.push(one);
      if (node.parent === undefined) known = root;
      else {
        one = node.parent;
        known = this.#known.get(one);
      }
    }
    let above: NodeFrame | null = known;
    for (const one of path.toReversed()) {
      above = above === null ? null : this.#make(this.#nodes.get(one) as V8Node, above);
      this.#known.set(one, above);
    }
    return above;
  }

  #make({ callFrame = {}, deoptReason }: V8Node, above: NodeFrame): NodeFrame {
    const { functionName = '', url = '', lineNumber = -1, columnNumber = -1 } = callFrame;
    if (functionName === '(root)') return root;
    const isNative = url === '' && lineNumber < 0;
    const category = categoryOfName.get(functionName) ?? (isNative ? 'native' : 'script');
    const what = this.#builder.addFunction({
      name: functionName,
      url,
      line: lineNumber + 1,
      column: columnNumber + 1,
      category,
    });
    if (typeof deoptReason === 'string') this.#builder.noteDeopt(what, deoptReason);
    return { frame: this.#builder.addFrame({ function: what, parent: above.frame }), category };
  }

  /** The frame of a sample: that of its node, or of the browser's work below it. */
  leaf(
    { frame, category }: NodeFrame,
    { doing, busy }: { readonly doing: Category | undefined; readonly busy: boolean },
  ): number {
    const plain = category === 'native' || frame === null;
    if (plain && !busy) return this.#work('idle', null);
    if (doing !== undefined && category !== 'gc' && category !== 'idle') {
      return this.#work(doing, plain ? null : frame);
    }
    return frame ?? this.#work('native', null);
  }

  #work(category: Category, parent: number | null): number {
    const place = { url: '', line: 0, column: 0 };
    const what = this.#builder.addFunction({ name: `(${category})`, ...place, category });
    return this.#builder.addFrame({ function: what, parent });
  }
}
