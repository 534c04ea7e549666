import type { Choices } from '../catalog/expansion.ts';
import { probeArguments } from './options.ts';
import type { CompareOptions, Sides } from './compare.ts';

/** The command that repeats this comparison, order and all. */
export function compareCommand(names: Sides, options: CompareOptions, seed: number): string {
  const quote = (text: string): string =>
    /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const params = (name: string, choices: Choices): string[] =>
    Object.entries(choices).map(
      ([key, value]) => `--${name} ${quote(`${key}=${[value].flat().join(',')}`)}`,
    );
  const one = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`--${name} ${quote(value)}`];
  return [
    `npx farm compare ${names.a} ${names.b}`,
    `--bench ${options.bench}`,
    ...params('param', options.param),
    ...params('a-param', options.aParam),
    ...params('b-param', options.bParam),
    ...one('a-bench', options.aBench),
    ...one('b-bench', options.bBench),
    ...options.aFlag.map((flag) => `--a-flag=${quote(flag)}`),
    ...options.bFlag.map((flag) => `--b-flag=${quote(flag)}`),
    ...one('a-executable', options.aExecutable),
    ...one('b-executable', options.bExecutable),
    ...one('a-driver', options.aDriver),
    ...one('b-driver', options.bDriver),
    `--margin ${String(options.margin)}`,
    `--max-blocks ${String(options.maxBlocks)}`,
    ...probeArguments(options),
    `--seed ${String(seed)}`,
  ].join(' ');
}
