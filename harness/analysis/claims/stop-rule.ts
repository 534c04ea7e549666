import type { Trial } from '../../model/trial.ts';
import { armsOf, type Question } from '../../model/question.ts';
import { judge, type JudgedAssertion, type JudgedCounterfactual, type Judgement } from './judge.ts';

/** When a run that was made for a question may stop. */
export type QuestionState =
  | { readonly kind: 'go-on' }
  | { readonly kind: 'answered' }
  /** Blocks go by and bring nothing. */
  | { readonly kind: 'vanished'; readonly reason: string };

/** Blocks in a row that may add nothing: one failing side, or a machine that is too busy. */
const patience = 8;

/**
 * Decides at the end of a block whether the run goes on. Direction and size of every assertion, and the bounds of every
 * explained share, have to be settled; looking after every block is allowed, because all intervals
 * hold at every look.
 */
export function questionState(
  question: Question,
  trials: readonly Trial[],
  judgement: Judgement = judge(question, trials),
): QuestionState {
  if (isAnswered(judgement)) return { kind: 'answered' };
  const run = new Set(trials.map(({ job }) => job.block)).size;
  const idle = run - fewestBlocks(judgement);
  if (idle < patience || fewestBlocks(judgement) >= run / 2) return { kind: 'go-on' };
  return {
    kind: 'vanished',
    reason: `of ${String(run)} blocks only ${String(fewestBlocks(judgement))} hold all ${String(armsOf(question).length)} sides: trials fail, or are quarantined because the machine is busy`,
  };
}

/** Of what decides: an explanation that never comes must not end a run that goes well. */
function fewestBlocks({ assertions }: Judgement): number {
  const deciding = assertions.filter(({ assertion }) => assertion.role === 'verdict');
  return Math.min(...deciding.map(({ blocks }) => blocks));
}

function isAnswered({ assertions, counterfactuals }: Judgement): boolean {
  return assertions.every(isSettled) && counterfactuals.every(isExplained);
}

/**
 * Tells whether more blocks would say no more of it: direction and size are each confirmed or refuted, or the
 * two sides are shown to be equal, of which no direction will ever be shown.
 */
export function isSettled({ outcome, direction, size, equal }: JudgedAssertion): boolean {
  return equal || ![outcome, direction, size].includes('open');
}

function isExplained({ state }: JudgedCounterfactual): boolean {
  return state !== 'too-few-blocks';
}
