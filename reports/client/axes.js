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
