import { formatPercent } from '../../../reports/html/number.ts';
import pc from 'picocolors';
import type { EvidenceFindings } from '../../core/results/index.ts';
import { leadingAssertion } from './judging/evidence.ts';
import { figure } from './judging/wording.ts';
import type { ClaimAnswer } from './claims.ts';
import { isUnfinished, type QuestionAnswer } from './measure-question.ts';
import { exitCodes, type ExitCode } from '../../core/errors.ts';

/** The shape of `claims --json` and `reproduce --json`: a contract with other tools. */
export function claimJson(told: ClaimAnswer): object {
  const { id, sentence, published } = told.claim;
  if (told.kind !== 'measured') {
    return {
      id,
      verdict: told.kind === 'not-testable' ? 'not-testable' : 'inconclusive',
      directionVerdict: null,
      sizeVerdict: null,
      headline: told.because,
      direction: told.because,
      published,
      measured: null,
      reason: told.because,
      command: told.command,
      sentence,
      ...(told.path === null ? {} : { report: told.path }),
    };
  }
  const { evidence, answer, path } = told;
  return {
    id,
    verdict: evidence.verdict,
    directionVerdict: evidence.directionVerdict,
    sizeVerdict: evidence.sizeVerdict,
    headline: evidence.headline,
    direction: evidence.direction,
    published,
    measured: leadingAssertion(evidence)?.measured ?? null,
    reason: answer.vanished ?? evidence.reason,
    command: evidence.command,
    sentence,
    size: evidence.size,
    unsettled: evidence.unsettled,
    moreBlocks: evidence.moreBlocks,
    assertions: evidence.assertions,
    counterfactuals: evidence.counterfactuals,
    explanations: evidence.explanations,
    notes: evidence.notes,
    interrupted: answer.interrupted,
    machine: answer.record.run.machine,
    threads: threadFacts(evidence),
    run: answer.record.run.id,
    ...(path === null ? {} : { report: path }),
  };
}

const colours = {
  confirmed: pc.green,
  refuted: pc.red,
  inconclusive: pc.yellow,
  'not-testable': pc.dim,
} as const;

interface ThreadFacts {
  readonly target: string;
  readonly case: string;
  readonly coresBusy: number;
  readonly javascriptParallelism: number;
  readonly gcShare: number;
}

/** The threads that did the work in each lane, in the trial whose value is the median. */
function threadFacts({ findings }: EvidenceFindings): readonly ThreadFacts[] {
  return (findings?.cpu ?? []).flatMap(({ targetId, caseName, threads }) => {
    if ('notSupported' in threads) return [];
    const { coresBusy, javascriptParallelism, gcShare } = threads;
    return [{ target: targetId, case: caseName, coresBusy, javascriptParallelism, gcShare }];
  });
}

function threadLines(evidence: EvidenceFindings): readonly string[] {
  return threadFacts(evidence).map(
    (one) =>
      `${one.target}, ${one.case}: ${one.coresBusy.toFixed(2)} cores busy, JavaScript ${one.javascriptParallelism.toFixed(2)}, GC ${formatPercent(one.gcShare, 0)}`,
  );
}

/** A verdict as a word, coloured where colours are. */
export function verdictWord(verdict: EvidenceFindings['verdict']): string {
  return colours[verdict](verdict);
}

/** One claim with its evidence, for a person. */
export function describeAnswer(told: Extract<ClaimAnswer, { kind: 'measured' }>): string {
  const { claim, evidence, answer, path } = told;
  const lines = [
    `${pc.bold(`${claim.id}  ${claim.sentence}`)}`,
    `   published  ${claim.published}`,
    ...evidence.assertions.map(
      (one) =>
        `   ${mark(one.outcome)} ${one.sentence}: ${figure(one.measured, one.unit)}${pc.dim(`, expected ${one.expected}, ${String(one.blocks)} blocks`)}`,
    ),
    `   ${pc.bold(verdictWord(evidence.verdict))}: ${evidence.headline}`,
    `   direction  ${evidence.direction}`,
    `   size       ${evidence.size}`,
    ...threadLines(evidence).map((line) => pc.dim(`   threads    ${line}`)),
    ...evidence.explanations.map((sentence) => `   why        ${sentence}`),
    ...evidence.notes.map((sentence) => pc.dim(`   note       ${sentence}`)),
    ...openLines(evidence, answer),
    pc.dim(`   machine    ${machineText(answer)}`),
    `   again      ${evidence.command}`,
    ...(path === null ? [] : [`   evidence   ${path}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Why a claim is open; of a settled claim why its explanations are. */
export function openLines(
  { unsettled }: EvidenceFindings,
  { interrupted, vanished }: Pick<QuestionAnswer, 'interrupted' | 'vanished'>,
): readonly string[] {
  if (unsettled !== null) return [pc.yellow(`   open       ${unsettled}`)];
  const stopped = interrupted ? 'the run was interrupted' : vanished;
  return stopped === null ? [] : [pc.yellow(`   stopped    ${stopped}`)];
}

function mark(outcome: EvidenceFindings['assertions'][number]['outcome']): string {
  switch (outcome) {
    case 'holds':
      return pc.green('✓');
    case 'fails':
      return pc.red('✗');
    case 'open':
      return pc.yellow('?');
  }
}

function machineText({ record }: Pick<QuestionAnswer, 'record'>): string {
  const { cpuModel, logicalCores, system } = record.run.machine;
  return `${cpuModel}, ${String(logicalCores)} cores, ${system}; run ${String(record.run.id)}`;
}

/** A claim that was not measured, and why. */
export function describeUntested(told: Exclude<ClaimAnswer, { kind: 'measured' }>): string {
  const { claim, because, kind } = told;
  const word = kind === 'not-testable' ? 'not testable here' : 'not measured yet';
  return [
    pc.bold(`${claim.id}  ${claim.sentence}`),
    `   published  ${claim.published}`,
    `   ${pc.dim(word)}: ${because}`,
    '',
  ].join('\n');
}

/**
 * The exit code of several claims: a farm that could not finish overrides all, an open claim
 * overrides none.
 */
export function worst(answers: readonly ClaimAnswer[]): ExitCode {
  const codes = answers.map(codeOf);
  const order = [exitCodes.unfinished, exitCodes.refuted, exitCodes.undecided];
  return order.find((code) => codes.includes(code)) ?? exitCodes.fine;
}

function codeOf(told: ClaimAnswer): ExitCode {
  if (told.kind !== 'measured') return exitCodes.undecided;
  const { evidence, answer } = told;
  switch (evidence.verdict) {
    case 'confirmed':
      return exitCodes.fine;
    case 'refuted':
      return exitCodes.refuted;
    case 'inconclusive':
    case 'not-testable':
      return isUnfinished(answer) ? exitCodes.unfinished : exitCodes.undecided;
  }
}
