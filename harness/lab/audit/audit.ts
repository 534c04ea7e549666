import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { median } from 'simple-statistics';
import { z } from 'zod';
import { rateInterval, type RateInterval } from '../../core/analysis/stats/rate-interval.ts';
import { FarmError } from '../../core/errors.ts';
import type { Caller } from '../../core/app/caller.ts';
import { writeWhole } from '../../core/app/records.ts';
import { type ForeignLoad, foreignLoads, under } from './foreign-load.ts';
import { loop, writePage } from './pages.ts';
import type { Tool } from './tool.ts';

export interface AuditOptions {
  readonly tool: Tool;
  /** Numbers of comparisons of equal and of different pages under each load. */
  readonly comparisons: number;
  readonly loads: readonly ForeignLoad[];
  /** The work that the different page has more. */
  readonly percent: number;
  /** Milliseconds that one comparison may take. */
  readonly patienceMs: number;
  /** Keeps each answer; an audit that was interrupted goes on from there. */
  readonly file: string;
  /** True to forget the file's contents. */
  readonly anew: boolean;
}

/** Answers of a tool about equal or different pages under one load. */
export interface AuditCell {
  /** False alarms, or differences of the wrong direction; equality of different pages. */
  readonly wrong: number;
  readonly right: number;
  readonly undecided: number;
  readonly failed: number;
  /** Median time of one comparison; null without one. */
  readonly seconds: number | null;
}

export interface AuditRow {
  readonly load: ForeignLoad;
  readonly equal: AuditCell;
  readonly different: AuditCell;
}

export interface AuditResult {
  readonly tool: string;
  readonly percent: number;
  readonly rows: readonly AuditRow[];
  /** Of all loads together; null before there is a comparison. */
  readonly falseAlarms: RateInterval | null;
  readonly found: RateInterval | null;
  readonly interrupted: boolean;
}

const pages = { old: 'old.html', equal: 'equal.html', different: 'different.html' } as const;

const kinds = ['equal', 'different'] as const;

const answers = ['slower', 'faster', 'same', 'undecided', 'failed'] as const;

const oneAnswer = z.strictObject({
  load: z.enum(foreignLoads),
  kind: z.enum(kinds),
  index: z.int().min(0),
  answer: z.enum(answers),
  seconds: z.number().min(0),
});

type OneAnswer = z.infer<typeof oneAnswer>;

const heading = z.strictObject({
  tool: z.string(),
  percent: z.number(),
  patienceMs: z.number(),
  conditions: z.string(),
  loop: z.string(),
});

/**
 * Measures how often a tool reports a false difference and how often it finds a real one, under
 * each load of the machine. Loads and kinds take turns, so that a slow hour of the machine falls on
 * all of them.
 * @throws FarmError `bad-argument` if the file is of another audit
 */
export async function auditTool(options: AuditOptions, caller: Caller): Promise<AuditResult> {
  const { tool, percent, patienceMs, file } = options;
  const done = await beginFile(options);
  const folder = await mkdtemp(join(tmpdir(), 'crossfarm-audit-'));
  try {
    await writePage(folder, pages.old, 0);
    await writePage(folder, pages.equal, 0);
    await writePage(folder, pages.different, percent);
    for (const { load, kind, index } of questionsOf(options)) {
      if (caller.signal.aborted) break;
      if (done.some((one) => one.load === load && one.kind === kind && one.index === index)) {
        continue;
      }
      const { signal, say } = caller;
      const question = { folder, old: pages.old, new: pages[kind], patienceMs, signal, say };
      const began = performance.now();
      const answer = await under(load, () => tool.ask(question)).catch((error: unknown) => {
        if (caller.signal.aborted) return null;
        throw error;
      });
      if (answer === null) break;
      const seconds = (performance.now() - began) / 1000;
      const one = { load, kind, index, answer, seconds };
      await appendFile(file, `${JSON.stringify(one)}\n`);
      done.push(one);
      caller.say(sentenceOf(one, done, options));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return summary(done, { tool: tool.name, percent, interrupted: caller.signal.aborted, options });
}

/** @returns the answers that the file holds already */
async function beginFile(options: AuditOptions): Promise<OneAnswer[]> {
  const { file, anew, tool, percent, patienceMs } = options;
  const asked = { tool: tool.name, percent, patienceMs, conditions: tool.conditions ?? '', loop };
  const text = anew || !existsSync(file) ? JSON.stringify(asked) : await readFile(file, 'utf8');
  const [first = '', ...rest] = text.split('\n').filter((line) => line !== '');
  const before = heading.safeParse(parsed(first)).data;
  if (!isDeepStrictEqual(before, asked)) {
    throw new FarmError('bad-argument', {
      what: `${file} is of another audit.`,
      next: 'Start over with --anew, or keep this one in another file with --file.',
    });
  }
  // A last line that was cut off when the farm was killed is asked again, and must not join the next.
  const answers = rest.flatMap((line) => oneAnswer.safeParse(parsed(line)).data ?? []);
  await writeWhole(file, [asked, ...answers].map((one) => `${JSON.stringify(one)}\n`).join(''));
  return answers;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

type AuditQuestion = Pick<OneAnswer, 'load' | 'kind' | 'index'>;

function questionsOf({ comparisons, loads }: AuditOptions): readonly AuditQuestion[] {
  return Array.from({ length: comparisons }, (_, index) =>
    loads.flatMap((load) => {
      const both = kinds.map((kind) => ({ load, kind, index }));
      return index % 2 === 0 ? both : both.toReversed();
    }),
  ).flat();
}

function sentenceOf(
  { load, kind, answer, seconds }: OneAnswer,
  done: readonly OneAnswer[],
  { comparisons, loads }: AuditOptions,
): string {
  const all = 2 * comparisons * loads.length;
  const count = done.filter((one) => loads.includes(one.load) && one.index < comparisons).length;
  return `${String(count)} of ${String(all)}: ${kind} pages, ${load}: ${answer} after ${seconds.toFixed(0)} s`;
}

interface Summary {
  readonly tool: string;
  readonly percent: number;
  readonly interrupted: boolean;
  readonly options: AuditOptions;
}

function summary(done: readonly OneAnswer[], { options, ...told }: Summary): AuditResult {
  const rows = options.loads.map((load) => {
    const of = (kind: OneAnswer['kind']): AuditCell =>
      cellOf(done.filter((one) => one.load === load && one.kind === kind));
    return { load, equal: of('equal'), different: of('different') };
  });
  const rate = (cells: readonly AuditCell[], counted: 'wrong' | 'right'): RateInterval | null => {
    const of = cells.reduce((sum, cell) => sum + cell.wrong + cell.right + cell.undecided, 0);
    const count = cells.reduce((sum, cell) => sum + cell[counted], 0);
    return of === 0 ? null : rateInterval({ count, of });
  };
  return {
    ...told,
    rows,
    falseAlarms: rate(
      rows.map(({ equal }) => equal),
      'wrong',
    ),
    found: rate(
      rows.map(({ different }) => different),
      'right',
    ),
  };
}

function cellOf(ours: readonly OneAnswer[]): AuditCell {
  const right = { equal: 'same', different: 'slower' } as const;
  const count = (isOne: (one: OneAnswer) => boolean): number => ours.filter(isOne).length;
  const undecided = count(({ answer }) => answer === 'undecided');
  const failed = count(({ answer }) => answer === 'failed');
  const rights = count(({ answer, kind }) => answer === right[kind]);
  return {
    right: rights,
    undecided,
    failed,
    wrong: ours.length - rights - undecided - failed,
    seconds: ours.length === 0 ? null : median(ours.map(({ seconds }) => seconds)),
  };
}
