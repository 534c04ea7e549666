/**
 * The contract between the farm and the adapters that move a browser. A driver knows no benchmark:
 * the page does the work and reports over HTTP, so a driver only has to open a URL.
 * Every driver passes `conformance/`; what it cannot do it declares, with the reason.
 */

/** An ability of a driver. `because` is a sentence that a report can print. */
export type Ability =
  { readonly supported: true } | { readonly supported: false; readonly because: string };

export const can: Ability = { supported: true };

export function cannot(because: string): Ability {
  return { supported: false, because };
}

/** The declared abilities of a driver. One declaration feeds conformance, `farm devices` and reports. */
export interface Capabilities {
  /** `Session.evaluate` exists. */
  readonly evaluate: Ability;
  /** A second `open` gives a fresh page in the same browser (isolation `page`). */
  readonly freshPage: Ability;
  /** `Session.version` gives the exact version of the live browser. */
  readonly liveVersion: Ability;
  /** The browser can run without a display. */
  readonly headless: Ability;
  /** `LaunchOptions.preferences` are honoured. */
  readonly preferences: Ability;
  /** `Session.ended` resolves soon after the browser dies. */
  readonly noticesDeath: Ability;
  /** `LaunchOptions.trace` is honoured. */
  readonly trace: Ability;
  /** `Session.act` exists. */
  readonly input: Ability;
  /** A dialog of the page is closed at once, as one without a reader: see `Session.open`. */
  readonly dialogs: Ability;
  /** `OpenOptions.first` is honoured. */
  readonly firstScript: Ability;
}

/** Names of keys that are no character. */
export const namedKeys = [
  ...['Enter', 'Tab', 'Escape', 'Backspace', 'Delete'],
  ...['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'],
  ...['Home', 'End', 'PageUp', 'PageDown'],
] as const;

export type NamedKey = (typeof namedKeys)[number];

/** True if a key is a typed character, not a name. */
export function isCharacter(key: string): boolean {
  return Array.from(key).length === 1;
}

/**
 * A person's input to a page, by mouse and keyboard. Places are CSS pixels of what is seen of it.
 */
export type Input =
  | { readonly by: 'click'; readonly x: number; readonly y: number }
  /** One key, or one character. */
  | { readonly by: 'key'; readonly key: string }
  /** Turns the wheel downwards, in pixels; upwards below 0. */
  | { readonly by: 'wheel'; readonly y: number };

/** A phone or tablet. */
export interface Phone {
  readonly platform: 'android' | 'ios';
  /** Serial number; the only one that is connected when left out. */
  readonly udid?: string;
  /** Package of the browser's app on Android, where it is not the usual one. */
  readonly appPackage?: string;
  /** All data of the browser's app are erased at each session; they are kept when left out. */
  readonly profile?: 'erase';
  /** Further capabilities of a session, such as those that sign WebDriverAgent; they win. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
}

/** Requests to a WebDriver server or Selenium Grid elsewhere, next to the browser. */
export interface RemoteRequest {
  /** Only a node that declares the capability `crossfarm:node` with this value will do. */
  readonly node?: string;
  /** Further capabilities of the session; they win over the driver's. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
}

/** A node of a Selenium Grid, as its hub names it. */
export interface GridNode {
  readonly id: string;
  readonly uri: string;
  /** The capability `crossfarm:node` that it declares. */
  readonly name?: string;
}

/** A device that the browser emulates. */
export interface Emulation {
  /** A phone or tablet whose screen, touch and user agent the pages see; one of the emulator's. */
  readonly descriptor?: string;
  /** Factor by which the processor seems to be slower. */
  readonly cpuThrottling?: number;
}

/**
 * Something that a session has elsewhere and that outlives this machine's processes: enough to end
 * it without the session. Nothing in it is a secret.
 */
export type Orphan =
  | {
      /** A session of a WebDriver server that the farm did not start. */
      readonly kind: 'webdriver';
      readonly server: string;
      readonly session: string;
      /** Address of the node of a Selenium Grid on which it is. */
      readonly nodeUri?: string;
    }
  | {
      /** A session that a hub of a Selenium Grid was asked for, by the name that it was given. */
      readonly kind: 'grid';
      readonly server: string;
      readonly name: string;
    }
  | {
      /** A port of an Android phone's loopback that leads to this machine. */
      readonly kind: 'adb-reverse';
      readonly udid?: string;
      readonly port: string;
      /** Which adb and which server of adb's, where they are not the usual ones. */
      readonly environment: Readonly<Record<string, string>>;
    };

/**
 * Credentials that let a browser in at one site. All of it but the certificates is sent to this
 * origin alone; it is secret, so that it stands in no message.
 */
export interface SiteAccess {
  /** Such as `https://staging.example:8443`. */
  readonly origin: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: Readonly<Record<string, string>>;
  /** Of HTTP's basic authentication. */
  readonly user?: { readonly name: string; readonly password: string };
  /** Of the session: any at all, or also those with one of these keys (SHA-256 of the public key, in base64). */
  readonly certificates?: 'any' | { readonly keys: readonly string[] };
}

/** Which parts of `LaunchOptions.access` a driver honours. */
export type AccessAbilities = Readonly<
  Record<'headers' | 'cookies' | 'user' | 'anyCertificate' | 'certificateKeys', Ability>
>;

export interface LaunchOptions {
  /** Product: chromium, chrome, edge, firefox, webkit, webkitgtk, wpewebkit, safari, samsung, node, deno, bun, native, wasmtime, or program. */
  readonly browser: string;
  /** Absolute path of the browser's executable; empty where the browser is not on this machine. */
  readonly executable: string;
  /**
   * For drivers that need a server: absolute path of the program (WebKitWebDriver, Appium's
   * `index.js`), or the address of one that the farm did not start. For playwright and puppeteer:
   * the address of a browser that runs already.
   */
  readonly server?: string;
  /** The browser is on this phone. */
  readonly phone?: Phone;
  /** The browser is next to the server, whose address is given. */
  readonly remote?: RemoteRequest;
  /** Nothing is pretended when left out. */
  readonly emulation?: Emulation;
  /** Absolute path of what a runtime runs in place of a page, or of the bridge to a program; the URL is its argument. */
  readonly script?: string;
  /** A runtime that is too old for the script: the farm's own runs that, and starts this one for what it measures. */
  readonly isTooOld?: boolean;
  /** Words that stand in front of the command line of a runtime or program, and confine it. */
  readonly within?: readonly string[];
  /** Launch flags, appended to the driver's own. `{url}` and `{profile}` are replaced by `open`. */
  readonly flags: readonly string[];
  /** Browser preferences (Firefox: about:config). */
  readonly preferences: Readonly<Record<string, string | number | boolean>>;
  /** For a page at a URL whose server lets not everybody in; nothing is needed when left out. */
  readonly access?: SiteAccess;
  /** Pages will be opened with `OpenOptions.first`. */
  readonly first?: true;
  readonly headless: boolean;
  /** False when the browser's own sandbox cannot work, as for root under Linux. */
  readonly sandbox: boolean;
  /** The complete environment of the browser; it carries DISPLAY and the session's mark. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Absolute path of a file, in a folder that exists, to which the browser's own trace is written
   * by the time that `close` is done; none when left out. Tracing slows the browser down. If the
   * trace cannot be written, the file is incomplete, and the session closes all the same; a driver
   * that knows the reason writes it to a file next to the trace (`besideTrace`).
   */
  readonly trace?: string;
  /**
   * The trace is for a profile: it holds the stacks of all threads, sampled more often, and of other
   * events those that say what work the browser did.
   */
  readonly stacks?: true;
  /** An empty directory for the profile, made and removed by the caller. */
  readonly profile: string;
  /**
   * Records what the session has elsewhere, so that it can be ended if this process is killed. The
   * driver calls it as early as possible, and again when it knows more. Nothing is recorded when
   * left out.
   */
  readonly remember?: (orphan: Orphan) => Promise<void>;
  /** Aborts the launch. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

export interface BesideTrace {
  /** The unfinished trace: a driver that writes the trace itself renames it when it is whole. */
  readonly part: string;
  /** File with one sentence: the reason why the trace is missing. */
  readonly why: string;
}

/** Files that a driver may leave next to a trace; the caller reads and removes them. */
export function besideTrace(path: string): BesideTrace {
  return { part: `${path}.part`, why: `${path}.why` };
}

export interface OpenOptions {
  /** A script that comes before the page's own, where the capability `firstScript` is. */
  readonly first?: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** A shell of the machine or phone on which a browser is that is not on this one. */
export interface RemoteShell {
  /** Program and arguments; a command line for that shell is added as the last one. */
  readonly command: readonly string[];
  /** The complete environment of that program. */
  readonly environment: Readonly<Record<string, string>>;
  /** The browser's app: its processes are called so, or so with a colon and more behind it. */
  readonly app: string;
}

/** One live browser, from launch to close. */
export interface Session {
  /** Resolves with a sentence when browser or page dies without having been asked to. Never rejects. */
  readonly ended: Promise<string>;
  /**
   * Opens the URL in a fresh page and closes the page before it. Resolves once navigation has begun.
   * Dialogs of the page are closed from then on where the capability `dialogs` is: alert, confirm and
   * prompt are dismissed, and a page that asks whether it may be left (beforeunload) is left.
   */
  open(url: string, options: OpenOptions): Promise<void>;
  /**
   * Leads the page that is open to another URL: a browser keeps its process where both have one
   * origin. Left out where each opening starts a program.
   */
  navigate?(url: string, bounds: Pick<OpenOptions, 'signal' | 'timeoutMs'>): Promise<void>;
  /** Exact version of the live browser, or null when this driver has no way to ask. */
  version(): Promise<string | null>;
  /**
   * Process ids that this driver started itself (browser and driver server); the farm follows
   * their children. Empty when the library does not list them: the farm then finds them by the
   * session's mark.
   */
  processes(): Promise<readonly number[]>;
  /** A secret that the requests of its pages carry as a cookie; those that do not are refused. */
  readonly client?: string;
  /**
   * Gives the answer of `pages/kit/drawing.js` from the page of a browser that joined, which is not
   * parsed. Left out where the farm asks by `evaluate`.
   */
  readonly drawing?: () => unknown;
  /** Node of the session, in a Selenium Grid. */
  readonly node?: GridNode;
  /** Shell by which probes observe a browser elsewhere; left out without one. */
  readonly shell?: RemoteShell;
  /**
   * Begins a trace of what the browser does from now on, for pages that share it; present where the
   * library can. The returned function ends the trace and writes it, as `LaunchOptions.trace` says.
   */
  trace?(
    order: Required<Pick<LaunchOptions, 'trace'>> & Pick<LaunchOptions, 'stacks'>,
  ): Promise<() => Promise<void>>;
  /** Present when the capability `evaluate` is. The expression's value must survive JSON. */
  evaluate?(expression: string): Promise<unknown>;
  /** Present when the capability `input` is. The browser takes it for a person's: `isTrusted`. */
  act?(input: Input): Promise<void>;
  /** Asks the browser to end. May hang or throw: the caller has a deadline and ends the process tree. */
  close(): Promise<void>;
}

/** Why a device cannot be used, half a sentence, and what its owner does about it. */
export interface Obstacle {
  readonly reason: string;
  readonly remedy: string;
}

/** Needs of a driver whose server has separate parts, or may be elsewhere; setup asks for them. */
export interface ServerNeeds {
  /** Packages of npm's that a server here needs to move the browser, the server first; null: it cannot. */
  packages(browser: string, where: Whereabouts): readonly string[] | null;
  /** Features that a server which the user starts has to allow. */
  features?(browser: string, where: Whereabouts): readonly string[];
  /** Name of the browser's app on a phone; null where it is not known. */
  app?(browser: string, where: Whereabouts): string | null;
  /** Why no server may move the browser as the device is declared; null when one may. */
  obstacle?(browser: string, where: Whereabouts): Obstacle | null;
  /** Half a sentence: why the server at this address cannot be used; null when it can. */
  refusal(address: string): Promise<string | null>;
}

/**
 * A browser found next to a server elsewhere, or the reason why it cannot be used, half a sentence.
 */
export type Sighting =
  { readonly node: GridNode | null; readonly version?: string } | { readonly refusal: string };

/** Where a browser is, as far as it decides what a driver can do. */
export type Whereabouts = Pick<LaunchOptions, 'phone' | 'server'>;

/** Emulation that a driver offers. */
export interface Emulator {
  /** True if `Emulation.cpuThrottling` is honoured. */
  cpuThrottling(browser: string): Ability;
  /** True if `Emulation.descriptor` is honoured. */
  descriptor(browser: string): Ability;
  /** Names of the phones and tablets that it knows. */
  descriptors(): Promise<readonly string[]>;
}

export interface Driver {
  readonly name: string;
  /** Products that this driver can move. */
  readonly serves: readonly string[];
  /** Its devices join while the farm runs: none is looked for. */
  readonly joins?: true;
  /** Packages of npm that move its browsers: any of them, of which the first is installed with the farm. */
  readonly libraries?: readonly string[];
  capabilities(browser: string, where?: Whereabouts): Capabilities;
  /**
   * Steps that only a person at the device can take before it is measured, a sentence each; no steps
   * when left out.
   */
  ownerSteps?(browser: string, where?: Whereabouts): readonly string[];
  readonly serverNeeds?: ServerNeeds;
  /** Looks for a browser at an address, its own or a server's; left out without one. */
  readonly look?: (address: string, browser: string, remote: RemoteRequest) => Promise<Sighting>;
  /** Left out by a driver that honours no `LaunchOptions.emulation`. */
  readonly emulator?: Emulator;
  /** Left out by a driver that honours no `LaunchOptions.access`. */
  access?(browser: string, where?: Whereabouts): AccessAbilities;
  /** Products of which it moves only the build that the automation library brought itself. */
  readonly needsOwnBuild?: readonly string[];
  /** Path of a build that the automation library brought itself, if it is installed. */
  ownBuild?(browser: string): Promise<string | null>;
  launch(options: LaunchOptions): Promise<Session>;
  /** Milliseconds of the clock by which its pages take their time; left out where it is the machine's. */
  now?(): number;
}

export type DriverErrorCode =
  'launch-failed' | 'navigation-failed' | 'browser-died' | 'timed-out' | 'not-supported';

/** A library's error, wrapped once: the driver's step as message, the library's error as cause. */
export class DriverError extends Error {
  readonly code: DriverErrorCode;

  constructor(code: DriverErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'DriverError';
    this.code = code;
  }
}
