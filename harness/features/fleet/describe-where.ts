import type { HostDecision } from '../../core/analysis/stats/pooled-hosts.ts';
import type { Verdict } from '../../core/results/verdicts.ts';
import type { Machine } from '../../core/model/run.ts';

/**
 * Finds what sets the hosts with a difference apart from those without: words that `--on` takes, such as
 * `cores>=8`. Few hosts are alike in all but one fact, so these are places to look, no causes. Hosts that are
 * undecided are left out. Empty where nothing sets them apart.
 */
export function describeWhere(
  hosts: readonly HostDecision[],
  machines: ReadonlyMap<string, Machine>,
): readonly string[] {
  const of = (verdicts: readonly Verdict[]): readonly Machine[] =>
    hosts
      .filter(({ decision }) => verdicts.includes(decision.verdict))
      .flatMap(({ host }) => machines.get(host) ?? []);
  const [slower, faster, same] = [of(['slower']), of(['faster']), of(['equivalent'])];
  const [those, others] =
    slower.length === 0 || faster.length === 0
      ? [[...slower, ...faster], same]
      : [slower, [...faster, ...same]];
  if (those.length === 0 || others.length === 0) return [];
  return [
    ...boundOf('cores', those, others, ({ logicalCores }) => logicalCores),
    ...boundOf('memory', those, others, ({ memoryBytes }) => Math.round(memoryBytes / 2 ** 30)),
    ...[
      ...commonTo(those, others, ({ platform }) => platform),
      ...commonTo(those, others, ({ system }) => system),
      ...commonTo(those, others, ({ cpuModel }) => cpuModel),
    ],
  ];
}

function boundOf(
  name: string,
  those: readonly Machine[],
  others: readonly Machine[],
  read: (machine: Machine) => number,
): readonly string[] {
  const [low, high] = [Math.min(...those.map(read)), Math.max(...those.map(read))];
  if (low > Math.max(...others.map(read))) return [`${name}>=${String(low)}`];
  return high < Math.min(...others.map(read)) ? [`${name}<=${String(high)}`] : [];
}

function commonTo(
  those: readonly Machine[],
  others: readonly Machine[],
  read: (machine: Machine) => string,
): readonly string[] {
  const [first = '', ...more] = new Set(those.map(read));
  return more.length > 0 || others.some((one) => read(one) === first) ? [] : [first];
}
