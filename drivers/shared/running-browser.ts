import { cannot, type Capabilities } from '../driver.ts';

/** Playwright and Puppeteer share this for a browser that the farm did not start. */

/** Abilities that it lacks: they were decided when it was started, and others may use it as well. */
export const notOurs: Pick<Capabilities, 'headless' | 'preferences' | 'trace'> = {
  headless: cannot('whoever started the browser decided whether it is shown'),
  preferences: cannot('whoever started the browser decided its preferences'),
  trace: cannot('somebody else started the browser: a trace would show what others do in it, too'),
};

/** For connecting to a browser before a run, to see what is there, in milliseconds. */
export const lookMs = 10_000;

/** Which product a user agent, or a version such as `HeadlessChrome/156.0`, is of; of Chromium's family each. */
const products: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\bEdg\//, ['edge']],
  [/Chrom(e|ium)\//, ['chromium', 'chrome']],
  [/firefox\//i, ['firefox']],
  [/AppleWebKit\//, ['webkit']],
];

/** An address without its path: who knows the path of a browser's WebSocket can move it. */
export function readHost(address: string): string {
  return new URL(address).origin;
}

/** Half a sentence when what is there is another browser than the one that is wanted; null when it is that. */
export function wrongProduct(browser: string, told: string, address: string): string | null {
  const known = products.find(([pattern]) => pattern.test(told))?.[1] ?? [];
  if (known.includes(browser)) return null;
  return `at ${readHost(address)} is ${known.join(' or ') || 'an unknown browser'}, not ${browser}`;
}
