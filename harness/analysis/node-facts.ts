import { max } from 'simple-statistics';
import type { Fact } from '../../reports/findings.ts';
import { describeNode } from '../model/device.ts';
import type { ClockAlignment, Trial } from '../model/trial.ts';

/** On which nodes of a grid sessions ran, and how the clocks there were; none where there is no grid. */
export function nodeFacts(trials: readonly Trial[]): readonly Fact[] {
  const byNode = new Map<string, Trial[]>();
  for (const trial of trials) {
    if (trial.node === undefined) continue;
    const label = describeNode(trial.node);
    byNode.set(label, [...(byNode.get(label) ?? []), trial]);
  }
  return [...byNode]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([label, ours]) => ({
      label: label.replace(/^n/, 'N'),
      text: `${String(ours.length)} ${ours.length === 1 ? 'trial' : 'trials'}; ${clockText(ours)}`,
    }));
}

function clockText(trials: readonly Trial[]): string {
  const clocks = trials.flatMap(({ clock }) => clock ?? []);
  if (clocks.length === 0) return 'its clock was not asked';
  const offsets = clocks.map(({ offsetMs }) => offsetMs);
  const lowest = Math.min(...offsets);
  const highest = Math.max(...offsets);
  const span = lowest === highest ? signed(lowest) : `${signed(lowest)} … ${signed(highest)}`;
  return `its clock ${span} ms beside the farm’s, known within ± ${worst(clocks).toFixed(1)} ms`;
}

function worst(clocks: readonly ClockAlignment[]): number {
  return max(clocks.map(({ errorMs }) => errorMs));
}

function signed(ms: number): string {
  return `${ms < 0 ? '−' : '+'}${Math.abs(ms).toFixed(1)}`;
}
