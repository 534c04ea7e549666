import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * The packages that bring what the farm lacks, by the installer of each system: the one declaration of
 * their names. dnf, Homebrew and winget were not tried: no such system was at hand.
 */

interface Installer {
  readonly platform: NodeJS.Platform;
  /** Is on PATH where it can be used. */
  readonly program: string;
  readonly command: string;
}

const installers = {
  apt: {
    platform: 'linux',
    program: 'apt-get',
    command: 'sudo apt-get install --no-install-recommends',
  },
  dnf: { platform: 'linux', program: 'dnf', command: 'sudo dnf install' },
  brew: { platform: 'darwin', program: 'brew', command: 'brew install' },
  winget: { platform: 'win32', program: 'winget.exe', command: 'winget install --exact --id' },
} as const satisfies Readonly<Record<string, Installer>>;

type InstallerName = keyof typeof installers;

/** Names of one thing by installer; left out where that does not bring it. Spaces separate several. */
export type PackageNames = Readonly<Partial<Record<InstallerName, string>>>;

interface Packaged extends PackageNames {
  /** Instructions where no installer of this system brings it. */
  readonly otherwise: string;
}

const declared = {
  ab: {
    apt: 'apache2-utils',
    dnf: 'httpd-tools',
    brew: 'httpd',
    otherwise: 'install ab of the Apache HTTP server',
  },
  adb: {
    apt: 'adb',
    dnf: 'android-tools',
    brew: '--cask android-platform-tools',
    winget: 'Google.PlatformTools',
    otherwise: 'install the platform tools of Android',
  },
  bubblewrap: { apt: 'bubblewrap', dnf: 'bubblewrap', otherwise: 'install bubblewrap' },
  'C compiler': {
    apt: 'gcc libc6-dev',
    dnf: 'gcc glibc-devel',
    winget: 'LLVM.LLVM',
    otherwise: 'install gcc or clang (macOS: xcode-select --install)',
  },
  chromedriver: {
    apt: 'chromium-driver',
    dnf: 'chromedriver',
    brew: '--cask chromedriver',
    winget: 'Chromium.ChromeDriver',
    otherwise: 'npx @puppeteer/browsers install chromedriver',
  },
  geckodriver: {
    brew: 'geckodriver',
    winget: 'Mozilla.GeckoDriver',
    otherwise: 'cargo install geckodriver',
  },
  msedgedriver: {
    winget: 'Microsoft.EdgeDriver',
    otherwise: "install Microsoft's msedgedriver of the same version",
  },
  pip: {
    apt: 'python3-pip',
    dnf: 'python3-pip',
    brew: 'python',
    winget: 'Python.Python.3.13',
    otherwise: 'install Python 3 with pip',
  },
  safaridriver: { otherwise: 'safaridriver --enable' },
  taskset: { apt: 'util-linux', dnf: 'util-linux', otherwise: 'install util-linux' },
  WebKitWebDriver: {
    apt: 'webkit2gtk-driver',
    otherwise: "install WebKitGTK's WebKitWebDriver from your distribution",
  },
  WPEWebDriver: {
    apt: 'wpewebkit-driver',
    otherwise: 'install WPEWebDriver from your distribution',
  },
  Xvfb: {
    apt: 'xvfb',
    dnf: 'xorg-x11-server-Xvfb',
    otherwise: 'install Xvfb from your distribution',
  },
} as const satisfies Readonly<Record<string, Packaged>>;

export type PackagedName = keyof typeof declared;

const packages: Readonly<Record<PackagedName, Packaged>> = declared;

/** The command that brings it here, or instructions where no installer of this system does. */
export function describeRemedy(name: PackagedName): string {
  return installCommand(packages[name]) ?? packages[name].otherwise;
}

/** Packages of Debian and Ubuntu that bring it. */
export function debianPackages(name: PackagedName): readonly string[] {
  const { apt = '' } = packages[name];
  return apt.split(' ').filter((one) => one !== '');
}

/** The command by which an installer of this system brings it; null without such an installer. */
export function installCommand(names: PackageNames): string | null {
  for (const [name, { platform, program, command }] of Object.entries(installers)) {
    const packageName = names[name as InstallerName] ?? '';
    if (packageName !== '' && platform === process.platform && isOnPath(program)) {
      return `${command} ${packageName}`;
    }
  }
  return null;
}

function isOnPath(program: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.some((folder) => existsSync(join(folder, program)));
}
