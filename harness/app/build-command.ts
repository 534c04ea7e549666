import { defaultInventory } from '../project.ts';
import { defaultMargin } from '../analysis/stats/verdict.ts';
import type { MeasuringOptions } from './carry-out.ts';
import { compareCommand } from './compare-command.ts';
import type { CompareOptions } from '../cli/compare.ts';
import type { BuildSides } from './measure-pair.ts';

export interface BuildCommand {
  /** Id in the inventory. */
  readonly deviceId: string;
  readonly options: MeasuringOptions;
  readonly maxBlocks: number;
  readonly seed: number;
}

/** What a person would type to see two builds beside each other again. */
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
