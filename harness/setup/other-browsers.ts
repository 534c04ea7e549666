import { readdirSync, readFileSync } from 'node:fs';

/** As the kernel cuts them, at 15 characters. */
const browserNames: ReadonlySet<string> = new Set([
  'chrome',
  'chromium',
  'msedge',
  'firefox',
  'firefox-esr',
  'MiniBrowser',
  'WebKitWebProces',
  'epiphany',
  'falkon',
  'opera',
  'brave',
]);

/** Names of browsers that run now, each once; null where this system does not let us look. */
export function otherBrowsers(
  platform: NodeJS.Platform = process.platform,
): readonly string[] | null {
  if (platform !== 'linux') return null;
  const names = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(nameOf)
    .filter((name) => name !== null && browserNames.has(name));
  return [...new Set(names)].filter((name) => name !== null);
}

function nameOf(pid: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    // It ended between the listing and the look.
    return null;
  }
}
