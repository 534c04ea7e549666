import { DriverError } from '../../../../drivers/driver.ts';
import type { AskPhone } from './adb.ts';
import { parseState, stateCommand, type PhoneState } from './dumpsys.ts';

/**
 * When a phone is fit for a trial. No phone was at hand, so none of these was measured by us; each says
 * where it is from. Temperatures are the battery's, the only one that every phone gives.
 */
const phoneLimits = {
  /** At 15 % Android offers its battery saver, which slows the processor down. */
  leastBatteryPercent: 15,
  /**
   * Makers charge up to 45 °C and begin to slow processors down some degrees before; from here on
   * a trial would time the phone's cooling.
   */
  hotCelsius: 40,
  /** It cools down to less, or the next trial would bring it back at once. */
  coolCelsius: 38,
  /** 1 is Android's "light" throttling: the first level at which the system holds back. */
  throttled: 1,
  /** How long one trial waits for a phone that is too hot. */
  longestWaitMs: 5 * 60_000,
  lookMs: 5_000,
} as const;

export type PhoneLimits = { readonly [Name in keyof typeof phoneLimits]: number };

/** A report while the farm waits for a phone. */
export interface PhoneWait {
  /** Half a sentence: "it is too hot, 43.1 °C". */
  readonly why: string;
  /** How much longer it may be waited for. */
  readonly leftMs: number;
}

export interface ReadinessOptions {
  readonly ask: AskPhone;
  readonly signal: AbortSignal;
  readonly tell: (wait: PhoneWait) => void;
  readonly limits?: PhoneLimits;
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number;
  /** Sleeps for a time, or until an abort. */
  readonly rest: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Wakes the screen; a lock screen without a secret goes by itself. */
const wakeCommand = 'input keyevent KEYCODE_WAKEUP; wm dismiss-keyguard';

/**
 * Looks whether a phone is fit for the next trial: it answers, its screen is on and unlocked, its
 * battery is not low; and waits while it is too hot.
 * @throws DriverError `launch-failed` with what to do about it, `timed-out` when it stays hot; or
 * the signal's reason.
 */
export async function untilReady(id: string, options: ReadinessOptions): Promise<PhoneState> {
  const { limits = phoneLimits } = options;
  const state = await untilAwake(options);
  const obstacle = obstacleIn(state, limits);
  if (obstacle !== null) throw new DriverError('launch-failed', `The phone ${id} ${obstacle}`);
  return heatOf(state, limits.hotCelsius, limits) === null
    ? state
    : untilCool(id, { ...options, limits });
}

async function untilAwake({ ask, signal }: ReadinessOptions): Promise<PhoneState> {
  const state = parseState(await ask(stateCommand, signal));
  if (state.awake !== false && state.locked !== true) return state;
  await ask(wakeCommand, signal);
  return parseState(await ask(stateCommand, signal));
}

/** Returns the obstacle that only the phone's owner can remove; null when it is missing. */
function obstacleIn(state: PhoneState, { leastBatteryPercent }: PhoneLimits): string | null {
  if (state.awake === false) return 'does not switch its screen on: do it by hand';
  if (state.locked === true) {
    return 'is locked: unlock it, and let it stay awake while it charges (Settings, Developer options)';
  }
  const { batteryPercent, powered } = state;
  if (batteryPercent === null || powered === true || batteryPercent >= leastBatteryPercent) {
    return null;
  }
  const percent = String(Math.round(batteryPercent));
  return `has ${percent} % of its battery left and is not charging (limit ${String(leastBatteryPercent)} %): it would save power`;
}

/** Why it is too hot to measure; null when it is not. */
function heatOf(state: PhoneState, celsius: number, { throttled }: PhoneLimits): string | null {
  const { batteryCelsius, thermalStatus } = state;
  if (batteryCelsius !== null && batteryCelsius >= celsius) {
    return `it is too hot, ${batteryCelsius.toFixed(1)} °C (limit ${String(celsius)} °C)`;
  }
  if (thermalStatus !== null && thermalStatus >= throttled) {
    return `it slows itself down because of heat (thermal status ${String(thermalStatus)})`;
  }
  return null;
}

type CoolingOptions = ReadinessOptions & { readonly limits: PhoneLimits };

async function untilCool(id: string, options: CoolingOptions): Promise<PhoneState> {
  const { ask, signal, tell, limits, now, rest } = options;
  const began = now();
  for (;;) {
    signal.throwIfAborted();
    const state = parseState(await ask(stateCommand, signal));
    const why = heatOf(state, limits.coolCelsius, limits);
    if (why === null) return state;
    const leftMs = limits.longestWaitMs - (now() - began);
    if (leftMs <= 0) {
      const seconds = String(Math.round(limits.longestWaitMs / 1000));
      throw new DriverError('timed-out', `The phone ${id} was waited for ${seconds} s, and ${why}`);
    }
    tell({ why, leftMs });
    await rest(Math.min(limits.lookMs, leftMs), signal);
  }
}
