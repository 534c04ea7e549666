import { deadlineSignal } from './deadline.js';
import { findRuntime } from './host-facts.js';

/**
 * Modules for threads that are started again and again. The farm forbids browsers to keep anything
 * (`no-store`), so each new worker would ask its server for every module, one behind the other. With
 * eight modules that took a worker 118 ms instead of 50 in Chromium 156, and 128 instead of 22 in
 * Firefox 153 (medians of 25, on a busy machine), and the server works beside what is timed. Sites
 * let browsers keep their scripts. So a module is fetched once, with its imports, and workers
 * load it from the browser's own memory.
 */

const patienceMs = 10_000;

/**
 * An import of a relative path, in code: lines of comments speak of imports too. There is one in a
 * line at most.
 */
const relativeImport = /^(?!\s*(?:\*|\/\*|\/\/))(.*\b(?:from|import)\s*\(?\s*)(['"])(\.[^'"]+)\2/gm;

/**
 * A URL of the same module that takes no network to load; in a runtime, which loads it from the
 * disk, the URL itself. It lives as long as the page or worker that asked for it. Inside of it
 * `import.meta.url` says nothing of where the file lies, and modules must not import each other in
 * circles.
 *
 * @param {URL} url
 * @returns {Promise<URL>}
 */
export async function linkModule(url) {
  if (findRuntime() !== null) return url;
  return new URL(await link(url.href, new Map()));
}

/**
 * @param {string} href
 * @param {Map<string, Promise<string>>} linked by address, so that a module stays one module
 * @returns {Promise<string>}
 */
function link(href, linked) {
  const known = linked.get(href);
  if (known !== undefined) return known;
  const made = (async () => {
    const text = await fetchText(href);
    /** @type {Map<string, string>} */
    const addresses = new Map();
    for (const path of importsOf(text)) {
      addresses.set(path, await link(new URL(path, href).href, linked));
    }
    const type = 'text/javascript';
    return URL.createObjectURL(new Blob([withAddresses(text, addresses)], { type }));
  })();
  linked.set(href, made);
  return made;
}

/** @param {string} href */
async function fetchText(href) {
  const response = await fetch(href, { signal: deadlineSignal(patienceMs) });
  if (response.ok) return response.text();
  throw new Error(`The module ${href} cannot be fetched: ${String(response.status)}.`);
}

/**
 * @param {string} text of a module
 * @returns {readonly string[]} the relative paths that it imports
 */
export function importsOf(text) {
  return [...new Set(Array.from(text.matchAll(relativeImport), ([, , , path = '']) => path))];
}

/**
 * @param {string} text of a module
 * @param {ReadonlyMap<string, string>} addresses by relative path
 */
export function withAddresses(text, addresses) {
  return text.replace(relativeImport, (_, lead, quote, path) =>
    [lead, quote, addresses.get(path) ?? path, quote].join(''),
  );
}
