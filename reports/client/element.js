import { printable } from './printable.js';

/** The elements that scripts of reports and of the explorer add. Text stays text: nothing here is parsed. */

/** @typedef {Node | string | number | null | false} Child */

/**
 * An element. Properties are set, not parsed, and a name with a hyphen is an attribute; what is null or
 * false is left out.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, unknown>} [properties]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function make(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes('-')) made.setAttribute(key, String(value));
    else Reflect.set(made, key, value);
  }
  made.append(...children.filter(isShown).map(nodeFrom));
  return made;
}

/** @param {Child} child @returns {child is Node | string | number} */
function isShown(child) {
  return child !== null && child !== false;
}

/** @param {Node | string | number} child */
function nodeFrom(child) {
  return child instanceof Node ? child : document.createTextNode(printable(String(child)));
}

/** @param {string} text @param {HTMLElement} control */
export function labelled(text, control) {
  return make('label', {}, `${text} `, control);
}

/** A form of choices, which sends nothing. @param {string} name */
export function choiceForm(name) {
  const form = make('form', { className: 'controls' });
  form.setAttribute('aria-label', name);
  form.addEventListener('submit', (event) => event.preventDefault());
  return form;
}

/**
 * The elements of one kind that a selector finds.
 * @template {Element} One
 * @param {string} selector
 * @param {new () => One} kind
 * @param {ParentNode} [within]
 * @returns {One[]}
 */
export function all(selector, kind, within = document) {
  return [...within.querySelectorAll(selector)].flatMap((one) =>
    one instanceof kind ? [one] : [],
  );
}
