import { defaultMargin } from '../../analysis/stats/verdict.ts';
import { circumstancesOf, probeArguments, shellWord } from '../run/repeat-command.ts';
import type { CompareOptions } from './options.ts';
import type { Sides } from './options.ts';
import type { Choices } from '../../plan/catalog/expansion.ts';
import { defaultInventory } from '../../project.ts';
import type { MeasuringOptions } from '../run/execute-plan.ts';
import type { BuildSides } from './measure-pair.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

interface BuildCommand {
  /** Id in the inventory. */
  readonly deviceId: string;
  readonly options: MeasuringOptions;
  readonly maxBlocks: number;
  readonly seed: number;
}

/** Gives the command with which a person would see two builds beside each other again. */
export function buildCommand(
  { pair, presences }: BuildSides,
  { deviceId, options, maxBlocks, seed }: BuildCommand,
): string {
  const [newer, older] = presences.map((presence) =>
    presence.status === 'found' ? presence.target.executable : '',
  );
  const given: CompareOptions = {
    ...options,
    inventory: defaultInventory(),
    bench: pair.a.case.benchmark.id,
    param: pair.a.case.parameters,
    aParam: {},
    bParam: {},
    aFlag: [],
    bFlag: [],
    ...(newer ? { aExecutable: newer } : {}),
    ...(older ? { bExecutable: older } : {}),
    margin: defaultMargin,
    maxBlocks,
    repeat: true,
  };
  return compareCommand({ a: deviceId, b: deviceId }, given, seed);
}

/** Gives the command that repeats this comparison, order and all. */
export function compareCommand(names: Sides, options: CompareOptions, seed: number): string {
  const params = (name: string, choices: Choices): string[] =>
    Object.entries(choices).map(
      ([key, value]) => `--${name} ${shellWord(`${key}=${[value].flat().join(',')}`)}`,
    );
  const one = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`--${name} ${shellWord(value)}`];
  return [
    `${npxCrossfarm} compare ${names.a} ${names.b}`,
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
    ...one('cores', options.cores?.toString()),
    ...one('a-cores', options.aCores?.toString()),
    ...one('b-cores', options.bCores?.toString()),
    `--margin ${String(options.margin)}`,
    `--max-blocks ${String(options.maxBlocks)}`,
    ...probeArguments(options),
    ...(options.repeat ? [] : ['--no-repeat']),
    ...circumstancesOf(options),
    `--seed ${String(seed)}`,
  ].join(' ');
}
