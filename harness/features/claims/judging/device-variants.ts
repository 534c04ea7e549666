import type { Arm } from '../../../model/question.ts';
import {
  causes,
  changedDevice,
  changeFor,
  coresChange,
  type Change,
} from '../../../analysis/causes.ts';
import type { CaseMaker, ArmTemplate, Product } from './claim.ts';
import type { Phone, Presence, FoundDevice } from '../../../model/device.ts';
import { deviceFor } from './products.ts';

interface Variant {
  readonly change: Change;
  readonly presence: FoundDevice;
}

/** Returns the device without a cause; null if its engine has no switch for it. */
export function makeVariant(presence: FoundDevice, cause: string, given?: Change): Variant | null {
  const known = causes.find(({ id }) => id === cause);
  const change = given ?? (known === undefined ? null : changeFor(known, presence.device));
  if (change === null) return null;
  const suffix = given?.cores === undefined ? `without-${cause}` : `cores-${String(given.cores)}`;
  const device = changedDevice(presence.device, suffix, change);
  return { change, presence: { ...presence, device, target: { ...presence.target, device } } };
}

interface VariantSetting {
  readonly presences: readonly Presence[];
  /** Logical cores that may be used here. */
  readonly cores: number;
  readonly makeCase: CaseMaker;
  /** The phones that the claim is about; computers when left out. */
  readonly phone?: Phone['platform'] | undefined;
}

/**
 * Finds the device of each arm, pinned or without a cause if the arm asks for that, and records the
 * used ones.
 */
export class DeviceVariants {
  readonly #surroundings: VariantSetting;
  readonly #used = new Map<string, FoundDevice>();

  constructor(surroundings: VariantSetting) {
    this.#surroundings = surroundings;
  }

  find(product: Product): FoundDevice | null {
    const { presences, phone } = this.#surroundings;
    return deviceFor(product, presences, phone);
  }

  used(): readonly FoundDevice[] {
    return [...this.#used.values()];
  }

  arm(template: ArmTemplate, each: Product | null): Arm {
    const { product, benchmark, cores } = template;
    const wanted = product === 'each' ? each : product;
    const found = wanted === null ? null : this.find(wanted);
    if (found === null) throw new RangeError(`no device for ${String(wanted)}`);
    const chosen = typeof cores === 'number' ? this.#pinned(found, cores) : found;
    this.#used.set(chosen.device.id, chosen);
    const parameters = this.#parametersOf(template);
    return { deviceId: chosen.device.id, case: this.#surroundings.makeCase(benchmark, parameters) };
  }

  #parametersOf({ parameters, coresAs }: ArmTemplate): ArmTemplate['parameters'] {
    return coresAs === undefined
      ? parameters
      : { ...parameters, [coresAs]: this.#surroundings.cores };
  }

  /** Returns the arm without a cause; null if its engine has no switch for it. */
  without(cause: string, arm: Arm): { readonly arm: Arm; readonly change: Change } | null {
    const presence = this.#used.get(arm.deviceId);
    if (presence === undefined) return null;
    const variant = makeVariant(presence, cause, cause === 'cores' ? coresChange(1) : undefined);
    if (variant === null) return null;
    const { id } = variant.presence.device;
    this.#used.set(id, variant.presence);
    return { arm: { ...arm, deviceId: id }, change: variant.change };
  }

  #pinned(presence: FoundDevice, cores: number): FoundDevice {
    const device = changedDevice(presence.device, `cores-${String(cores)}`, coresChange(cores));
    return { ...presence, device, target: { ...presence.target, device } };
  }
}
