import { all } from './element.js';

/**
 * Offers to show the cards of one study, verdict or state. The choice stands in the address, so that it can
 * be sent; without a script every card is shown.
 */
export function offerCards() {
  const form = document.querySelector('form[data-cards]');
  if (!(form instanceof HTMLFormElement)) return;
  const cards = all('[data-verdict]', HTMLElement);
  const groups = all('[data-group]', HTMLElement);
  const choices = all('select', HTMLSelectElement, form);
  const count = form.querySelector('output');
  const show = () => {
    for (const card of cards) {
      card.hidden = choices.some(({ name, value }) => value !== '' && card.dataset[name] !== value);
    }
    const seen = cards.filter(({ hidden }) => !hidden);
    for (const group of groups) group.hidden = !seen.some((card) => group.contains(card));
    if (count !== null) {
      const what = form.dataset['cards'] || 'claims';
      count.textContent = `${String(seen.length)} of ${String(cards.length)} ${what}`;
    }
  };
  const read = () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    for (const choice of choices) {
      const value = wanted.get(choice.name) ?? '';
      choice.value = [...choice.options].some((one) => one.value === value) ? value : '';
    }
    show();
    // A link to a card shows all of them again.
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  };
  form.addEventListener('input', () => {
    const chosen = choices.filter(({ value }) => value !== '').map((one) => [one.name, one.value]);
    history.replaceState(null, '', `#${String(new URLSearchParams(chosen))}`);
    show();
  });
  addEventListener('hashchange', read);
  form.hidden = false;
  read();
}
