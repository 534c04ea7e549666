import { all } from './element.js';

/** What is folded away is opened for print, and folded again. */
export function openForPrint() {
  addEventListener('beforeprint', () => {
    for (const details of all('details:not([open])', HTMLDetailsElement)) {
      details.open = true;
      details.dataset['closed'] = '';
    }
  });
  addEventListener('afterprint', () => {
    for (const details of all('details[data-closed]', HTMLDetailsElement)) {
      details.open = false;
      delete details.dataset['closed'];
    }
  });
}
