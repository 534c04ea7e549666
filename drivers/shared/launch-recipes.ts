import { can, cannot, type Ability, type LaunchOptions } from '../driver.ts';

/**
 * Launch options that every driver uses, so that one browser under several drivers is the
 * same browser: no first-run pages, no updates, no chatter with its maker while something is timed.
 */

const chromiumFamily = ['chromium', 'chrome', 'edge'];

export function isChromium(browser: string): boolean {
  return chromiumFamily.includes(browser);
}

/**
 * Features that are off. The first two have hidden pages of Chromium's own (of its address bar),
 * which start with the first page and kept two cores busy for 600 ms (Chromium 156). The others are
 * what Playwright switches off: of several `--disable-features` Chromium heeds the last one alone,
 * so that ours has to hold Playwright's, too.
 */
const featuresOff = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/** True if preferences can be set at launch. */
export function preferencesOf(browser: string): Ability {
  return browser === 'firefox'
    ? can
    : cannot(`${browser} takes flags, it has no preferences to set`);
}

/** Chromium heeds only the last of these: several become one, in their order. */
const heededOnce = [
  { start: '--js-flags=', between: ' ' },
  { start: '--disable-features=', between: ',' },
  { start: '--enable-features=', between: ',' },
] as const;

function joinHeededOnce(flags: readonly string[]): readonly string[] {
  return heededOnce.reduce<readonly string[]>((all, { start, between }) => {
    const values = all.filter((flag) => flag.startsWith(start));
    if (values.length < 2) return all;
    const joined = values.map((flag) => flag.slice(start.length)).join(between);
    return [...all.filter((flag) => !flag.startsWith(start)), `${start}${joined}`];
  }, flags);
}

/** Command-line flags for Chromium and its relatives; the caller's own flags come last and win. */
export function chromiumFlags(
  options: Pick<LaunchOptions, 'flags' | 'sandbox' | 'access'>,
): string[] {
  const { certificates = 'known' } = options.access ?? {};
  return [
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
    '--no-default-browser-check',
    ...(options.sandbox ? [] : ['--no-sandbox']),
    ...(typeof certificates === 'string'
      ? []
      : [`--ignore-certificate-errors-spki-list=${certificates.keys.join(',')}`]),
    ...joinHeededOnce([`--disable-features=${featuresOff.join(',')}`, ...options.flags]),
  ];
}

type Preferences = LaunchOptions['preferences'];

const quietFirefox: Preferences = {
  'app.normandy.enabled': false,
  'app.update.auto': false,
  'app.update.disabledForTesting': true,
  'browser.aboutwelcome.enabled': false,
  'browser.newtabpage.enabled': false,
  'browser.safebrowsing.downloads.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.safebrowsing.update.enabled': false,
  'browser.sessionstore.resume_from_crash': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.healthreport.uploadEnabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.getAddons.cache.enabled': false,
  'extensions.update.enabled': false,
  'media.gmp-manager.updateEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'toolkit.telemetry.reportingpolicy.firstRun': false,
  // Marionette accepts the question whether a page may be left, but not at once: whoever dismisses
  // dialogs meanwhile (`watchDialogs`) would keep the page. Without the question it is left.
  'dom.disable_beforeunload': true,
  // Firefox queues workers beyond 512 per domain without a word: a trial that spawns more waits
  // for ever (seen with 153 ESR).
  'dom.workers.maxPerDomain': 10_000,
};

/** about:config entries; the caller's own win. */
export function firefoxPreferences(preferences: Preferences): Record<string, Preferences[string]> {
  return { ...quietFirefox, ...preferences };
}

/**
 * Variables that make Firefox run its profiler from the start and write the profile to a file when
 * it ends; profiler.firefox.com opens it. Threads of the page and of its workers are sampled each
 * millisecond, with what JavaScript they ran and how long they were on a core; the buffer holds
 * 8-byte entries, the newest of them. Documented at
 * https://firefox-source-docs.mozilla.org/tools/profiler/ and by MOZ_PROFILER_HELP=1.
 */
export function firefoxProfiler({
  trace,
  stacks,
}: Pick<LaunchOptions, 'trace' | 'stacks'>): Readonly<Record<string, string>> {
  if (trace === undefined) return {};
  return {
    MOZ_PROFILER_STARTUP: '1',
    MOZ_PROFILER_SHUTDOWN: trace,
    MOZ_PROFILER_STARTUP_FEATURES: 'js,cpu',
    MOZ_PROFILER_STARTUP_FILTERS: 'GeckoMain,DOM Worker,JS Helper,TaskController',
    MOZ_PROFILER_STARTUP_INTERVAL: stacks ? '0.25' : '1',
    MOZ_PROFILER_STARTUP_ENTRIES: String((stacks ? 16 : 4) * 2 ** 20),
  };
}

/** The text of a profile's `user.js`. */
export function formatUserJs(preferences: Preferences): string {
  const lines = Object.entries(preferences).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  return `${lines.join('\n')}\n`;
}
