import { make } from '../client/element.js';

/** A name from outside, which cannot turn the text around it. @param {string} text */
export function name(text) {
  return make('bdi', {}, text);
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
