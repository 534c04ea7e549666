/**
 * Steps that take back what was set up. All of them run, in reverse order, also after a failure;
 * the first failure is reported at the end.
 */
export class Teardown {
  private readonly steps: (() => unknown)[] = [];
  private running: Promise<Error | null> | null = null;

  add(undo: () => unknown): void {
    this.steps.push(undo);
  }

  /** Runs once; every caller waits for the same end. @returns the first failure, or null. */
  run(): Promise<Error | null> {
    this.running ??= this.takeBack();
    return this.running;
  }

  private async takeBack(): Promise<Error | null> {
    let first: Error | null = null;
    for (const undo of this.steps.toReversed()) {
      try {
        await undo();
      } catch (error) {
        first ??= error instanceof Error ? error : new Error(String(error));
      }
    }
    return first;
  }
}

/** Waits for a promise to settle either way, but no longer than `ms`. @returns whether it did. */
export async function settles(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const settled = promise.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
