import { homedir, hostname, tmpdir, userInfo } from 'node:os';
import { type Device, isLoopback } from '../../core/model/device.ts';

/**
 * Takes what could name a person, a machine or a place out of a sentence: a library's error quotes
 * paths, addresses and the settings that it was given.
 */
export type Redact = (text: string) => string;

/** Facts of the owner's that may stand in a sentence. */
export interface OwnFacts {
  readonly home: string;
  readonly user: string;
  readonly host: string;
  readonly temporary: string;
  readonly here: string;
}

function readOwnFacts(): OwnFacts {
  return {
    home: homedir(),
    user: userInfo().username,
    host: hostname(),
    temporary: tmpdir(),
    here: process.cwd(),
  };
}

/** @param device its settings, serial number and addresses are taken out, too */
export function makeRedaction(device: Device, own: OwnFacts = readOwnFacts()): Redact {
  const places = [
    [own.here, '<here>'],
    [own.temporary, '<tmp>'],
    [own.home, '<home>'],
  ] as const;
  const settings = listSettings(device).filter((value) => value.length >= shortestSetting);
  const names = [own.user, own.host, own.host.split('.')[0] ?? ''];
  const words = [
    ...settings.map((value) => [value, '<setting>'] as const),
    ...namesOf(device).map((name) => [name, '<device>'] as const),
    ...names.filter((name) => name.length > 1).map((name) => [name, '<name>'] as const),
  ].filter(([word]) => !commonWords.has(word.toLowerCase()));
  // The longest first: one may be a part of another.
  words.sort(([one], [other]) => other.length - one.length);
  return (text) => {
    const placed = places.reduce((rest, [path, name]) => replacePath(rest, path, name), text);
    const named = words.reduce((rest, [word, name]) => replaceWord(rest, word, name), placed);
    return patterns.reduce((rest, [pattern, replace]) => rest.replace(pattern, replace), named);
  };
}

/** Shorter ones are in every second sentence. */
const shortestSetting = 3;

/** Names that many people and machines share. */
const commonWords: ReadonlySet<string> = new Set([
  ...['root', 'user', 'admin', 'administrator', 'runner', 'localhost', 'ubuntu', 'debian'],
  ...['true', 'false', 'null', 'none', 'yes', 'lan', 'main', 'linux', 'windows', 'macos'],
  ...['chrome', 'firefox', 'safari', 'webkit', 'mozilla', 'android', 'iphone'],
]);

/** Values of its settings: any of them may be a secret. Keys stay. */
function listSettings(device: Device): readonly string[] {
  const { flags, environment, preferences, server, executable, phone, remote } = device;
  const capabilities = { ...phone?.capabilities, ...remote?.capabilities };
  return [
    ...flags.map((flag) => flag.replace(/^--?[\w-]+=/, '')).filter((one) => !one.startsWith('-')),
    ...Object.values(environment),
    ...Object.values(preferences).map(String),
    ...Object.values(capabilities).map((value) => JSON.stringify(value).replaceAll('"', '')),
    ...[server, executable, phone?.udid, phone?.appPackage],
    ...[remote?.pages, remote?.ssh, remote?.agent, remote?.node],
  ].filter((value) => value !== undefined);
}

/** `pixel-of-ada`; a name that has only words of its product tells nothing. */
function namesOf({ id, name, browser, driver }: Device): readonly string[] {
  const known = new Set([browser, driver, ...commonDeviceWords]);
  const isTelling = (text: string): boolean =>
    text
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .some((word) => word !== '' && !known.has(word));
  return [name, id].filter(isTelling);
}

const commonDeviceWords = [
  ...['chromium', 'chrome', 'google', 'edge', 'microsoft', 'firefox', 'webkit', 'webkitgtk'],
  ...['safari', 'samsung', 'node', 'js', 'deno', 'bun', 'playwright', 'puppeteer', 'webdriver'],
  ...['appium', 'open', 'process', 'attended', 'android', 'iphone', 'ipad', 'phone', 'tablet'],
  ...['by', 's', 'on', 'the', 'cable', 'behind', 'a', 'mac', 'wpewebkit', 'wpe', 'beta', 'dev'],
];

function replacePath(text: string, path: string, name: string): string {
  // The root of a disk would be in every path.
  return path.length < 2 ? text : text.replaceAll(path, name);
}

function replaceWord(text: string, word: string, name: string): string {
  const pattern = RegExp(`(?<![\\w])${escapePattern(word)}(?![\\w])`, 'gi');
  return text.replace(pattern, name);
}

const systemFolders =
  /^(\/(usr|bin|sbin|lib|lib64|opt|proc|sys|dev|run|System|Applications|Library)(\/|$)|[A-Z]:[\\/](Program Files|Windows))/i;

type Replace = (match: string) => string;

const patterns: readonly (readonly [RegExp, Replace])[] = [
  // An address: that of this machine's loopback without what follows, any other not at all.
  [/\b(?:https?|wss?):\/\/[^\s"'<>)\]]+/gi, redactUrl],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}/gi, () => '<mail>'],
  [/[A-Z]:\\Users\\[^\s"'<>:|]*|\/(?:home|Users)\/[^\s"'<>:]*/gi, () => '<home>'],
  [/(?<![\w<>.:/])(?:\/[\w.+@~-]+){2,}\/?|\b[A-Z]:\\[^\s"'<>|]+/g, redactPath],
  // Not the version of a browser, whose numbers behind the first one are no octets or all zero.
  [/(?<![\w./-])(?!127\.)(?:\d{1,3}\.){3}\d{1,3}(?![\w.])/g, redactNumbers],
  [/(?<![\w:])(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{1,4}(?![\w:])/gi, () => '<address>'],
  // Of a trial, an app or an account.
  [/(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}(?![\w-])/g, () => '<token>'],
];

function redactUrl(url: string): string {
  const { protocol, hostname: host } = URL.canParse(url)
    ? new URL(url)
    : { protocol: '', hostname: '' };
  return isLoopback(host) ? `${protocol}//${host}` : '<address>';
}

function redactPath(path: string): string {
  return systemFolders.test(path) ? path : '<path>';
}

function redactNumbers(numbers: string): string {
  const [, ...rest] = numbers.split('.').map(Number);
  const isVersion = rest.every((one) => one === 0) || rest.some((one) => one > 255);
  return isVersion ? numbers : '<address>';
}

function escapePattern(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}
