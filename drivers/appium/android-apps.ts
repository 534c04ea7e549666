import type { Phone } from '../driver.ts';

/** A browser's app on Android, as chromedriver has to know it; data, one row for each package. */
interface AndroidApp {
  /** Activity that starts it. Left out where chromedriver knows it and takes no other. */
  readonly activity?: string;
  /** Socket of its debugger, and the name in that of its file of flags. */
  readonly socket?: string;
  readonly program?: string;
}

const asChrome = { socket: 'chrome_devtools_remote', program: 'chrome' };

/**
 * Not tried on a phone: activities and sockets are those that public test tools name. chromedriver
 * itself knows every package with `chrome` in its name.
 */
const knownApps: Readonly<Record<string, AndroidApp>> = {
  'com.sec.android.app.sbrowser': {
    activity: 'com.sec.android.app.sbrowser.SBrowserMainActivity',
    // Samsung Internet names its process and its debugging socket differently from Chrome.
    socket: 'Terrace_devtools_remote',
    program: 'Terrace',
  },
  'com.microsoft.emmx': { activity: 'com.microsoft.ruby.Main', ...asChrome },
  'com.brave.browser': { activity: 'com.google.android.apps.chrome.Main', ...asChrome },
  'com.opera.browser': {
    activity: 'com.opera.android.BrowserActivity',
    socket: 'com.opera.browser.devtools',
    program: 'opera',
  },
};

const usualApps: Readonly<Record<string, string>> = {
  chrome: 'com.android.chrome',
  edge: 'com.microsoft.emmx',
  firefox: 'org.mozilla.firefox',
  samsung: 'com.sec.android.app.sbrowser',
};

/** Package of the browser's app on an Android phone; null without an app on Android. */
export function findApp(browser: string, phone: Phone): string | null {
  if (phone.platform !== 'android') return null;
  return phone.appPackage ?? usualApps[browser] ?? null;
}

/** Names the app, and the phone where its serial number is known, to geckodriver or chromedriver. */
export function describeApp(phone: Phone, browser: string): object {
  return {
    androidPackage: findApp(browser, phone),
    ...(phone.udid !== undefined && { androidDeviceSerial: phone.udid }),
  };
}

/** How chromedriver starts the app and finds its debugger. */
export function describeStart(phone: Phone, browser: string): object {
  const { activity, socket, program } = knownApps[findApp(browser, phone) ?? ''] ?? {};
  return {
    ...(activity !== undefined && { androidActivity: activity }),
    ...(socket !== undefined && { androidDeviceSocket: socket }),
    ...(program !== undefined && { androidExecName: program }),
  };
}
