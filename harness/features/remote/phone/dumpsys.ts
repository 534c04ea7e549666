/**
 * Parsers of Android's `dumpsys`. Its texts are made for people and change with every version, so
 * an unknown value is null, which is not a reason to refuse a phone.
 */
export interface PhoneState {
  /** The screen is on. */
  readonly awake: boolean | null;
  /** The lock screen is shown. */
  readonly locked: boolean | null;
  /** 0–100. */
  readonly batteryPercent: number | null;
  /** On a cable, or another source of power. */
  readonly powered: boolean | null;
  readonly batteryCelsius: number | null;
  /** 0 none, 1 light, 2 moderate, 3 severe, 4 critical, 5 emergency, 6 shutdown. */
  readonly thermalStatus: number | null;
}

/**
 * One command line for everything. Kept short: a phone before Android 7 takes 4 KiB. `dumpsys` has
 * no service `thermalservice` before Android 10, which is accepted here.
 */
export const stateCommand = [
  'dumpsys battery',
  'dumpsys power | grep -E "mWakefulness=|Display Power"',
  'dumpsys window policy',
  'dumpsys thermalservice | grep "Thermal Status"',
].join('; ');

/** Reads what `stateCommand` printed. */
export function parseState(text: string): PhoneState {
  const level = numberIn(text, /^\s*level: (\d+)$/m);
  const scale = numberIn(text, /^\s*scale: (\d+)$/m) ?? 100;
  const tenths = numberIn(text, /^\s*temperature: (-?\d+)$/m);
  const wakefulness = /\bmWakefulness=(\w+)/.exec(text)?.[1];
  return {
    awake: wakefulness === undefined ? null : wakefulness === 'Awake',
    locked: isLocked(text),
    batteryPercent: level === null || scale <= 0 ? null : (level / scale) * 100,
    powered: /^\s*\w+ powered: /m.test(text) ? /^\s*\w+ powered: true$/m.test(text) : null,
    batteryCelsius: tenths === null ? null : tenths / 10,
    thermalStatus: numberIn(text, /\bThermal Status: (\d)\b/),
  };
}

/**
 * Each generation of Android says it in its own way: since 8 `showing=` of the keyguard's delegate,
 * since 5 `mIsShowing=`, before that `mShowingLockscreen=`; Appium's own driver looks for the latter two.
 */
function isLocked(text: string): boolean | null {
  const delegate = /KeyguardServiceDelegate\s+showing=(true|false)/.exec(text)?.[1];
  const showing = /\bmIsShowing=(true|false)/.exec(text)?.[1];
  const old = /\bmShowingLockscreen=(true|false)/.exec(text)?.[1];
  const said = delegate ?? showing ?? old;
  return said === undefined ? null : said === 'true';
}

function numberIn(text: string, pattern: RegExp): number | null {
  const found = pattern.exec(text.replaceAll('\r', ''))?.[1];
  return found === undefined ? null : Number(found);
}
