import { printable } from './text.js';

/** @typedef {Node | string | number | null | false} Child */

/**
 * An element; its text stays text. Properties are set, not parsed, and a name with
 * a hyphen is an attribute.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, unknown>} [properties]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes('-')) made.setAttribute(key, String(value));
    else Reflect.set(made, key, value);
  }
  made.append(...children.filter(isShown).map(nodeOf));
  return made;
}

/** @param {Child} child @returns {child is Node | string | number} */
function isShown(child) {
  return child !== null && child !== false;
}

/** @param {Node | string | number} child */
function nodeOf(child) {
  return child instanceof Node ? child : document.createTextNode(printable(String(child)));
}

/** A name from outside, which cannot turn the text around it. @param {string} text */
export function name(text) {
  return element('bdi', {}, text);
}

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no element ${id}`);
  return found;
}

/**
 * Shows markup that the farm made, in which all text from outside is escaped; the page's policy lets no
 * script of it act. @param {HTMLElement} place @param {string} markup
 */
export function showMarkup(place, markup) {
  place.replaceChildren(...new DOMParser().parseFromString(markup, 'text/html').body.childNodes);
}
