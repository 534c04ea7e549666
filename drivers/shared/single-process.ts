import type { ChildProgram } from './child-program.ts';
import type { Ending } from './step.ts';

/** Keeps one program running in place of a browser: a page is a process, and a new one replaces it. */
export class SingleProcess {
  private readonly ending: Ending;
  private readonly patienceMs: number;
  private current: ChildProgram | null = null;

  /** `patienceMs`: how long a program that was asked to end may take. */
  constructor(ending: Ending, patienceMs: number) {
    this.ending = ending;
    this.patienceMs = patienceMs;
  }

  pids(): readonly number[] {
    return this.current === null ? [] : [this.current.pid];
  }

  /** Ends the former program and starts another, unless the caller has given up. */
  async replace(start: () => Promise<ChildProgram>, abandoned: AbortSignal): Promise<void> {
    await this.end();
    abandoned.throwIfAborted();
    const program = await start();
    this.current = program;
    void program.ended.then((why) => {
      if (this.current === program) this.ending.tell(why);
    });
  }

  async end(): Promise<void> {
    const ending = this.current;
    this.current = null;
    await ending?.end(this.patienceMs);
  }
}
