import type { NoiseFloor } from '../../core/app/devices/noise-floor.ts';

/** One thing that was tried. */
export interface DeviceCheck {
  readonly name: string;
  /** As the driver declares it; null for what no driver promises, such as an ability of the page. */
  readonly declared: boolean | null;
  /** `missing`: the browser does not have it, and nothing promises it. */
  readonly seen: 'works' | 'fails' | 'missing' | 'not tried';
  /** Value that was seen, words of the failure, or reason why it was not tried. */
  readonly detail?: string;
  /** Milliseconds; left out where it was not tried. */
  readonly ms?: number;
}

/** Facts that the page of the report gave. */
export interface PageFacts {
  readonly userAgent: string;
  readonly hardwareConcurrency: number | null;
  /** Smallest step of the page's clock, in microseconds. */
  readonly granuleUs: number;
  /** `crossOriginIsolated`. */
  readonly isolated: boolean;
  /** What drew the page, such as `GPU (Adreno (TM) 640)`; null where it did not say. */
  readonly drawnBy: string | null;
  readonly numbers: Readonly<Record<string, number>>;
}

/** A browser that was measured against itself. */
export interface TwinFacts extends Omit<NoiseFloor, 'device'> {
  readonly trials: number;
  /** Trials that do not count, because the machine was busy or hot. */
  readonly excluded: number;
}

/**
 * Abilities and facts of one device, in a file that its owner sends to those who have no such
 * device. It holds no name, address, serial number, setting or page of the owner's.
 */
export interface DeviceReport {
  readonly format: 'crossfarm-device-report';
  readonly version: 1;
  /** ISO 8601, the day alone. */
  readonly writtenOn: string;
  readonly state: 'complete' | 'partial';
  /** Why it is partial. */
  readonly because?: string;
  readonly device: ReportedDevice;
  readonly machine: ReportedMachine;
  /** Versions by name: the farm, Node.js, the driver's library and server. */
  readonly versions: Readonly<Record<string, string>>;
  readonly checks: readonly DeviceCheck[];
  readonly page: PageFacts | null;
  /** The browser against itself; null where it was not measured. */
  readonly againstItself: TwinFacts | null;
  /** Steps that only a person at the device can take. */
  readonly ownerSteps: readonly string[];
}

export interface ReportedDevice {
  readonly browser: string;
  /** Null where the device is missing, or does not tell. */
  readonly version: string | null;
  readonly driver: string;
  readonly where: 'this machine' | 'another machine' | 'android' | 'ios' | 'attended';
  readonly headless: boolean;
  readonly emulated: boolean;
}

export interface ReportedMachine {
  readonly system: string;
  readonly release: string;
  readonly architecture: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly virtualization: string | null;
}

/** True if a driver promises it and does not do it. */
export function isFault({ declared, seen }: DeviceCheck): boolean {
  return declared === true && seen === 'fails';
}
