/**
 * A line to another machine: one question of one text line, one answer of several. Who answers is a
 * shell behind ssh (`ssh.ts`) or a farm agent (`agent-server.ts`); both answer alike.
 *
 * | question        | answer                                                              |
 * | --------------- | ------------------------------------------------------------------- |
 * | `files <paths>` | `/self:<pid of who answers>`, then each line of each file as `<path>:<line>` |
 * | `clock`         | `/clock:<nanoseconds since 1970>`                                   |
 * | `ticks`         | `/ticks:<clock ticks per second>`                                   |
 *
 * A path may hold `*` for names, as a shell has it. A file that is not there is left out.
 */
export interface NodeLine {
  /** @throws NodeUnreadable */
  ask(question: string): Promise<Answer>;
  /** Whether asking again is in vain. */
  readonly ended: boolean;
  close(): Promise<void>;
}

export interface Answer {
  readonly text: string;
  /** When the question was sent and the answer was whole, on this machine's `performance.now()`. */
  readonly sentMs: number;
  readonly receivedMs: number;
}

/** Another machine that cannot be read; the message is half a sentence for a person. */
export class NodeUnreadable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'NodeUnreadable';
  }
}

/** How long an answer may take: reading some hundred files was seen to take 5 ms. */
export const answerMs = 5_000;

/** How long a machine may take until its first answer. */
export const connectMs = 15_000;

/** A Firefox with many tabs was seen to give 40 kB. */
export const longestAnswer = 8 * 1024 * 1024;

/** Stands for the paths of one file in every folder of a number: `/proc/[0-9]*`. */
export const everyProcess = '/proc/[0-9]*';
