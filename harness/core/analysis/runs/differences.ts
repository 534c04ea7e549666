import type { Fact, RunDifference } from '../../results/index.ts';
import { describeEmulation, type Device, type Presence } from '../../model/device.ts';
import type { RunRecord } from '../../model/run.ts';
import type { Trial } from '../../model/trial.ts';
import { describeDisplays } from '../displays.ts';
import { environmentFacts, machineFacts } from '../facts.ts';
import { targetIdIn } from './labels.ts';

/** The text for a device that was not measured. */
const absent = 'not in this run';

/** A fact of one run, with the targets of that run whose numbers it may affect. */
interface RunFact extends Fact {
  readonly targetIds: readonly string[];
}

/**
 * Lists the known facts that differ between the runs, except for their results: when, where, by
 * which farm, on which builds, with which settings, and the load of the machine.
 */
export function differencesBetween(records: readonly RunRecord[]): readonly RunDifference[] {
  const known = records.map((record) => new Map(factsOf(record).map(toEntry)));
  const labels = new Set(known.flatMap((facts) => [...facts.keys()]));
  return [...labels]
    .map((label) => {
      const facts = known.map((one) => one.get(label));
      return {
        label,
        texts: facts.map((fact) => fact?.text ?? absent),
        targetIds: facts.flatMap((fact) => fact?.targetIds ?? []),
      };
    })
    .filter(({ texts }) => new Set(texts).size > 1);
}

function toEntry(fact: RunFact): readonly [string, RunFact] {
  return [fact.label, fact];
}

function factsOf(record: RunRecord): readonly RunFact[] {
  const { run, presences, trials } = record;
  const all = presences.map(({ device }) => targetIdIn(run.id, device.id));
  const of = (targetIds: readonly string[], facts: readonly Fact[]): readonly RunFact[] =>
    facts.map((fact) => ({ ...fact, targetIds }));
  return [
    ...of(
      [],
      [
        { label: 'Begun', text: run.startedAt },
        { label: 'Suite', text: run.suite },
      ],
    ),
    ...presences.flatMap((one) =>
      of([targetIdIn(run.id, one.device.id)], deviceFacts(one, trials)),
    ),
    ...of(all, [
      ...machineFacts(run.machine),
      { label: 'Isolation', text: run.isolation },
      { label: 'Preset of measuring', text: run.preset ?? 'none' },
      { label: 'Version of crossfarm', text: run.farmVersion },
    ]),
    ...of([], environmentFacts(trials)),
  ];
}

function deviceFacts(presence: Presence, trials: readonly Trial[]): readonly Fact[] {
  const { device } = presence;
  const build =
    presence.status === 'found'
      ? `${presence.target.browser.name} ${presence.target.browser.version}`
      : 'missing';
  return [
    { label: `Build of ${device.id}`, text: build },
    { label: `Start of ${device.id}`, text: describeStart(device) },
    { label: `Display of ${device.id}`, text: describeDisplays(trials, device) },
  ];
}

/** Describes how a device is started: its driver, shown or not, and its settings. */
export function describeStart(device: Device): string {
  const { driver, headless, flags, preferences, environment, cores, phone } = device;
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
    ...(phone?.profile === 'erase' ? ['its data erased'] : []),
  ].join(', ');
}
