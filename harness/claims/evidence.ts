import type {
  AssertionFacts,
  CounterfactualFacts,
  EvidenceFindings,
} from '../../reports/findings.ts';
import { describeRun, type Writing } from '../analysis/findings.ts';
import { caseName } from '../model/case.ts';
import type { RunRecord } from '../model/run.ts';
import type { Question } from '../model/question.ts';
import type { Claim } from './claim.ts';
import { defaultAlpha, judge, type JudgedAssertion, type JudgedCounterfactual } from './judge.ts';
import { readerOf } from './quantity.ts';
import {
  counterfactualText,
  directionText,
  expectationText,
  explanationTexts,
  sizeText,
  unitOf,
} from './wording.ts';

/** What a stored run says of the question that it was made for, ready for a report. Pure. */
export function describeEvidence(
  record: RunRecord,
  question: Question,
  writing: Writing,
): EvidenceFindings {
  const judgement = judge(question, record.trials);
  return {
    findings: { ...describeRun(record, writing), title: question.title },
    title: question.title,
    ...writing,
    claim: claimFacts(question),
    verdict: judgement.verdict,
    direction: directionText(judgement),
    size: sizeText(judgement),
    reason: `${String(judgement.blocks)} blocks of one trial of everything, in random order; every interval holds at ${String((1 - defaultAlpha) * 100)} % at every look.`,
    assertions: judgement.assertions.map(assertionFacts),
    counterfactuals: judgement.counterfactuals.map(counterfactualFacts),
    explanations: explanationTexts(judgement),
    notes: question.notes,
    confidence: 1 - defaultAlpha,
    command: record.run.command,
  };
}

/** The page of a claim that cannot be asked here. */
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
    direction: 'not testable here',
    size: 'not testable here',
    reason: because,
    assertions: [],
    counterfactuals: [],
    explanations: [],
    notes: claim.ask.kind === 'measure' ? claim.ask.notes : [],
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
  const { assertion, measured, blocks, outcome, size } = one;
  const lane = assertion.kind === 'level' ? assertion.of : assertion.a;
  const unit = unitOf(one);
  return {
    sentence: `${assertion.sentence} (${caseName(lane.case)})`,
    quantity: readerOf(assertion.quantity, lane).title,
    kind: assertion.kind === 'level' ? 'level' : 'ratio',
    unit,
    expected: expectationText(assertion.expected, unit),
    published: assertion.published,
    measured,
    blocks,
    outcome,
    size,
  };
}

function counterfactualFacts(one: JudgedCounterfactual): CounterfactualFacts {
  const { id, sentence, change, quantity, withCause, effect } = one.counterfactual;
  const { title, unit } = readerOf(quantity, withCause);
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
