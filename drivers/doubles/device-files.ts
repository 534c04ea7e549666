import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ShellSetting } from './adb-shell.ts';

export interface DeviceFacts {
  /** The maker's name of the product, without spaces: `panther`. */
  readonly name: string;
  /** Pixel 7 */
  readonly model: string;
  /** An address of this machine that stands for the device's loopback: `127.0.0.2`. */
  readonly loopback: string;
  /** Its shell, which `read -t` must work in, as in Android's mksh. */
  readonly shell: string;
}

/** Condition of the device; a test changes it while the device is running. */
export interface DeviceCondition {
  readonly awake: boolean;
  readonly locked: boolean;
  /** Pressing the key wakes the screen, and the lock screen goes without a secret. */
  readonly wakes: boolean;
  readonly batteryPercent: number;
  readonly powered: boolean;
  readonly batteryCelsius: number;
  readonly thermalStatus: number;
}

export interface DeviceFiles extends ShellSetting {
  readonly loopback: string;
  set(condition: Partial<DeviceCondition>): Promise<void>;
}

const usual: DeviceCondition = {
  awake: true,
  locked: false,
  wakes: true,
  batteryPercent: 87,
  powered: true,
  batteryCelsius: 28.3,
  thermalStatus: 0,
};

/** Android's programs as far as the farm asks them, and the files that they read. */
export async function layOutDevice(folder: string, facts: DeviceFacts): Promise<DeviceFiles> {
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}`);
    await chmod(join(bin, name), 0o755);
  }
  const properties = {
    'ro.product.manufacturer': 'Google',
    'ro.product.model': facts.model,
    'ro.build.version.release': '14',
    'ro.build.version.sdk': '34',
    'ro.crossfarm.loopback': facts.loopback,
  };
  const list = Object.entries(properties).map(([key, value]) => `${key}=${value}\n`);
  await writeFile(join(folder, 'properties'), list.join(''));
  await writeFile(join(folder, 'packages'), 'com.android.chrome\n');
  await mkdir(join(folder, 'data/com.android.chrome'), { recursive: true });
  let condition = usual;
  const set = async (changes: Partial<DeviceCondition>): Promise<void> => {
    condition = { ...condition, ...changes };
    await writeCondition(folder, condition);
  };
  await set({});
  return {
    shell: facts.shell,
    loopback: facts.loopback,
    environment: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, DEVICE: folder, HOME: folder },
    set,
  };
}

async function writeCondition(folder: string, condition: DeviceCondition): Promise<void> {
  const { awake, locked, wakes, batteryPercent, powered, batteryCelsius } = condition;
  const tenths = String(Math.round(batteryCelsius * 10));
  const texts: Readonly<Record<string, string>> = {
    battery: `Current Battery Service state:\n  AC powered: false\n  USB powered: ${String(powered)}\n  level: ${String(batteryPercent)}\n  scale: 100\n  temperature: ${tenths}\n`,
    power: `POWER MANAGER (dumpsys power)\n  mWakefulness=${awake ? 'Awake' : 'Asleep'}\n`,
    window: `WINDOW MANAGER POLICY STATE (dumpsys window policy)\n    KeyguardServiceDelegate\n      showing=${String(locked)}\n      secure=${String(!wakes)}\n`,
    thermalservice: `IsStatusOverride: false\nThermal Status: ${String(condition.thermalStatus)}\n`,
  };
  for (const [service, text] of Object.entries(texts)) {
    // In one go: the device may be asked at any moment.
    const path = join(folder, `dumpsys-${service}`);
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  }
  await writeFile(join(folder, 'wakes'), wakes ? 'yes' : 'no');
}

const getprop = `while IFS='=' read -r key value; do
  if [ "$key" = "$1" ]; then echo "$value"; exit; fi
done < "$DEVICE/properties"
echo
`;

const dumpsys = `if [ "$1" = package ]; then
  if grep -qx "$2" "$DEVICE/packages"; then echo "  Package [$2]"; echo "    versionName=128.0.6613.88"
  else echo "Unable to find package: $2"; fi
elif [ -f "$DEVICE/dumpsys-$1" ]; then cat "$DEVICE/dumpsys-$1"
else echo "Can't find service: $1"; fi
`;

const input = `[ "$(cat "$DEVICE/wakes")" = yes ] || exit 0
echo '  mWakefulness=Awake' > "$DEVICE/dumpsys-power"
`;

const wm = `[ "$(cat "$DEVICE/wakes")" = yes ] || exit 0
printf '    KeyguardServiceDelegate\\n      showing=false\\n' > "$DEVICE/dumpsys-window"
`;

/** The browser's processes with the names that Android gives those of Chrome, and no others. */
const ps = `: > "$DEVICE/listed"
echo '  PID ARGS'
[ -f "$DEVICE/browser" ] || exit 0
PATH=/usr/bin:/bin ps -A -o pid=,ppid=,args= | awk -v root="$(cat "$DEVICE/browser")" '
{ parent[$1] = $2; all[$1] = $0 }
END {
  for (pid in all) {
    above = parent[pid]
    while (above != root && above > 1) above = parent[above]
    if (above != root) continue
    name = "com.android.chrome"
    if (all[pid] ~ /--type=renderer/) name = name ":sandboxed_process0:org.chromium.content.app.SandboxedProcessService0:0"
    else if (all[pid] ~ /--type=gpu-process/) name = name ":privileged_process0"
    else if (all[pid] ~ /--type=/) name = name ":sandboxed_process1"
    print pid, name
  }
}'
`;

/** Removes all data that an owner has in an app. */
const pm = `[ "$1" = clear ] || exit 1
rm -rf "$DEVICE/data/$2"
echo Success
`;

const programs: Readonly<Record<string, string>> = { getprop, dumpsys, input, wm, ps, pm };
