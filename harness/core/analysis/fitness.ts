import { quantile } from 'simple-statistics';
import { formatPercent } from '../../../reports/html/number.ts';
import { environmentLimits, foreignLimits } from '../model/environment-limits.ts';
import type { EnvironmentReading } from '../model/reading.ts';
import type { Machine } from '../model/run.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

/** One finding about the machine, with a remedy. */
export interface FitnessFinding {
  readonly id: string;
  /** `unfit`: numbers would mislead. `caution`: they need care. `fine`: checked, and in order. */
  readonly level: 'fine' | 'caution' | 'unfit';
  /** The observation. */
  readonly what: string;
  /** The command or step that fixes it; empty if nothing needs fixing. */
  readonly remedy: string;
}

export interface FitnessFacts {
  readonly machine: Machine;
  /**
   * From a quiet second without a browser of the farm; null where it is not supported. Left out
   * without waiting: then it is not mentioned.
   */
  readonly environment?: EnvironmentReading | null;
  /**
   * Durations of the same work in each tenth of a second, in any unit, with nothing else of the
   * farm running; left out as the other.
   */
  readonly sameWork?: readonly number[];
  readonly otherBrowsers: readonly string[] | null;
  readonly freeDiskBytes: number | null;
}

const gibibyte = 2 ** 30;

/** True if numbers of this machine would not mislead. */
export function isFit(findings: readonly FitnessFinding[]): boolean {
  return findings.every(({ level }) => level !== 'unfit');
}

/** Judges how far this machine disturbs a measurement. Pure. */
export function judgeFitness(facts: FitnessFacts): readonly FitnessFinding[] {
  const { environment, sameWork, machine } = facts;
  return [
    ...(environment === undefined ? [] : judgeLoad(environment, machine)),
    ...(sameWork === undefined ? [] : [ownSpeed(sameWork)]),
    browsers(facts.otherBrowsers),
    ...(environment === undefined ? [] : judgeState(environment, machine)),
    disk(facts.freeDiskBytes),
    cores(machine.logicalCores),
    virtual(machine.virtualization),
    root(machine.asRoot),
  ];
}

/** Steps of the owner on one system. Those of macOS and Windows were not tried: none was at hand. */
interface OwnerSteps {
  readonly endBusy: string;
  readonly endLarge: string;
  /** Linux has governors, which can be read. */
  readonly keepClock: string | null;
}

const stepsOnLinux: OwnerSteps = {
  endBusy: 'top -o %CPU',
  endLarge: 'top -o %MEM',
  keepClock: null,
};

const stepsOn: Readonly<Partial<Record<string, OwnerSteps>>> = {
  darwin: {
    endBusy: 'top -o cpu',
    endLarge: 'top -o mem',
    keepClock: `plug it in, switch Low Power Mode off (System Settings, Battery), and keep it awake: caffeinate -i ${npxCrossfarm} run`,
  },
  win32: {
    endBusy: 'taskmgr',
    endLarge: 'taskmgr',
    keepClock:
      'plug it in, choose Best performance, and let it not sleep (Settings, System, Power)',
  },
};

function findSteps({ platform }: Machine): OwnerSteps {
  return stepsOn[platform] ?? stepsOnLinux;
}

function judgeLoad(
  environment: EnvironmentReading | null,
  machine: Machine,
): readonly FitnessFinding[] {
  const steal = environment?.stealShare ?? null;
  // Linux alone counts this time, so that its lack says nothing of another system.
  const isCounted = steal !== null || machine.platform === 'linux';
  return [
    foreignUse(environment?.foreignShare ?? null, machine),
    ...(isCounted ? [stolenTime(steal)] : []),
  ];
}

function judgeState(
  environment: EnvironmentReading | null,
  machine: Machine,
): readonly FitnessFinding[] {
  const { endLarge, keepClock } = findSteps(machine);
  return [
    keepClock === null ? governor(environment?.governor ?? null) : ownClock(keepClock),
    memory(environment?.freeMemoryBytes ?? null, endLarge),
  ];
}

function foreignUse(share: number | null, machine: Machine): FitnessFinding {
  const id = 'foreign-cpu';
  if (share === null) return unseen(id, 'CPU use of others');
  const what = `other programs use ${formatPercent(share, 1)} of the CPU`;
  const { caution, quarantine } = foreignLimits(machine.logicalCores);
  if (share < caution) return { id, level: 'fine', what, remedy: '' };
  const level = share < quarantine ? 'caution' : 'unfit';
  return { id, level, what, remedy: `find and end them: ${findSteps(machine).endBusy}` };
}

function stolenTime(share: number | null): FitnessFinding {
  const id = 'steal';
  if (share === null) return unseen(id, 'time taken by a hypervisor');
  const what = `the hypervisor takes ${formatPercent(share, 1)} of the CPU`;
  const { caution, quarantine } = environmentLimits.stealShare;
  if (share < caution) return { id, level: 'fine', what, remedy: '' };
  return {
    id,
    level: share < quarantine ? 'caution' : 'unfit',
    what,
    remedy: 'measure on a machine, or at a time, with less load from others',
  };
}

/** From this share on, trials of a few tenths of a second differ because of the machine. */
const unevenFrom = 0.05;

/**
 * Neither load nor stolen time shows everything that slows a machine down. On a virtual machine
 * that reported itself idle, recursion took 1.6 times as long for up to seconds, presumably because
 * of another guest on a shared core.
 */
function ownSpeed(sameWork: readonly number[]): FitnessFinding {
  const id = 'own-speed';
  const wander = quantile([...sameWork], 0.9) / quantile([...sameWork], 0.1) - 1;
  const what = `the same work takes ${formatPercent(wander, 1)} longer in some tenths of a second than in others`;
  if (wander < unevenFrom) return { id, level: 'fine', what, remedy: '' };
  return {
    id,
    level: 'caution',
    what: `${what}: something that this machine does not show uses its cores`,
    remedy: 'measure at another hour or elsewhere; comparisons stay valid, and take more blocks',
  };
}

function browsers(names: readonly string[] | null): FitnessFinding {
  const id = 'other-browsers';
  const remedy = 'close other browsers while the farm measures';
  if (names === null) return { ...unseen(id, 'which browsers run'), remedy };
  if (names.length === 0) return { id, level: 'fine', what: 'no other browser runs', remedy: '' };
  return {
    id,
    level: 'caution',
    what: `other browsers are running: ${names.join(', ')}`,
    remedy,
  };
}

function governor(name: string | null): FitnessFinding {
  const id = 'governor';
  if (name === null) return unseen(id, 'the CPU governor');
  if (name === 'performance') {
    return { id, level: 'fine', what: 'the CPU governor is performance', remedy: '' };
  }
  return {
    id,
    level: 'caution',
    what: `the CPU governor is ${name}: the clock speed follows the load`,
    remedy: 'sudo cpupower frequency-set -g performance',
  };
}

function ownClock(remedy: string): FitnessFinding {
  const what = 'the system chooses the clock speed, and does not show it';
  return { id: 'governor', level: 'caution', what, remedy };
}

function memory(bytes: number | null, endLarge: string): FitnessFinding {
  const id = 'memory';
  const remedy = `end programs that hold memory: ${endLarge}`;
  if (bytes === null) return { ...unseen(id, 'free memory'), remedy };
  const what = `${(bytes / gibibyte).toFixed(1)} GiB of memory are free`;
  const { caution, quarantine } = environmentLimits.freeMemoryBytes;
  if (bytes >= caution) return { id, level: 'fine', what, remedy: '' };
  const level = bytes >= quarantine ? 'caution' : 'unfit';
  return { id, level, what, remedy };
}

function disk(bytes: number | null): FitnessFinding {
  const id = 'disk';
  if (bytes === null) return unseen(id, 'free disk space');
  const what = `${(bytes / gibibyte).toFixed(1)} GiB of disk are free for runs and profiles`;
  if (bytes >= gibibyte) return { id, level: 'fine', what, remedy: '' };
  return { id, level: 'unfit', what, remedy: 'free some, or name another place: --database FILE' };
}

function cores(count: number): FitnessFinding {
  const what = `${String(count)} logical cores`;
  if (count >= 4) return { id: 'cores', level: 'fine', what, remedy: '' };
  return {
    id: 'cores',
    level: 'caution',
    what: `${what}: a browser's helper threads and its page compete for them`,
    remedy: 'measure concurrency on a machine with more cores',
  };
}

function virtual(kind: string | null): FitnessFinding {
  const id = 'virtualization';
  if (kind === null) return { id, level: 'fine', what: 'no virtual machine was seen', remedy: '' };
  return {
    id,
    level: 'caution',
    what: `this is a ${kind}: its host's load cannot be seen from here`,
    remedy: 'prefer bare metal for absolute numbers; comparisons in blocks stay valid',
  };
}

function root(asRoot: boolean): FitnessFinding {
  const id = 'root';
  if (!asRoot) return { id, level: 'fine', what: 'Chromium runs with its sandbox', remedy: '' };
  return {
    id,
    level: 'caution',
    what: 'Chromium runs as root, so without its sandbox',
    remedy: 'run the farm as an ordinary user',
  };
}

function unseen(id: string, what: string): FitnessFinding {
  return { id, level: 'caution', what: `this machine does not show ${what}`, remedy: '' };
}
