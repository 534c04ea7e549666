/**
 * The only script of a report, in plain JavaScript for the reader's browser. The report is complete
 * without it: it adds copy buttons, the download of the data, and opens what a link points at.
 */
export const script = `
(() => {
  'use strict';
  const make = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
  for (const code of document.querySelectorAll('[data-copy]')) {
    const button = make('button', 'Copy');
    button.type = 'button';
    button.setAttribute('aria-label', 'Copy the command');
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = 'Copied';
      } catch {
        getSelection().selectAllChildren(code);
        button.textContent = 'Selected: press Ctrl+C';
      }
    });
    code.parentElement.after(button);
  }
  const data = document.getElementById('findings');
  const place = document.getElementById('download');
  const unpacked = async () => {
    const { encoding, data: packed } = JSON.parse(data.textContent);
    if (encoding !== 'gzip+base64') return new Blob([data.textContent], { type: 'application/json' });
    const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Blob([await new Response(stream).blob()], { type: 'application/json' });
  };
  if (data && place) unpacked().then((blob) => {
    const link = make('a', 'Download the data as JSON');
    link.href = URL.createObjectURL(blob);
    link.download = place.dataset.file;
    place.replaceChildren(link);
  });
  addEventListener('beforeprint', () => {
    for (const details of document.querySelectorAll('details:not([open])')) {
      details.open = true;
      details.dataset.closed = '';
    }
  });
  addEventListener('afterprint', () => {
    for (const details of document.querySelectorAll('details[data-closed]')) {
      details.open = false;
      delete details.dataset.closed;
    }
  });
})();
`;
