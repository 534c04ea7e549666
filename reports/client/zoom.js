import { all, make } from './element.js';

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
      // What scrolls has to be reached by keyboard.
      for (const figure of figures) figure.tabIndex = step === '' ? -1 : 0;
    };
    show('');
    head.after(button);
  }
}
