/** A tool's answer about a new page compared with an old one. */
export type Answer = 'slower' | 'faster' | 'same' | 'undecided' | 'failed';

/** One question to a tool: two pages, as files of one folder. */
export interface Question {
  readonly folder: string;
  readonly old: string;
  readonly new: string;
  /** After this long it is ended, undecided. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
  /** Hears why a tool failed. */
  readonly say: (sentence: string) => void;
}

/** Something that compares two pages. */
export interface Tool {
  readonly name: string;
  /** Other conditions of its answers: answers under others are not counted with these. */
  readonly conditions?: string;
  ask(question: Question): Promise<Answer>;
}

/** Why a program failed, of its stderr: the first line that tells of an error, else the last one. */
export function whyFailed(ended: {
  readonly stderr?: unknown;
  readonly exitCode?: number | undefined;
}): string {
  const lines = String(ended.stderr ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const told = lines.find((line) => /^\s*\w*error\b/i.test(line)) ?? lines.at(-1);
  return told?.trim() ?? `exit code ${String(ended.exitCode)}`;
}
