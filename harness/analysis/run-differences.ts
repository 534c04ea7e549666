import type { Fact, RunDifference } from '../../reports/findings.ts';
import { describeEmulation, type Device, type Presence } from '../model/device.ts';
import type { RunRecord } from '../model/run.ts';
import { environmentFacts, machineFacts } from './facts.ts';

/** What a device that did not take part is told to be. */
const absent = 'not in this run';

/**
 * All that is known of the runs beside their results and is not the same in all of them: when, where,
 * by which farm, on which builds, started how, and what the machine was doing.
 */
export function differencesBetween(records: readonly RunRecord[]): readonly RunDifference[] {
  const known = records.map((record) => new Map(factsOf(record).map(toEntry)));
  const labels = new Set(known.flatMap((facts) => [...facts.keys()]));
  return [...labels]
    .map((label) => ({ label, texts: known.map((facts) => facts.get(label) ?? absent) }))
    .filter(({ texts }) => new Set(texts).size > 1);
}

function toEntry({ label, text }: Fact): readonly [string, string] {
  return [label, text];
}

function factsOf(record: RunRecord): readonly Fact[] {
  const { run, presences, trials } = record;
  return [
    { label: 'Begun', text: run.startedAt },
    { label: 'Suite', text: run.suite },
    ...presences.flatMap(deviceFacts),
    ...machineFacts(run.machine),
    { label: 'Isolation', text: run.isolation },
    { label: 'Version of crossfarm', text: run.farmVersion },
    ...environmentFacts(trials),
  ];
}

function deviceFacts(presence: Presence): readonly Fact[] {
  const { device } = presence;
  const build =
    presence.status === 'found'
      ? `${presence.target.browser.name} ${presence.target.browser.version}`
      : 'missing';
  return [
    { label: `Build of ${device.id}`, text: build },
    { label: `Start of ${device.id}`, text: startOf(device) },
  ];
}

/** How a device is started, in words: by which driver, shown or not, and what it is told. */
export function startOf(device: Device): string {
  const { driver, headless, flags, preferences, environment, cores } = device;
  const emulated = describeEmulation(device);
  return [
    `by ${driver}`,
    headless ? 'headless' : 'shown',
    ...flags,
    ...Object.entries(preferences).map(([name, value]) => `${name}=${String(value)}`),
    // Values may be secrets.
    ...Object.keys(environment).map((name) => `with ${name} set`),
    ...(cores === undefined ? [] : [`on ${String(cores)} cores`]),
    ...(emulated === null ? [] : [`emulated: ${emulated}`]),
  ].join(', ');
}
