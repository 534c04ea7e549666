import type { Device } from '../../model/device.ts';

/** What a device is launched with. */
export type Settings = Partial<Pick<Device, 'flags' | 'preferences' | 'environment'>>;

const scriptFlags = '--js-flags=';

/**
 * The settings of a device that none of the known ones has, as their owner would type them. A flag
 * can name a program to start, and an environment variable a library to load, so what a stranger
 * asks for is only taken over when this farm's own catalogue or inventory has it, value and all.
 * Of `--js-flags` each switch counts by itself, because Chromium takes several as one.
 */
export function foreignSettings(device: Settings, known: readonly Settings[]): readonly string[] {
  const allowed = new Set(known.flatMap(listSettings));
  return listSettings(device).filter((setting) => !allowed.has(setting));
}

function listSettings({
  flags = [],
  preferences = {},
  environment = {},
}: Settings): readonly string[] {
  return [
    ...flags.flatMap(splitFlag),
    ...Object.entries(preferences).map(
      ([name, value]) => `preference ${name}=${JSON.stringify(value)}`,
    ),
    ...Object.entries(environment).map(([name, value]) => `environment ${name}=${value}`),
  ];
}

function splitFlag(flag: string): readonly string[] {
  if (!flag.startsWith(scriptFlags)) return [flag];
  const switches = flag.slice(scriptFlags.length).split(/[\s,]+/);
  return switches.filter((one) => one !== '').map((one) => scriptFlags + one);
}
