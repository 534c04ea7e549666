import { access, constants, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startProgram, type ChildProgram } from '../shared/child-program.ts';
import {
  can,
  cannot,
  type Capabilities,
  type Driver,
  type LaunchOptions,
  type OpenOptions,
  type Session,
} from '../driver.ts';
import {
  chromiumFlags,
  firefoxPreferences,
  formatUserJs,
  isChromium,
  preferencesOf,
} from '../shared/launch-recipes.ts';
import { SingleProcess } from '../shared/single-process.ts';
import { launchStep, runStep, watchEnding, type Ending } from '../shared/step.ts';

const known = ['chromium', 'chrome', 'edge', 'firefox'];

function capabilities(browser: string): Capabilities {
  return {
    evaluate: cannot('without an automation library nobody can look into the page'),
    input: cannot('without an automation library nobody can click on the page'),
    dialogs: cannot('without an automation library nobody closes a dialog'),
    firstScript: cannot('without an automation library no script comes before those of a page'),
    freshPage: cannot('every page is opened in a new process of the program'),
    liveVersion: cannot('without an automation library the live browser cannot be asked'),
    headless: known.includes(browser)
      ? can
      : cannot('how this program is told to show no window is not known'),
    preferences: preferencesOf(browser),
    noticesDeath: can,
    // Firefox ESR 153 was seen to write no profile when it ends by SIGTERM.
    trace: cannot('without an automation library a signal ends it, and then it writes no trace'),
  };
}

/** Any program that takes a URL, with no automation library between it and the page. */
export const openDriver: Driver = {
  name: 'open',
  serves: [...known, 'webkitgtk', 'program'],
  capabilities,
  launch: launchStep(launch, 'without automation'),
};

/** Nothing is started yet: a program that is given no URL would show its start page. */
async function launch(options: LaunchOptions): Promise<Session> {
  await access(options.executable, constants.X_OK);
  const ending = watchEnding();
  const programs = new Programs(options, ending);
  return {
    ended: ending.ended,
    open: (url, bounds) => programs.open(url, bounds),
    version: () => Promise.resolve(null),
    processes: () => Promise.resolve(programs.pids()),
    close: async () => {
      ending.expect();
      await programs.end();
    },
  };
}

const patienceMs = 3000;

/** Each `open` ends the former program and starts another on a new profile. */
class Programs {
  private readonly options: LaunchOptions;
  private readonly program: SingleProcess;
  private opened = 0;

  constructor(options: LaunchOptions, ending: Ending) {
    this.options = options;
    this.program = new SingleProcess(ending, patienceMs);
  }

  pids(): readonly number[] {
    return this.program.pids();
  }

  open(url: string, bounds: OpenOptions): Promise<void> {
    return runStep(
      (abandoned) => this.program.replace(() => this.start(url, abandoned), abandoned),
      {
        what: 'Opening a page without automation',
        code: 'navigation-failed',
        ...bounds,
      },
    );
  }

  end(): Promise<void> {
    return this.program.end();
  }

  private async start(url: string, abandoned: AbortSignal): Promise<ChildProgram> {
    this.opened += 1;
    const { browser, executable } = this.options;
    const profile = join(this.options.profile, String(this.opened));
    await mkdir(profile);
    if (browser === 'firefox') await writePreferences(profile, this.options);
    abandoned.throwIfAborted();
    return startProgram(executable, commandLine(this.options, { url, profile }), {
      environment: environmentOf(this.options),
    });
  }
}

/** Programs with WebKitGTK or QtWebEngine sandbox their pages, which is as impossible for root as Chromium's own. */
const withoutSandbox = {
  WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
  QTWEBENGINE_DISABLE_SANDBOX: '1',
};

function environmentOf({
  browser,
  environment,
  sandbox,
}: LaunchOptions): LaunchOptions['environment'] {
  if (browser !== 'program' || sandbox) return environment;
  return { ...withoutSandbox, ...environment };
}

async function writePreferences(profile: string, { preferences }: LaunchOptions): Promise<void> {
  await writeFile(join(profile, 'user.js'), formatUserJs(firefoxPreferences(preferences)));
}

export interface Places {
  readonly url: string;
  readonly profile: string;
}

/** The arguments of the program: a recipe for the browsers that we know, placeholders for the rest. */
export function commandLine(options: LaunchOptions, { url, profile }: Places): readonly string[] {
  const { browser, headless } = options;
  const flags = options.flags.map((flag) =>
    flag.replaceAll('{url}', url).replaceAll('{profile}', profile),
  );
  const placed = options.flags.some((flag) => flag.includes('{url}')) ? [] : [url];
  if (isChromium(browser)) {
    const quiet = chromiumFlags({ flags, sandbox: options.sandbox });
    return [`--user-data-dir=${profile}`, ...(headless ? ['--headless'] : []), ...quiet, ...placed];
  }
  if (browser === 'firefox') {
    const window = headless ? ['--headless'] : [];
    return ['--new-instance', '--profile', profile, ...window, ...flags, ...placed];
  }
  return [...flags, ...placed];
}
