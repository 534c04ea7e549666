import type { Capabilities } from '../../../../drivers/driver.ts';
import { FarmError } from '../../../core/errors.ts';
import type { Device, Presence } from '../../../core/model/device.ts';
import type { InputStep, NetworkCondition } from '../../../core/model/case.ts';

/** Under which circumstances pages are compared; as they are when all is left out. */
export interface Conditions {
  readonly network?: NamedNetwork;
  /** Each page is opened once before it is measured, so that its files are in the browser's cache. */
  readonly warm?: boolean;
  /** The factor by which the processor seems slower. */
  readonly cpuThrottling?: number;
}

/** The input to the pages, under the name by which the results are kept. */
export interface NamedInput {
  readonly name: string;
  readonly steps: readonly InputStep[];
}

/** A network, under the name by which the results are kept. */
export interface NamedNetwork extends NetworkCondition {
  readonly name: string;
  /** As it stood on the command line. */
  readonly argument: string;
}

/**
 * Networks by name: round-trip time and rate. Slow 4G is Lighthouse's, 4G that of WebPageTest; both
 * are of their documentation, not measured.
 */
const networks: ReadonlyMap<string, NetworkCondition> = new Map([
  ['slow-4g', { latencyMs: 150, kbitPerSecond: 1_638.4 }],
  ['4g', { latencyMs: 170, kbitPerSecond: 9_000 }],
]);

/**
 * Reads `--network`: a name, or `latency=<ms>,down=<kbit/s>`.
 * @throws FarmError `bad-argument`
 */
export function parseNetwork(text: string): NamedNetwork {
  const known = networks.get(text);
  if (known !== undefined) return { name: text, argument: text, ...known };
  const [, latency, down] = /^latency=(\d+(?:\.\d+)?),down=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  const network = { latencyMs: Number(latency), kbitPerSecond: Number(down) };
  // A longer latency, or a rate below that of a modem, only runs into the deadline of a trial.
  if (network.latencyMs <= 10_000 && network.kbitPerSecond >= 10) {
    return { name: `${latency ?? ''} ms, ${down ?? ''} kbit/s`, argument: text, ...network };
  }
  throw new FarmError('bad-argument', {
    what: `${text} is not a network.`,
    next: `Use ${[...networks.keys()].join(', ')}, or latency=150,down=1600 (milliseconds, at most 10000; kbit/s, at least 10).`,
  });
}

/** The device as one whose processor is slower; its driver may be unable to pretend that. */
export function throttled(device: Device, { cpuThrottling }: Conditions): Device {
  return cpuThrottling === undefined
    ? device
    : { ...device, emulation: { ...device.emulation, cpuThrottling } };
}

interface NeededCapability {
  /** Name of a driver's capability. */
  readonly capability: keyof Capabilities;
  /** Half a sentence, before the driver's own reason. */
  readonly why: string;
  readonly option: string;
}

const needs = {
  input: { capability: 'input', why: 'input is given by its driver', option: '--input' },
  // Pages of one session share a cache only where a second one opens in the same browser.
  warm: {
    capability: 'freshPage',
    why: 'a warm cache takes two pages in one browser',
    option: '--warm',
  },
} as const satisfies Record<string, NeededCapability>;

/** The presence, or why its driver cannot do what was asked for. */
export function ableTo(
  presence: Presence,
  { input, warm = false }: Pick<Conditions, 'warm'> & { readonly input?: string | undefined },
): Presence {
  if (presence.status === 'missing') return presence;
  const asked = [...(input === undefined ? [] : [needs.input]), ...(warm ? [needs.warm] : [])];
  for (const { capability, why, option } of asked) {
    const ability = presence.capabilities.find(({ name }) => name === capability);
    if (ability === undefined || ability.supported) continue;
    const { device, capabilities } = presence;
    const reason = `${why}, and ${ability.because ?? 'this one cannot'}`;
    const remedy = `Leave out ${option}, or choose another driver for it.`;
    return { status: 'missing', device, reason, remedy, capabilities };
  }
  return presence;
}
