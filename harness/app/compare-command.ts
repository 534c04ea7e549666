import type { Choices } from '../plan/catalog/expansion.ts';
import { probeArguments } from '../cli/options.ts';
import type { CompareOptions, Sides } from '../cli/compare.ts';
import { circumstancesOf, shellWord } from '../cli/repeat-options.ts';

/** The command that repeats this comparison, order and all. */
export function compareCommand(names: Sides, options: CompareOptions, seed: number): string {
  const params = (name: string, choices: Choices): string[] =>
    Object.entries(choices).map(
      ([key, value]) => `--${name} ${shellWord(`${key}=${[value].flat().join(',')}`)}`,
    );
  const one = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`--${name} ${shellWord(value)}`];
  return [
    `npx farm compare ${names.a} ${names.b}`,
    `--bench ${options.bench}`,
    ...params('param', options.param),
    ...params('a-param', options.aParam),
    ...params('b-param', options.bParam),
    ...one('a-bench', options.aBench),
    ...one('b-bench', options.bBench),
    ...options.aFlag.map((flag) => `--a-flag=${shellWord(flag)}`),
    ...options.bFlag.map((flag) => `--b-flag=${shellWord(flag)}`),
    ...one('a-executable', options.aExecutable),
    ...one('b-executable', options.bExecutable),
    ...one('a-driver', options.aDriver),
    ...one('b-driver', options.bDriver),
    `--margin ${String(options.margin)}`,
    `--max-blocks ${String(options.maxBlocks)}`,
    ...probeArguments(options),
    ...(options.repeat ? [] : ['--no-repeat']),
    ...circumstancesOf(options),
    `--seed ${String(seed)}`,
  ].join(' ');
}
