/**
 * Lets generators work at the same time and yields what they give as soon as they give it. Each
 * waits with its next piece of work until what it gave last was taken, so nothing runs ahead of
 * whoever takes it. Ends when all have ended; when one throws or nobody takes any more, `abandon`
 * is called, which must bring what is in flight to its end, and the others are ended too.
 */
export async function* sideBySide<T>(
  generators: readonly AsyncGenerator<T>[],
  abandon: () => void,
): AsyncGenerator<T> {
  const working = new Map(generators.map((one) => [one, advance(one)]));
  try {
    while (working.size > 0) {
      const { of, step } = await Promise.race(working.values());
      working.delete(of);
      if (step.done === true) continue;
      yield step.value;
      working.set(of, advance(of));
    }
  } finally {
    if (working.size > 0) abandon();
    // A generator that works is asked to end after the step that it is in.
    await Promise.allSettled(generators.map((one) => one.return(undefined)));
  }
}

interface Advance<T> {
  readonly of: AsyncGenerator<T>;
  readonly step: IteratorResult<T>;
}

async function advance<T>(of: AsyncGenerator<T>): Promise<Advance<T>> {
  return { of, step: await of.next() };
}
