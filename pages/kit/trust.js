/**
 * The page at which a device learns to trust a farm's authority. It asks the farm's server whether
 * this browser trusts it, and goes on as soon as it does.
 */

export {}; // Makes it a module, which may await at the top level.

const said = /** @type {HTMLElement} */ (document.querySelector('#status'));
const go = /** @type {HTMLAnchorElement} */ (document.querySelector('#go'));
const steps = /** @type {HTMLElement} */ (document.querySelector('#steps'));
const site = said.dataset['site'] ?? '';

const askingMs = 5000;

/** A browser that has just begun may know its authorities a moment later. */
const againMs = 2000;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let again;

/** What the code leads to; none for a phone that the farm moves by itself. */
const way = /^#(\/(?:join|visit)\/[\w-]{22})$/.exec(location.hash)?.[1] ?? null;
if (way !== null) go.href = site + way;

const mine = steps.querySelector(`[data-system="${system()}"]`);
mine?.setAttribute('open', '');
mine?.parentElement?.insertBefore(mine, steps.querySelector('details'));

await look();
// The settings may have changed while the page was hidden.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void look();
});
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) void look();
});

async function look() {
  clearTimeout(again);
  const trusted = await isTrusted();
  clearTimeout(again);
  if (!trusted) again = setTimeout(() => void look(), againMs);
  steps.hidden = trusted;
  go.hidden = !trusted || way === null;
  if (!trusted) {
    said.textContent = 'This browser does not trust the farm yet.';
  } else if (way === null) {
    said.textContent = 'This browser trusts the farm. The farm can measure here.';
  } else {
    said.textContent = 'This browser trusts the farm.';
    location.replace(go.href);
  }
}

/** Only who trusts the server's certificate is answered. */
async function isTrusted() {
  try {
    const signal = AbortSignal.timeout(askingMs);
    await fetch(`${site}/trusted`, { mode: 'no-cors', cache: 'no-store', signal });
    return true;
  } catch {
    return false;
  }
}

function system() {
  const { userAgent, maxTouchPoints } = navigator;
  if (/\bAndroid\b/.test(userAgent)) return 'android';
  // An iPad calls itself a Mac, which has no touch screen.
  const isPad = /\bMacintosh\b/.test(userAgent) && maxTouchPoints > 1;
  return isPad || /\b(?:iPhone|iPad|iPod)\b/.test(userAgent) ? 'ios' : 'other';
}
