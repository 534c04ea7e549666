import { describeEmulation, describeRemote, type Device } from '../../../core/model/device.ts';
import { describeRasteriser } from '../../../core/model/display.ts';
import type { NightValue } from '../../../core/model/night.ts';

/** A fact about a night that may differ in the next. */
interface NightFact<Of = NightValue> {
  readonly label: string;
  readonly of: (value: Of) => string;
}

/** The run and the target: common to all values that a target gave in a run. */
type Measuring = Pick<NightValue, 'run' | 'target'>;

/** Facts of which a difference begins another series. */
const apartByMeasuring: readonly NightFact<Measuring>[] = [
  { label: 'machine', of: ({ run: { machine } }) => `${machine.hostname} (${machine.cpuModel})` },
  {
    label: 'platform',
    of: ({ run: { machine } }) => `${machine.platform} ${machine.architecture}`,
  },
  { label: 'virtualization', of: ({ run: { machine } }) => machine.virtualization ?? 'none' },
  { label: 'cores', of: ({ run: { machine } }) => String(machine.logicalCores) },
  { label: 'browser', of: ({ target: { device } }) => device.browser },
  { label: 'driver', of: ({ target: { device } }) => device.driver },
  { label: 'pinning', of: ({ target: { device } }) => pinning(device.cores) },
  {
    label: 'launch settings',
    of: ({ target: { device } }) =>
      JSON.stringify([device.flags, sorted(device.preferences), sorted(device.environment)]),
  },
  { label: 'phone', of: ({ target: { device } }) => describePhone(device) },
  { label: 'elsewhere', of: ({ target: { device } }) => describeRemote(device) ?? 'no' },
  { label: 'emulation', of: ({ target: { device } }) => describeEmulation(device) ?? 'none' },
  { label: 'isolation', of: ({ run }) => run.isolation },
];

const apartByValue: readonly NightFact[] = [
  { label: 'page version', of: ({ benchmarkVersion }) => String(benchmarkVersion) },
  { label: 'cross-origin isolation', of: ({ isolated }) => (isolated ? 'yes' : 'no') },
  { label: 'unit', of: ({ metric }) => metric.unit },
  { label: 'drawn by', of: ({ drawing }) => describeRasteriser(drawing) },
  {
    label: 'window',
    of: ({ drawing, target: { device } }) =>
      drawing?.window ?? (device.headless ? 'headless' : 'shown'),
  },
  // Unknown of older nights, which `drawn by` keeps apart from others already.
  { label: 'display scale', of: ({ drawing }) => String(drawing?.scale ?? 1) },
];

const apart: readonly NightFact[] = [...apartByMeasuring, ...apartByValue];

/** Facts that may change inside a series, and then are its causes. */
const causes: readonly (NightFact<Measuring> & {
  readonly kind: 'browser' | 'machine' | 'farm';
})[] = [
  { kind: 'browser', label: 'browser', of: ({ target: { browser } }) => browser.version },
  { kind: 'machine', label: 'kernel', of: ({ run: { machine } }) => machine.release },
  { kind: 'machine', label: 'system', of: ({ run: { machine } }) => machine.system },
  { kind: 'machine', label: 'memory', of: ({ run: { machine } }) => memory(machine.memoryBytes) },
  { kind: 'farm', label: 'crossfarm', of: ({ run }) => run.farmVersion },
  { kind: 'farm', label: 'Node.js', of: ({ run: { machine } }) => machine.nodeVersion },
];

/** The known causes of a difference between two nights. */
export interface Attribution {
  readonly kind: 'browser' | 'machine' | 'farm' | 'several' | 'nothing-known';
  /** `browser 156.0 → 157.0`; `nothing known`. */
  readonly text: string;
}

const apartKey = keyOfMeasuring(apartByMeasuring);
const causesKey = keyOfMeasuring(causes);

const nothingKnown: Attribution = { kind: 'nothing-known', text: 'nothing known' };

/** Returns a key that is equal for nights whose values may be in one series. */
export function poolKey(value: NightValue): string {
  return [apartKey(value), ...apartByValue.map(({ of }) => of(value))].join('\n');
}

/** Joins all facts into one text, once for each run and target: hundreds of values share them. */
function keyOfMeasuring(facts: readonly NightFact<Measuring>[]): (value: Measuring) => string {
  const keys = new WeakMap<Measuring['run'], WeakMap<Measuring['target'], string>>();
  return ({ run, target }) => {
    const ofRun = keys.get(run) ?? new WeakMap<Measuring['target'], string>();
    keys.set(run, ofRun);
    const key = ofRun.get(target) ?? JSON.stringify(facts.map(({ of }) => of({ run, target })));
    ofRun.set(target, key);
    return key;
  };
}

/**
 * Lists what keeps two nights of one case, target and metric out of one series: `page version 3 →
 * 4`.
 */
export function whyApart(before: NightValue, after: NightValue): readonly string[] {
  return differencesIn(apart, before, after);
}

/** Returns the known changes between two nights of a series. */
export function attribute(before: NightValue, after: NightValue): Attribution {
  if (causesKey(before) === causesKey(after)) return nothingKnown;
  const changed = causes.filter(({ of }) => of(before) !== of(after));
  const kinds = new Set(changed.map(({ kind }) => kind));
  const [kind = 'nothing-known'] = kinds;
  const text = differencesIn(causes, before, after).join(', ');
  return { kind: kinds.size > 1 ? 'several' : kind, text };
}

function differencesIn(
  facts: readonly NightFact[],
  before: NightValue,
  after: NightValue,
): readonly string[] {
  return facts.flatMap(({ label, of }) => {
    const [from, to] = [of(before), of(after)];
    return from === to ? [] : [`${label} ${from} → ${to}`];
  });
}

/** Kept and erased data of a browser are two phones; how long it may take to start is none. */
function describePhone({ phone }: Pick<Device, 'phone'>): string {
  return JSON.stringify(phone === undefined ? null : { ...phone, limits: undefined });
}

function pinning(cores: number | undefined): string {
  return cores === undefined ? 'all cores' : `${String(cores)} cores`;
}

/** In steps of 1/8 GiB: the memory that a kernel keeps differs a little from boot to boot. */
function memory(bytes: number): string {
  return `${(Math.round(bytes / 2 ** 27) / 8).toFixed(1)} GiB`;
}

function sorted(
  record: Readonly<Record<string, unknown>>,
): readonly (readonly [string, unknown])[] {
  return Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1));
}
