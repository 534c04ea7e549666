import type { SystemFiles } from '../../../core/system-files.ts';

/** Small files of another machine, read at about one instant. */
export interface Frame {
  /** In the middle between question and answer, on this machine's `performance.now()`. */
  readonly atMs: number;
  /** The files were read within ± this. */
  readonly errorMs: number;
  /** Process that read them: what it costs is known from its own times. */
  readonly reader: number;
  readonly files: SystemFiles;
}

/** @throws NodeUnreadable when it does not answer `files`. */
export function parseFrame({ text, sentMs, receivedMs }: NodeReply): Frame {
  const files = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, path, content] = /^(\/[^:]*):(.*)$/s.exec(line) ?? [];
    if (path === undefined || content === undefined) continue;
    files.set(path, `${files.get(path) ?? ''}${content}\n`);
  }
  const reader = Number(files.get('/self'));
  if (!Number.isInteger(reader)) {
    throw new NodeUnreadable('what answers does not speak as it should');
  }
  return {
    atMs: (sentMs + receivedMs) / 2,
    errorMs: (receivedMs - sentMs) / 2,
    reader,
    files: { read: (path) => files.get(path) ?? null, list: (path) => namesIn(files, path) },
  };
}

function namesIn(files: ReadonlyMap<string, string>, folder: string): readonly string[] {
  const prefix = `${folder}/`;
  const names = Array.from(files.keys(), (path) =>
    path.startsWith(prefix) ? path.slice(prefix.length).split('/')[0] : undefined,
  );
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** The one number of an answer such as `/ticks:100`. @throws NodeUnreadable */
export function parseNumber({ text }: NodeReply, name: string): number {
  const [, digits] = new RegExp(`^/${name}:(\\d{1,25})$`, 'm').exec(text) ?? [];
  if (digits !== undefined) return Number(digits);
  throw new NodeUnreadable('what answers does not speak as it should');
}

/**
 * A line to another machine: one question of one text line, one answer of several. The answer comes
 * from a shell behind ssh (`ssh.ts`) or a farm agent (`agent-server.ts`); both answer alike.
 *
 * | question | answer |
 * | --------------- | ------------------------------------------------------------------- |
 * | `files <paths>` | `/self:<pid of who answers>`, then each line of each file as `<path>:<line>`
 * |
 * | `clock` | `/clock:<nanoseconds since 1970>` |
 * | `ticks` | `/ticks:<clock ticks per second>` |
 *
 * A path may hold `*` for names, as a shell has it. A file that is not there is left out.
 */
export interface NodeLine {
  /** @throws NodeUnreadable */
  ask(question: string): Promise<NodeReply>;
  /** True if asking again cannot help. */
  readonly ended: boolean;
  close(): Promise<void>;
}

export interface NodeReply {
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
