import { max, median } from 'simple-statistics';
import { formatPercent } from '../../../reports/html/number.ts';
import type { Fact, TargetFacts } from '../results/index.ts';
import {
  describeEmulation,
  describeNode,
  describePassedOver,
  describeRemote,
  type Device,
  findHost,
  isInsecure,
  type Presence,
} from '../model/device.ts';
import type { EnvironmentReading } from '../model/reading.ts';
import type { CellCounts, Machine, RunRecord } from '../model/run.ts';
import type { ClockAlignment, Trial } from '../model/trial.ts';
import { describeDisplays } from './displays.ts';
import { type CompletedTrial, isCompleted } from './series.ts';

const gibibyte = 2 ** 30;

export function machineFacts(machine: Machine): readonly Fact[] {
  return [
    { label: 'Machine', text: machine.hostname },
    {
      label: 'System',
      text: `${machine.system}, ${machine.platform} ${machine.release}, ${machine.architecture}`,
    },
    {
      label: 'Processor',
      text: `${machine.cpuModel}, ${String(machine.logicalCores)} logical cores`,
    },
    { label: 'Memory', text: `${(machine.memoryBytes / gibibyte).toFixed(1)} GiB` },
    { label: 'Virtualization', text: machine.virtualization ?? 'none seen' },
    { label: 'Node.js', text: machine.nodeVersion },
  ];
}

/** The readings of the environment probe over all trials: median and worst. */
export function environmentFacts(trials: readonly Trial[]): readonly Fact[] {
  const readings = trials.filter(isCompleted).flatMap(environmentOf);
  const seen = (pick: (one: EnvironmentReading) => number | null): readonly number[] =>
    readings.map(pick).filter((value) => value !== null);
  return [
    rangeFact(
      'Load (1 min)',
      seen((one) => one.load1),
      (value) => value.toFixed(2),
    ),
    rangeFact(
      'Trials waiting for a CPU (pressure, 10 s)',
      seen((one) => one.cpuPressure),
      (share) => formatPercent(share, 1),
    ),
    rangeFact(
      'CPU used by others in the window',
      seen((one) => one.foreignShare),
      (share) => formatPercent(share, 1),
    ),
    rangeFact(
      'CPU taken by the hypervisor',
      seen((one) => one.stealShare),
      (share) => formatPercent(share, 1),
    ),
    rangeFact(
      'Free memory',
      seen((one) => one.freeMemoryBytes),
      (value) => `${(value / gibibyte).toFixed(1)} GiB`,
    ),
    governorFact(readings),
    ...nodeFacts(trials),
  ];
}

function environmentOf({ outcome }: CompletedTrial): readonly EnvironmentReading[] {
  return outcome.readings.filter(
    (one): one is EnvironmentReading => one.probe === 'environment' && !('notSupported' in one),
  );
}

function rangeFact(
  label: string,
  values: readonly number[],
  show: (value: number) => string,
): Fact {
  if (values.length === 0) return { label, text: 'not shown by this machine' };
  return { label, text: `median ${show(median([...values]))}, highest ${show(max([...values]))}` };
}

function governorFact(readings: readonly EnvironmentReading[]): Fact {
  const governors = new Set(readings.map((one) => one.governor).filter((one) => one !== null));
  const text = governors.size === 0 ? 'not shown by this machine' : [...governors].join(', ');
  return { label: 'CPU governor', text };
}

/** Describes a device for the report, with the clock and the cores that its sessions reported. */
export function targetFacts(
  presence: Presence,
  { jobs, trials }: Pick<RunRecord, 'jobs' | 'trials'>,
): TargetFacts {
  const { device, status } = presence;
  const all = trials.filter((trial) => trial.job.deviceId === device.id);
  const ours = all.filter(isCompleted);
  const planned = jobs.filter(({ deviceId }) => deviceId === device.id).length;
  const versions = [...new Set(ours.map((trial) => trial.browser?.version ?? 'unknown'))];
  const base = {
    id: device.id,
    name: device.name,
    driver: device.driver,
    cells: countCells(planned, all),
  };
  const missingAbilities = presence.capabilities
    .filter((one) => !one.supported)
    .map((one) => ({
      label: one.name,
      text: `not supported: ${one.because ?? 'no reason given'}`,
    }));
  if (status === 'missing') {
    const { reason, remedy } = presence;
    return { ...base, status, browser: null, reason, remedy, notes: [] };
  }
  const { browser } = presence.target;
  const version = versions.length > 0 ? versions.join(', ') : browser.version;
  return {
    ...base,
    status,
    browser: { name: browser.name, version },
    notes: [
      ...emulationNote(device),
      ...remoteNotes(device, ours),
      ...sessionNotes(ours),
      ...displayNote(device, ours),
      ...driverNotes(presence),
      ...missingAbilities,
    ],
  };
}

function emulationNote(device: Device): readonly Fact[] {
  const emulated = describeEmulation(device);
  if (emulated === null) return [];
  const text = `${emulated}: a browser of this machine pretends, so no number is one of a real device`;
  return [{ label: 'emulated', text }];
}

function remoteNotes(device: Device, trials: readonly CompletedTrial[]): readonly Fact[] {
  const where = describeRemote(device);
  const overHttps = trials.some(({ outcome }) => outcome.result.clock.isolated);
  return [
    ...(where === null ? [] : [{ label: 'elsewhere', text: where }]),
    ...(isInsecure(device) && !overHttps
      ? [
          {
            label: 'pages',
            text: 'over plain HTTP from another machine, so no secure context: a coarser clock, no shared memory (--tls gives both)',
          },
        ]
      : []),
  ];
}

/** Of a browser: a runtime draws nothing. */
function displayNote(device: Device, trials: readonly CompletedTrial[]): readonly Fact[] {
  if (findHost(device.browser) !== 'browser' || trials.length === 0) return [];
  return [{ label: 'display', text: describeDisplays(trials, device) }];
}

function driverNotes(presence: Presence): readonly Fact[] {
  return describePassedOver(presence).map((text) => ({ label: 'driver', text }));
}

function sessionNotes(trials: readonly CompletedTrial[]): readonly Fact[] {
  if (trials.length === 0) return [];
  const results = trials.map((trial) => trial.outcome.result);
  const distinct = (values: readonly unknown[]): string =>
    [...new Set(values.map(String))].join(', ');
  const granules = results.map((result) => result.clock.granuleUs);
  return [
    { label: 'clock granule', text: `${median(granules).toPrecision(3)} µs` },
    {
      label: 'cross-origin isolated',
      text: distinct(results.map((one) => (one.clock.isolated ? 'yes' : 'no'))),
    },
    {
      label: 'cores it claims',
      text: distinct(results.map((one) => one.host.hardwareConcurrency ?? 'not said')),
    },
  ];
}

/** Lists the nodes of a grid on which sessions ran, and their clocks; none without a grid. */
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

/** Counts planned cells by outcome. */
export function countCells(planned: number, trials: readonly Trial[]): CellCounts {
  const count = (kind: Trial['outcome']['kind']): number =>
    trials.filter((trial) => trial.outcome.kind === kind).length;
  return {
    planned,
    completed: count('completed'),
    failed: count('failed'),
    timedOut: count('timed-out'),
    skipped: count('skipped'),
  };
}
