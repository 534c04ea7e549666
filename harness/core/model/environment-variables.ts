/**
 * The variables of the farm's own environment that are handed on to what it measures: browsers,
 * runtimes, native programs, and the servers of their drivers. All others stay with the farm, as
 * its environment may hold secrets, and a page or program that is measured may show them. Users set
 * more in `devices.json`. DISPLAY, TMPDIR and XDG's folders are the session's own.
 */
const inheritedVariables: readonly string[] = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'LC_*',
  'TZ',
  'TMPDIR',
  // Where a system keeps its libraries, fonts and settings in unusual places.
  'LD_LIBRARY_PATH',
  'FONTCONFIG_FILE',
  'FONTCONFIG_PATH',
  // Of the desktop, for a browser that is shown on it.
  'XAUTHORITY',
  'XDG_CONFIG_DIRS',
  'XDG_CURRENT_DESKTOP',
  'XDG_DATA_DIRS',
  'XDG_SESSION_TYPE',
  'DBUS_SESSION_BUS_ADDRESS',
  '__CF_USER_TEXT_ENCODING',
  // Of Appium's servers, and the tools of phones that they start.
  'ADB_LOCAL_TRANSPORT_MAX_PORT',
  'ADB_MDNS_AUTO_CONNECT',
  'ADB_SERVER_SOCKET',
  'ADB_VENDOR_KEYS',
  'ANDROID_ADB_SERVER_PORT',
  'ANDROID_AVD_HOME',
  'ANDROID_HOME',
  'ANDROID_SDK_ROOT',
  'ANDROID_SERIAL',
  'ANDROID_USER_HOME',
  'DEVELOPER_DIR',
  'JAVA_HOME',
  // Without these Windows starts few programs; spelt as it spells them.
  'APPDATA',
  'ComSpec',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'NUMBER_OF_PROCESSORS',
  'OS',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'Path',
  'ProgramData',
  'ProgramFiles',
  'ProgramFiles(x86)',
  'SystemDrive',
  'SystemRoot',
  'TEMP',
  'TMP',
  'USERPROFILE',
  'windir',
];

/** Variables that an environment hands on to measured programs, name and value. */
export function inheritedFrom(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const handedOn = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isInherited(entry[0]),
  );
  return Object.fromEntries(handedOn);
}

/** Variables that switch a part of an engine or a toolkit on or off, and name what it draws with. */
const switches: ReadonlySet<string> = new Set([
  'DISPLAY',
  'GALLIUM_DRIVER',
  'GDK_BACKEND',
  'GSK_RENDERER',
  'LIBGL_ALWAYS_SOFTWARE',
  'MOZ_ENABLE_WAYLAND',
  'UV_THREADPOOL_SIZE',
  'WAYLAND_DISPLAY',
  'WEBKIT_DISABLE_COMPOSITING_MODE',
  'WEBKIT_DISABLE_DMABUF_RENDERER',
]);

/** True if the value of a variable is known not to be a secret, so that it may leave the farm. */
export function isHarmless(name: string): boolean {
  return isInherited(name) || switches.has(name) || /^(BUN_)?JSC_\w+$/.test(name);
}

function isInherited(name: string): boolean {
  return inheritedVariables.some((one) =>
    one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name,
  );
}
