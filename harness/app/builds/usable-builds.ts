import { errorText, FarmError } from '../../errors.ts';
import type { Device, Presence } from '../../model/device.ts';
import type { MeasuringCaller } from '../caller.ts';
import { type Candidate, presentBuild } from './build-range.ts';
import { isOfAll } from './builds.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

/** A build that cannot be used, and why. */
export interface LeftOut {
  readonly build: string;
  readonly because: string;
}

/** The builds of a range that can be used, each fetched and started when it is first asked for. */
export class UsableBuilds {
  readonly leftOut: LeftOut[] = [];
  readonly #presences = new Map<string, Presence>();
  readonly #device: Device;
  readonly #caller: MeasuringCaller;

  constructor(device: Device, caller: MeasuringCaller) {
    this.#device = device;
    this.#caller = caller;
  }

  /** Null for a build that was not asked for, or is left out. */
  presenceOf(name: string): Presence | null {
    return this.#presences.get(name) ?? null;
  }

  /**
   * True if this build is usable. @throws FarmError for what concerns all builds, as a full disk.
   */
  async has(build: Candidate): Promise<boolean> {
    const { name } = build;
    if (this.#presences.has(name)) return true;
    if (this.leftOut.some((one) => one.build === name)) return false;
    const { say } = this.#caller;
    try {
      const caller = this.#caller;
      this.#presences.set(name, await presentBuild(this.#device, build, { name, caller }));
      return true;
    } catch (error) {
      if (isOfAll(error)) throw error;
      this.leftOut.push({ build: name, because: errorText(error) });
      say(`${name} is left out: ${errorText(error)}`);
      return false;
    }
  }

  nothingRuns(): FarmError {
    return new FarmError('no-device', {
      what: `None of these builds can be used: ${this.leftOut.map(({ because }) => because).join('; ')}`,
      next: `Choose others: ${npxCrossfarm} builds list`,
    });
  }
}
