import { all, make } from './element.js';

/**
 * The reader's choice of axes: a box at each figure that has two drawings. All of them, and the
 * table's choice, are one.
 */

let isLinear = false;

/** @type {((linear: boolean) => void)[]} */
const followers = [];

/** @param {boolean} linear */
export function setAxes(linear) {
  isLinear = linear;
  document.documentElement.classList.toggle('lin', linear);
  for (const follow of followers) follow(linear);
}

/** Calls back with each later choice, and at once with one already made. @param {(linear: boolean) => void} follow */
export function followAxes(follow) {
  followers.push(follow);
  if (isLinear) setAxes(true);
}

export function offerAxes() {
  for (const figure of all('figure', HTMLElement)) {
    if (figure.querySelector('.linear') === null) continue;
    const box = make('input', { type: 'checkbox' });
    box.addEventListener('input', () => setAxes(box.checked));
    followAxes((linear) => {
      box.checked = linear;
    });
    const label = make('label', { className: 'axes' }, box, ' linear axis');
    figure.querySelector('figcaption')?.append(label);
  }
}

/** How many times as wide a figure gets, one after the other. */
const steps = ['', '2', '4'];

/** A button for each card with figures over time: they get wider, and scroll in their card. */
export function offerZoom() {
  for (const card of all('.card', HTMLElement)) {
    const figures = all('figure', HTMLElement, card).filter((one) => one.querySelector('svg.k'));
    const head = card.querySelector('.of');
    if (figures.length === 0 || head === null) continue;
    const button = make('button', { type: 'button', className: 'zoom' });
    const show = (/** @type {string} */ step) => {
      if (step === '') delete card.dataset['zoom'];
      else card.dataset['zoom'] = step;
      const next = steps[(steps.indexOf(step) + 1) % steps.length] ?? '';
      button.textContent = next === '' ? 'Zoom out' : `Zoom ${next}×`;
      button.setAttribute('aria-label', `${button.textContent}: ${head.textContent ?? ''}`);
      button.onclick = () => show(next);
      // A figure that scrolls has to be reached by keyboard.
      for (const figure of figures) figure.tabIndex = step === '' ? -1 : 0;
    };
    show('');
    head.after(button);
  }
}
