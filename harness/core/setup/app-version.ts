import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { askProgram } from './ask-program.ts';
import { findOnPath } from './executable.ts';

/**
 * The version of a browser by its files, on systems where asking the browser itself would open it:
 * `msedge.exe --version` opens a window, and Safari has no such option at all.
 * @returns null where nothing tells it; the first session of the browser does then.
 */
export async function readAppVersion(executable: string): Promise<string | null> {
  if (process.platform === 'darwin') return readBundleVersion(executable);
  return process.platform === 'win32' ? readFileVersion(executable) : null;
}

const askMs = 10_000;

/** Of the folder `….app` that an executable of macOS is in. */
async function readBundleVersion(executable: string): Promise<string | null> {
  const [bundle] = /^.*?\.app(?=\/)/.exec(executable) ?? [];
  if (bundle === undefined) return null;
  const path = join(bundle, 'Contents', 'Info.plist');
  const text = await readFile(path, 'utf8').catch(() => '');
  if (!text.startsWith('bplist')) return parseInfoPlist(text);
  const plutil = findOnPath(['plutil']);
  if (plutil === null) return null;
  const args = ['-convert', 'xml1', '-o', '-', '--', path];
  return parseInfoPlist((await askProgram(plutil, args, { timeoutMs: askMs })).stdout);
}

/** The version that a user of macOS sees, of a property list in XML. */
export function parseInfoPlist(text: string): string | null {
  const [, value = ''] =
    /<key>CFBundleShortVersionString<\/key>\s*<string>([^<]{1,100})<\/string>/.exec(text) ?? [];
  return findVersionIn(value);
}

/** Of the resources of a file of Windows, else of what Chrome or Edge last wrote to the registry. */
async function readFileVersion(executable: string): Promise<string | null> {
  const powershell = findOnPath(['powershell', 'pwsh']);
  if (powershell !== null) {
    const command = `(Get-Item -LiteralPath ${quoteForPowerShell(executable)}).VersionInfo.ProductVersion`;
    const args = ['-NoProfile', '-NonInteractive', '-Command', command];
    const { stdout } = await askProgram(powershell, args, { timeoutMs: askMs });
    const version = findVersionIn(stdout);
    if (version !== null) return version;
  }
  return readRegistryVersion(executable);
}

/** PowerShell takes typographic apostrophes for quotes, too. */
function quoteForPowerShell(text: string): string {
  return `'${text.replaceAll(/['‘’‚‛]/g, '$&$&')}'`;
}

const registryKeys: readonly (readonly [path: RegExp, key: string])[] = [
  [/[\\/]Google[\\/]Chrome[\\/]/i, String.raw`Software\Google\Chrome\BLBeacon`],
  [/[\\/]Microsoft[\\/]Edge[\\/]/i, String.raw`Software\Microsoft\Edge\BLBeacon`],
];

async function readRegistryVersion(executable: string): Promise<string | null> {
  const [, key] = registryKeys.find(([path]) => path.test(executable)) ?? [];
  const reg = key === undefined ? null : findOnPath(['reg']);
  if (key === undefined || reg === null) return null;
  const args = ['query', String.raw`HKCU\${key}`, '/v', 'version'];
  return parseRegistry((await askProgram(reg, args, { timeoutMs: askMs })).stdout);
}

/** The text value `version` of what `reg query` prints. */
export function parseRegistry(text: string): string | null {
  return findVersionIn(/^\s*version\s+REG_SZ\s+(\S+)/m.exec(text)?.[1] ?? '');
}

function findVersionIn(text: string): string | null {
  return /\d{1,6}(?:\.\d{1,6}){1,3}/.exec(text)?.[0] ?? null;
}
