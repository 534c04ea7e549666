import { all, make } from './element.js';

/** Adds a button to each command. */
export function offerCopies() {
  for (const code of all('[data-copy]', HTMLElement)) {
    const button = make('button', { type: 'button' }, 'Copy');
    button.setAttribute('aria-label', 'Copy the command');
    button.addEventListener('click', () => void copy(code, button));
    code.parentElement?.after(button);
  }
}

/** @param {HTMLElement} code @param {HTMLButtonElement} button */
async function copy(code, button) {
  try {
    await navigator.clipboard.writeText(code.textContent ?? '');
    button.textContent = 'Copied';
  } catch {
    getSelection()?.selectAllChildren(code);
    button.textContent = 'Selected: press Ctrl+C';
  }
}
