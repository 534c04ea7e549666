/** The elements that the script adds. Text stays text: nothing here is parsed. */

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Partial<HTMLElementTagNameMap[Name]>} [properties]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function make(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
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
