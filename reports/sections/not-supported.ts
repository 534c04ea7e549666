import { html, type Html } from '../html/escape.ts';
import { missingMark } from '../html/number.ts';

/** What a platform cannot give is said with its reason; it is never zero. */
export function notSupported(why: string): Html {
  return html`<span class="missing">${missingMark} not supported: ${why}</span>`;
}
