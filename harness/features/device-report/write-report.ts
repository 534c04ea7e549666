import { resolve } from 'node:path';
import type { Driver } from '../../../drivers/driver.ts';
import { loadDriver } from '../../../drivers/index.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import { checkDevices } from '../../core/app/devices/devices.ts';
import { measureNoiseFloor, type NoiseFloor } from '../../core/app/devices/noise-floor.ts';
import { writeWhole } from '../../core/app/records.ts';
import { joinListeners } from '../../core/app/follow.ts';
import type { RunListener } from '../../core/run/listener.ts';
import type { RunOrder } from '../../core/app/run/execute-plan.ts';
import { withEquipment } from '../../core/app/run/equipment.ts';
import { pickTls, type TlsOptions } from '../../core/app/tls/certificate.ts';
import { errorText, FarmError } from '../../core/errors.ts';
import { findHost, type FoundDevice, isElsewhere, type Presence } from '../../core/model/device.ts';
import { chooseRules, type MeasurementName } from '../../core/plan/catalog/measurement.ts';
import { pagesFolder, sessionsFolder } from '../../core/project.ts';
import { defaultLimits } from '../../core/run/limits.ts';
import { describeMachine } from '../../core/setup/machine.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import type {
  DeviceCheck,
  DeviceReport,
  PageFacts,
  ReportedDevice,
  ReportedMachine,
  TwinFacts,
} from './device-report.ts';
import { examineDevice } from './examine.ts';
import { makeRedaction, type Redact } from './redact.ts';
import { listVersions } from './versions.ts';

export interface ReportOptions extends TlsOptions {
  /** The id of the device. */
  readonly device: string;
  readonly inventory: string;
  readonly database: string;
  /** The file that is written; one named after the product when left out. */
  readonly out?: string;
  /** Milliseconds in which the browser is measured against itself. */
  readonly budget: number;
  readonly blocks: number;
  readonly measurement?: MeasurementName;
  readonly wait?: boolean;
}

export interface ReportCaller extends MeasuringCaller {
  /** Called when the device is there, before the first check. */
  readonly onBegin?: () => void;
  readonly onCheck?: (check: DeviceCheck) => void;
  /** Called once the checks are over, with the longest time that is left in milliseconds. */
  readonly onTwins?: (leftMs: number) => void;
}

/** A device that a person has joined, and the equipment that reaches it. */
export interface JoinedDevice {
  readonly presence: FoundDevice;
  readonly driver: Driver;
  readonly lent: NonNullable<RunOrder['lent']>;
  readonly caller: MeasuringCaller;
}

/** Lends a device that a person joins, for as long as `use` lasts. */
export type LendJoined = <T>(use: (joined: JoinedDevice) => Promise<T>) => Promise<T>;

export interface WrittenReport {
  readonly path: string;
  readonly report: DeviceReport;
  /** Why the device cannot be used here; null where it was tried. */
  readonly missing: { readonly reason: string; readonly remedy: string } | null;
}

/**
 * Tries one device and writes its report. An interrupted one is written as well, and says so.
 * @throws FarmError `unknown-device`, `bad-argument` for a device that opens no pages.
 */
export async function writeDeviceReport(
  options: ReportOptions,
  caller: ReportCaller,
  lendJoined: LendJoined,
): Promise<WrittenReport> {
  const load = caller.loadDriver ?? loadDriver;
  const [checked] = await checkDevices({ ...options, device: [options.device] }, load);
  if (checked === undefined) throw new TypeError(`nothing is known of ${options.device}`);
  const { presence, ownerSteps } = checked;
  refuseProgram(presence);
  const driver = await load(presence.device.driver);
  const draft: Draft = { checks: [], page: null, againstItself: null, because: null, presence };
  const redact = makeRedaction(presence.device);
  try {
    if (checked.joins) {
      await lendJoined((joined) => fillDraft(draft, joined, { options, caller }));
    } else if (presence.status === 'found') {
      await fillDraft(draft, { presence, driver, caller }, { options, caller });
    } else {
      draft.because = `${presence.reason}; ${presence.remedy}`;
    }
  } catch (error) {
    // Its owner sends an incomplete report as well.
    if (draft.checks.length === 0 && !caller.signal.aborted) throw error;
    draft.because = errorText(error);
  }
  const versions = await listVersions(draft.presence, driver);
  const report = compose(draft, { ownerSteps, versions, redact });
  const path = resolve(options.out ?? `${nameReport(report)}.json`);
  await writeWhole(path, `${JSON.stringify(report, null, 2)}\n`);
  const isMissing = presence.status === 'missing' && !checked.joins;
  return { path, report, missing: isMissing ? presence : null };
}

/** The report as far as it is known: it may end at any time. */
interface Draft {
  presence: Presence;
  readonly checks: DeviceCheck[];
  page: PageFacts | null;
  againstItself: TwinFacts | null;
  because: string | null;
}

function refuseProgram({ device }: Presence): void {
  const host = findHost(device.browser);
  if (host === 'browser' || host === 'runtime') return;
  throw new FarmError('bad-argument', {
    what: `${device.id} opens no pages: a device report is of a browser or a runtime.`,
    next: `See what is there: ${npxCrossfarm} devices`,
  });
}

/** Equipment of a device that joined; others have the farm's. */
type Lent = { readonly lent?: JoinedDevice['lent'] | undefined };

interface Asked {
  readonly options: ReportOptions;
  readonly caller: ReportCaller;
}

async function fillDraft(
  draft: Draft,
  { presence, driver, lent, caller }: Omit<JoinedDevice, 'lent'> & Lent,
  { options, caller: asking }: Asked,
): Promise<void> {
  draft.presence = presence;
  asking.onBegin?.();
  const { database, budget, wait } = options;
  const { signal, say } = caller;
  const equipmentOptions = {
    pages: pagesFolder(),
    port: 0,
    deadline: defaultLimits.trialMs,
    probes: false,
    directory: sessionsFolder(database),
    waitsForQuiet: false,
    ...pickTls(options),
    wait,
    signal,
    say,
    ...(caller.loadDriver !== undefined && { loadDriver: caller.loadDriver }),
    ...lent,
  };
  const findings = {
    onCheck: (check: DeviceCheck) => {
      draft.checks.push(check);
      asking.onCheck?.(check);
    },
    onPage: (facts: PageFacts) => void (draft.page = facts),
  };
  await withEquipment(equipmentOptions, (equipment) =>
    examineDevice(presence, { driver, equipment, findings }),
  );
  signal.throwIfAborted();
  const opens = draft.checks.some(({ name, seen }) => name === 'page' && seen === 'works');
  if (!opens) return;
  asking.onTwins?.(budget);
  draft.againstItself = await measureTwins({ presence, lent, caller }, options);
  signal.throwIfAborted();
}

/** Measures the browser against itself, and counts the trials that do not count. */
async function measureTwins(
  { presence, lent, caller }: Pick<JoinedDevice, 'presence' | 'caller'> & Lent,
  { database, blocks, budget, wait, measurement, ...options }: ReportOptions,
): Promise<TwinFacts> {
  const counts = { trials: 0, excluded: 0 };
  const counter: RunListener = {
    onTrialEnded: () => void (counts.trials += 1),
    onTrialQuarantined: () => void (counts.excluded += 1),
  };
  const floor = await measureNoiseFloor(
    presence,
    {
      database,
      blocks,
      repeat: false,
      budget,
      ...(wait !== undefined && { wait }),
      measurement: chooseRules(measurement),
      ...(lent !== undefined && { lent }),
      ...pickTls(options),
      command: `${npxCrossfarm} devices doctor --device ${presence.device.id} --bundle`,
    },
    { ...caller, listener: joinListeners(caller.listener ?? {}, counter) },
  );
  return { ...withoutDevice(floor), ...counts };
}

interface Surroundings {
  readonly ownerSteps: readonly string[];
  readonly versions: DeviceReport['versions'];
  readonly redact: Redact;
}

function compose(draft: Draft, { ownerSteps, versions, redact }: Surroundings): DeviceReport {
  const { presence, page, because, againstItself } = draft;
  return {
    format: 'crossfarm-device-report',
    version: 1,
    writtenOn: new Date().toISOString().slice(0, 10),
    state: because === null ? 'complete' : 'partial',
    ...(because !== null && { because: redact(because) }),
    device: describeDevice(presence, draft.checks),
    machine: describeThisMachine(),
    versions,
    checks: completeChecks(draft).map((check) => redactCheck(check, redact)),
    page: page === null ? null : { ...page, userAgent: redact(page.userAgent) },
    againstItself,
    ownerSteps,
  };
}

/** Adds the capabilities that an interrupted examination did not reach. */
function completeChecks({ checks, presence }: Draft): readonly DeviceCheck[] {
  const tried = new Set(checks.map(({ name }) => name));
  const left = presence.capabilities
    .filter(({ name }) => !tried.has(name))
    .map(({ name, supported, because = 'the report ended before' }): DeviceCheck => ({
      name,
      declared: supported,
      seen: 'not tried',
      detail: supported ? 'the report ended before' : because,
    }));
  return [...checks, ...left];
}

function redactCheck(check: DeviceCheck, redact: Redact): DeviceCheck {
  const { detail } = check;
  return detail === undefined ? check : { ...check, detail: redact(detail).slice(0, 500) };
}

function describeDevice(presence: Presence, checks: readonly DeviceCheck[]): ReportedDevice {
  const { device } = presence;
  const live = checks.find(({ name, seen }) => name === 'liveVersion' && seen === 'works')?.detail;
  const found = presence.status === 'found' ? presence.target.browser.version : null;
  const { browser, driver, headless, emulation } = device;
  return {
    browser,
    driver,
    headless,
    version: live ?? (found === 'unknown' ? null : found),
    where: findPlace(presence),
    emulated: emulation !== undefined,
  };
}

function findPlace({ device }: Presence): ReportedDevice['where'] {
  if (device.driver === 'attended') return 'attended';
  if (device.phone !== undefined) return device.phone.platform;
  return isElsewhere(device) ? 'another machine' : 'this machine';
}

function describeThisMachine(): ReportedMachine {
  const { system, release, architecture, cpuModel, logicalCores, memoryBytes, virtualization } =
    describeMachine();
  return {
    system,
    release,
    architecture,
    cpu: cpuModel,
    cores: logicalCores,
    virtualization,
    memoryGb: Math.round(memoryBytes / 2 ** 30),
  };
}

function withoutDevice(floor: NoiseFloor): Omit<NoiseFloor, 'device'> {
  const { blocks, low, high, smallestVisible, granuleUs, isolated } = floor;
  return { blocks, low, high, smallestVisible, granuleUs, isolated };
}

/** By its product, as the id of a device may name its owner. */
function nameReport({ device }: DeviceReport): string {
  const parts = ['device-report', device.browser, device.driver];
  return parts.join('-').replaceAll(/[^\w-]/g, '-');
}
