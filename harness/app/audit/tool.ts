/** What a tool says of a new page beside an old one. */
export type Answer = 'slower' | 'faster' | 'same' | 'undecided' | 'failed';

/** One question to a tool: two pages, as files of one folder. */
export interface Question {
  readonly folder: string;
  readonly old: string;
  readonly new: string;
  /** After this long it is ended, undecided. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

/** Something that compares two pages. */
export interface Tool {
  readonly name: string;
  /** What else its answers depend on: those of another are not counted with its own. */
  readonly conditions?: string;
  ask(question: Question): Promise<Answer>;
}
