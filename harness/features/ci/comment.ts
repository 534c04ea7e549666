import { codeBlock, codeSpan, escapedMarkdown } from '../../core/cli/text/markdown.ts';
import type { Commit } from './commits.ts';
import type { ComparisonAnswer } from './comparison-answer.ts';

/** Everything that a comment says. */
export interface CommentFacts {
  readonly page: string;
  readonly base: Commit;
  readonly head: Commit;
  readonly machine: string;
  /** Null where nothing was compared. */
  readonly answer: ComparisonAnswer | null;
  /** The last lines of the command, used if it has no answer. */
  readonly complaint: string;
  /** More sentences, such as what the base's branch did since. */
  readonly notes: readonly string[];
}

/** Signs that GitHub takes are 65,536; its own check has the same limit. */
const mostSigns = 60_000;
const mostComplaint = 3_000;

/** The hidden first line by which a comment is found again. A job of a matrix has its own name. */
export function makeMarker(name: string): string {
  const safe = name.replaceAll(/[^\w. -]/g, '').replaceAll('--', '-');
  return `<!-- crossfarm ci ${safe} -->`;
}

/**
 * The comment in Markdown, also the summary of the job and of the check. Its picture is text: GitHub,
 * GitLab and Gitea all remove SVG from Markdown, in summaries, too, as their documents say.
 */
export function writeComment(facts: CommentFacts): string {
  const { page, base, head, machine, answer, complaint, notes } = facts;
  const missing = (answer?.missing ?? []).map(
    ({ device, reason }) => `not measured: ${device} (${reason})`,
  );
  const text = [
    `${codeSpan(page)}: ${describeCommit(head)} against ${describeCommit(base)}`,
    '',
    answer?.markdown ?? describeFailure(complaint),
    '',
    ...[...missing, ...notes, machine].map((line) => `- ${escapedMarkdown(line)}`),
  ].join('\n');
  return shorten(text);
}

function describeCommit({ branch, short }: Commit): string {
  return branch === null ? codeSpan(short) : `${codeSpan(branch)} at ${codeSpan(short)}`;
}

function describeFailure(complaint: string): string {
  return ['**It was not measured.**', '', ...codeBlock(complaint.slice(-mostComplaint))].join('\n');
}

/** Ends a text that is too long behind a whole line. */
function shorten(text: string): string {
  if (text.length <= mostSigns) return text;
  const kept = text.slice(0, text.lastIndexOf('\n', mostSigns));
  const isOpen = kept.lastIndexOf('<details>') > kept.lastIndexOf('</details>');
  return `${kept}\n${isOpen ? '\n</details>\n' : ''}\nThe rest is in the report: a comment has at most ${String(mostSigns)} signs.`;
}

/** The result in one line, for the title of a check. */
export function readHeadline({ answer }: Pick<CommentFacts, 'answer'>): string {
  const [, line] = /^\*\*(.*)\*\*$/m.exec(answer?.markdown ?? '') ?? [];
  return (line ?? 'It was not measured')
    .replaceAll(/\\(?=[\\`*_{}[\]#+!|~&])|\u2060/g, '')
    .slice(0, 200);
}
