import type { EvidenceFindings } from '../../core/results/index.ts';
import { figure } from './judging/wording.ts';
import type { Question } from '../../core/model/question.ts';
import type { ClaimAnswer } from './claims.ts';
import { codeCell, escapedMarkdown } from '../../core/cli/text/markdown.ts';

const columns = [
  ...['id', 'claim', 'published', 'verdict', 'direction', 'size', 'measured (interval)', 'blocks'],
  'to repeat it',
];

/** The answers as Markdown, ready for a README: one table for each section. */
export function claimsMarkdown(answers: readonly ClaimAnswer[]): string {
  const sectionOfClaim = ({ claim }: ClaimAnswer): string => claim.id.charAt(0);
  const letters = [...new Set(answers.map(sectionOfClaim))];
  return letters
    .map((letter) =>
      sectionOf(
        letter,
        answers.filter((told) => sectionOfClaim(told) === letter),
      ),
    )
    .join('\n\n');
}

function sectionOf(letter: string, answers: readonly ClaimAnswer[]): string {
  const sources = new Set(answers.map(({ claim }) => claim.source));
  return [
    `### ${letter}. ${[...sources].map(escapedMarkdown).join('; ')}`,
    '',
    line(columns),
    line(columns.map(() => '---')),
    ...answers.map((told) => line(cellsOf(told))),
  ].join('\n');
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

const words: Readonly<Record<EvidenceFindings['verdict'], string>> = {
  confirmed: 'confirmed',
  refuted: 'refuted',
  inconclusive: 'open',
  'not-testable': 'not testable',
};

function cellsOf(told: ClaimAnswer): readonly string[] {
  const { id, sentence, published } = told.claim;
  const head = [id, escapedMarkdown(sentence), escapedMarkdown(published)];
  switch (told.kind) {
    case 'not-testable':
      return [
        ...head,
        ...['not testable', '', ''],
        escapedMarkdown(told.because),
        '',
        codeCell(told.command),
      ];
    case 'not-measured':
      return [...head, 'not measured', '', '', 'not measured yet', '', codeCell(told.command)];
    case 'measured': {
      const { evidence, answer } = told;
      const { question } = answer.record;
      return [
        ...head,
        words[evidence.verdict],
        partCell(evidence, 'directionVerdict'),
        partCell(evidence, 'sizeVerdict'),
        escapedMarkdown(measuredText(evidence, question)),
        blocksText(evidence),
        codeCell(evidence.command),
      ];
    }
  }
}

/** `refuted (larger by …)` is long: the number is in its own column. */
function partCell(evidence: EvidenceFindings, part: 'directionVerdict' | 'sizeVerdict'): string {
  const verdict = evidence[part] ?? '';
  if (part === 'sizeVerdict' && verdict === 'refuted') {
    const sizes = decidingOf(evidence).map(({ size }) => size);
    const which = new Set(sizes.filter((size) => size === 'smaller' || size === 'larger'));
    return `refuted (${[...which].join(', ')})`;
  }
  const { moreBlocks } = evidence;
  if (verdict !== 'open') return verdict;
  if (decidingOf(evidence).some(({ equal }) => equal)) return 'open (equal within 2 %)';
  return moreBlocks === null ? verdict : `open (about ${String(moreBlocks)} more blocks)`;
}

function decidingOf({ assertions }: EvidenceFindings): EvidenceFindings['assertions'] {
  return assertions.filter(({ role }) => role === 'verdict');
}

/**
 * Each number that decides, with its own sentence where there are several; or the reason why it is
 * missing.
 */
function measuredText(evidence: EvidenceFindings, question: Question | undefined): string {
  const hasSome = decidingOf(evidence).some(({ measured }) => measured !== null);
  if (!hasSome && evidence.unsettled !== null) return evidence.unsettled;
  const figures = evidence.assertions.flatMap(({ role, measured, unit, sentence }, index) =>
    role === 'verdict'
      ? [{ of: question?.assertions[index]?.sentence ?? sentence, is: figure(measured, unit) }]
      : [],
  );
  const [first] = figures;
  if (figures.length === 1 && first !== undefined) return first.is;
  return figures.map(({ of, is }) => `${of}: ${is}`).join('; ');
}

function blocksText(evidence: EvidenceFindings): string {
  const blocks = decidingOf(evidence).map((one) => one.blocks);
  const [least, most] = [Math.min(...blocks), Math.max(...blocks)];
  return least === most ? String(most) : `${String(least)} to ${String(most)}`;
}
