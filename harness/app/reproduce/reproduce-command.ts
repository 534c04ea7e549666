import type { Choices } from '../../plan/catalog/expansion.ts';
import type { QuestionOptions } from './measure-question.ts';
import { circumstancesOf, probeArguments, shellWord } from '../run/repeat-command.ts';

/** The options of `farm reproduce`; a claim, an anomaly and a bundle take some of them each. */
interface Asked extends QuestionOptions {
  readonly inventory?: string;
  readonly device?: readonly string[];
  readonly param?: Choices;
  readonly without?: readonly string[];
  readonly cores?: readonly number[];
  readonly trust?: boolean;
}

/** The command that reproduces this again, order and all. `what` is a claim, an anomaly or a file. */
export function reproduceCommand(what: string, asked: Asked, seed: number): string {
  const { param = {}, maxBlocks, budget, repeat, trust } = asked;
  const list = (name: string, values: readonly (string | number)[] = []): readonly string[] =>
    values.length === 0 ? [] : [`--${name} ${shellWord(values.join(','))}`];
  return [
    `npx farm reproduce ${shellWord(what)}`,
    ...(trust === true ? ['--trust'] : []),
    ...list('device', asked.device),
    ...Object.entries(param).flatMap(([name, value]) =>
      list('param', [`${name}=${[value].flat().join(',')}`]),
    ),
    ...list('without', asked.without),
    ...list('cores', asked.cores),
    `--max-blocks ${String(maxBlocks)}`,
    ...(budget === undefined ? [] : [`--budget ${String(budget / 1000)}`]),
    ...probeArguments(asked),
    ...(repeat ? [] : ['--no-repeat']),
    ...circumstancesOf(asked),
    `--seed ${String(seed)}`,
  ].join(' ');
}
