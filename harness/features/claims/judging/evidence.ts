import type {
  AskedFacts,
  AssertionFacts,
  CounterfactualFacts,
  EvidenceFindings,
} from '../../../core/results/index.ts';
import { caseName } from '../../../core/model/case.ts';
import type { Arm, Assertion, Question } from '../../../core/model/question.ts';
import type { RunRecord } from '../../../core/model/run.ts';
import { unsteadyLabel, type UnsteadyLabel } from '../../../core/model/trial-value.ts';
import { isQuarantined } from '../../../core/model/trial.ts';
import { describeRun, type Writing } from '../../../core/analysis/findings.ts';
import { groupBy } from '../../../core/analysis/grouping.ts';
import { verdictsWithQuarantined } from '../../../core/analysis/troubled-trials.ts';
import { asIfNoneQuarantined, isCompleted, released } from '../../../core/analysis/series.ts';
import { defaultAlpha } from '../../../core/analysis/stats/verdict.ts';
import type { Claim } from './claim.ts';
import { judge, type JudgedAssertion, type JudgedCounterfactual, type Judgement } from './judge.ts';
import { chooseReader } from './quantity.ts';
import { describeUnsettled } from './unsettled.ts';
import {
  counterfactualText,
  directionText,
  expectationText,
  explanationTexts,
  headlineText,
  sizeText,
  findUnit,
} from './wording.ts';

/** Describes the answer of a stored run to its question, for a report. Pure. */
export function describeEvidence(
  record: RunRecord,
  question: Question,
  writing: Writing,
): EvidenceFindings {
  const judgement = judge(question, record.trials);
  const findings = describeRun(record, writing);
  // Those of a run are about pairs of devices; a claim compares other things.
  const cautions = findings.cautions.filter((one) => !one.startsWith(verdictsWithQuarantined));
  return {
    findings: {
      ...findings,
      title: question.title,
      cautions: [...cautions, ...quarantineNote(question, record, judgement)],
    },
    title: question.title,
    ...writing,
    claim: claimFacts(question),
    ...shownOf(record, question, judgement),
    reason: `${String(judgement.blocks)} blocks of one trial of everything that was open, in random order; every interval holds at ${String((1 - defaultAlpha) * 100)} % at every look, by itself, as long as noise is alike on both sides (of a ratio) and nothing drifts (of a level).`,
    assertions: judgement.assertions.map(assertionFacts),
    counterfactuals: judgement.counterfactuals.map(counterfactualFacts),
    explanations: explanationTexts(judgement),
    notes: [...question.notes, ...unsteadyNote(question, record)],
    confidence: 1 - defaultAlpha,
    command: record.run.command,
  };
}

type ShownEvidence = Pick<
  EvidenceFindings,
  | 'verdict'
  | 'directionVerdict'
  | 'sizeVerdict'
  | 'headline'
  | 'direction'
  | 'size'
  | 'unsettled'
  | 'moreBlocks'
>;

/** Describes the direction and the size as far as shown, and what is open. */
function shownOf(record: RunRecord, question: Question, judgement: Judgement): ShownEvidence {
  const { text: unsettled, moreBlocks } = describeUnsettled(record, question, judgement);
  const { notHere } = question;
  const headline = headlineText(judgement);
  return {
    verdict: notHere === undefined ? judgement.verdict : 'not-testable',
    directionVerdict: judgement.direction,
    sizeVerdict: judgement.size,
    headline:
      notHere === undefined ? headline : `it takes ${notHere.lacks}; ${notHere.seen}: ${headline}`,
    direction: directionText(judgement),
    size: sizeText(judgement),
    unsettled,
    moreBlocks,
  };
}

/** Describes the answer of a run to its question, for the report of the run itself. */
export function describeAsked(record: RunRecord, question: Question): AskedFacts {
  const { title, sentence } = question;
  const judgement = judge(question, record.trials);
  const { verdict, headline, unsettled } = shownOf(record, question, judgement);
  return { title, sentence, verdict, headline, unsettled };
}

/** Describes a claim that is not testable here. */
export function describeNotTestable(
  claim: Claim,
  {
    because,
    command,
    ...writing
  }: Writing & { readonly because: string; readonly command: string },
): EvidenceFindings {
  return {
    findings: null,
    title: `Claim ${claim.id}`,
    ...writing,
    claim: claimFacts(claim),
    verdict: 'not-testable',
    directionVerdict: null,
    sizeVerdict: null,
    headline: 'not testable here',
    unsettled: null,
    moreBlocks: null,
    direction: 'not testable here',
    size: 'not testable here',
    reason: because,
    assertions: [],
    counterfactuals: [],
    explanations: [],
    notes: claim.ask.notes,
    confidence: 1 - defaultAlpha,
    command,
  };
}

function claimFacts({
  id,
  sentence,
  source,
  published,
}: Pick<Question, 'id' | 'sentence' | 'source' | 'published'>): EvidenceFindings['claim'] {
  return { id, sentence, source, published };
}

function assertionFacts(one: JudgedAssertion): AssertionFacts {
  const { assertion, measured, blocks, outcome, direction, size, equal } = one;
  const arm = assertion.kind === 'level' ? assertion.of : assertion.a;
  const unit = findUnit(one);
  return {
    role: assertion.role,
    sentence: `${assertion.sentence} (${caseName(arm.case)})`,
    quantity: quantityText(assertion, arm),
    kind: assertion.kind === 'level' ? 'level' : 'ratio',
    unit,
    expected: expectationText(assertion.expected, unit),
    published: assertion.published,
    measured,
    blocks,
    outcome,
    direction,
    size,
    equal,
  };
}

/** Gives both names if the two sides have different quantities. */
function quantityText(assertion: Assertion, arm: Arm): string {
  const { title } = chooseReader(assertion.quantity, arm);
  if (assertion.kind !== 'ratio' || assertion.against === undefined) return title;
  return `${title} / ${chooseReader(assertion.against, assertion.b).title}`;
}

function counterfactualFacts(one: JudgedCounterfactual): CounterfactualFacts {
  const { id, sentence, change, quantity, withCause, effect } = one.counterfactual;
  const { title, unit } = chooseReader(quantity, withCause);
  return {
    id,
    sentence,
    change,
    quantity: title,
    unit: effect.kind === 'ratio' ? '×' : unit,
    withCause: one.withCause,
    withoutCause: one.withoutCause,
    explained: one.explained,
    verdict: counterfactualText(one),
  };
}

/** Says whether the verdict would change if the quarantined trials counted. */
function quarantineNote(
  question: Question,
  { trials }: RunRecord,
  judgement: Judgement,
): readonly string[] {
  // Where nothing is judged, neither is this.
  if (question.notHere !== undefined || !trials.some(isQuarantined)) return [];
  const counted = judge(question, asIfNoneQuarantined(trials).map(released));
  return [
    counted.verdict === judgement.verdict
      ? `With the excluded trials counted, the claim would be ${counted.verdict} as well.`
      : `With the excluded trials counted, the claim would be ${counted.verdict} instead of ${judgement.verdict}.`,
  ];
}

/**
 * Lists trials without one speed: it changed in the window, or decreased before. A first call has
 * no interval.
 */
function unsteadyNote({ assertions }: Question, { trials }: RunRecord): readonly string[] {
  if (assertions.every(({ quantity }) => quantity === 'first-call')) return [];
  const completed = trials.filter(isCompleted);
  const labelled = completed.flatMap(({ job, outcome: { result } }) => {
    const label = unsteadyLabel(result);
    return label === null ? [] : [{ job, label }];
  });
  return [...groupBy(labelled, ({ label }) => label)].map(([label, ours]) => {
    const where = [...new Set(ours.map(({ job }) => `${caseName(job.case)} on ${job.deviceId}`))];
    const more = where.length > 3 ? `; and ${String(where.length - 3)} more` : '';
    return `${String(ours.length)} of ${String(completed.length)} trials ${unsteadyWords[label]}: ${where.slice(0, 3).join('; ')}${more}.`;
  });
}

const unsteadyWords: Readonly<Record<UnsteadyLabel, string>> = {
  'no steady state': 'had no steady state',
  slowdown: 'became slower before their window',
  slowing: 'still became slower when their warm-up ended',
  noisy: 'were noisy',
};

/**
 * Finds the assertion to show in one line about a claim: one that fails, else an open one, else the
 * first.
 */
export function leadingAssertion({ assertions }: EvidenceFindings): AssertionFacts | null {
  const deciding = assertions.filter(({ role }) => role === 'verdict');
  const having = (outcome: AssertionFacts['outcome']): AssertionFacts | undefined =>
    deciding.find((one) => one.outcome === outcome);
  return having('fails') ?? having('open') ?? deciding[0] ?? null;
}
