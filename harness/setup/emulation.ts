import type { Ability, Driver } from '../../drivers/driver.ts';
import { nearestName } from '../errors.ts';
import type { Device } from '../model/device.ts';
import type { Absence } from './driver-server.ts';

/** Why this driver cannot have the browser pretend what the device asks for; null when it can. */
export async function findEmulationObstacle(
  device: Device,
  { name, emulator }: Driver,
): Promise<Absence | null> {
  const { emulation, browser, id } = device;
  if (emulation === undefined) return null;
  if (emulator === undefined) {
    return {
      reason: `the driver ${name} emulates nothing`,
      remedy: `give "${id}" the driver "playwright" in devices.json`,
    };
  }
  const { descriptor, cpuThrottling } = emulation;
  const inability =
    becauseOf(descriptor === undefined ? null : emulator.descriptor(browser)) ??
    becauseOf(cpuThrottling === undefined ? null : emulator.cpuThrottling(browser));
  if (inability !== null) {
    return { reason: inability, remedy: `give "${id}" the browser "chromium" in devices.json` };
  }
  return descriptor === undefined
    ? null
    : checkDescriptor(descriptor, await emulator.descriptors());
}

function becauseOf(ability: Ability | null): string | null {
  return ability === null || ability.supported ? null : ability.because;
}

function checkDescriptor(descriptor: string, known: readonly string[]): Absence | null {
  if (known.includes(descriptor)) return null;
  const near = nearestName(descriptor, known);
  return {
    reason: `there is no "${descriptor}" to emulate`,
    remedy: near === null ? 'correct "emulates" in devices.json' : `did you mean "${near}"?`,
  };
}
