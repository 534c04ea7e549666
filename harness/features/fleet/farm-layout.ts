import { type Content, html, type Html } from '../../../reports/html/escape.ts';
import { page, policyOf, readableDate } from '../../../reports/html/page.ts';
import { mayDo, type Visitor } from './tokens.ts';

/** A page of the farm's explorer: its HTML, and the policy under which it acts. */
export interface FarmPage {
  readonly html: string;
  readonly policy: string;
  /** It is loaded again after some seconds: something goes on. */
  readonly isLive?: boolean;
}

export interface Surroundings {
  /** The farm's server, without its password. */
  readonly farm: string;
  /** Null before the login. */
  readonly visitor: Visitor | null;
  /** False on loopback, which needs no login. */
  readonly hasAccounts: boolean;
}

const style = `
body{max-width:84rem}
header{padding-top:2rem}
main>section:first-child>h2{margin-top:2rem}
h2{margin-top:2.5rem}
.hosts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,18rem),1fr));gap:1rem;list-style:none;padding:0;margin:1rem 0;max-width:none}
.hosts li{margin:0;padding:.8rem 1rem;background:var(--raised);border:1px solid var(--line);border-radius:10px}
.hosts li.works{border-color:var(--link)}
.hosts p{margin:.15rem 0}
.hosts .name{font-weight:600;font-size:1.1rem;display:flex;justify-content:space-between;gap:.5rem;align-items:baseline}
.bar{height:6px;border-radius:3px;background:var(--wash);overflow:hidden;margin:.35rem 0}
.bar>svg{width:100%;height:6px}
.bar rect{fill:var(--link)}
form.order{display:grid;gap:.9rem;max-width:46rem;margin:1rem 0}
form.order label{display:grid;gap:.25rem}
form.order label.check{display:flex;gap:.5rem;align-items:center}
form.order input:not([type=checkbox]),form.order select{font:inherit;color:inherit;background:var(--raised);border:1px solid var(--strong);border-radius:6px;padding:.45rem .6rem;width:100%;min-height:24px}
form.order button,.acts button{font-size:1rem;padding:.35rem .9rem;justify-self:start}
.acts{display:flex;flex-wrap:wrap;gap:.6rem;margin:1rem 0}
.filter{display:flex;flex-wrap:wrap;gap:.3rem 1rem;list-style:none;padding:0;margin:.75rem 0;max-width:none}
.filter [aria-current]{font-weight:600;color:inherit;text-decoration:none}
nav form{display:inline}nav button{font-size:inherit}`;

/** Puts a page together: who looks, where one may go, and its sections. */
export function layOut(
  { farm, visitor, hasAccounts }: Surroundings,
  {
    title,
    kicker,
    sections,
    isLive = false,
  }: {
    readonly title: string;
    readonly kicker?: string;
    readonly sections: readonly Content[];
    readonly isLive?: boolean;
  },
): FarmPage {
  const text = page({
    title: `${title} · crossfarm`,
    uses: [{ style: style.replaceAll('\n', '') }],
    hasForms: true,
    data: null,
    body: html`<a class="skip" href="#main">Skip to the findings</a>
      <header>
        <p class="kicker">crossfarm · <bdi>${kicker ?? farm}</bdi></p>
        <h1><bdi>${title}</bdi></h1>
        ${visitor !== null && navigation(visitor, hasAccounts)}
      </header>
      <main id="main">${sections}</main>`,
  });
  return { html: text, policy: policyOf(text), isLive };
}

function navigation(visitor: Visitor, hasAccounts: boolean): Html {
  return html`<nav aria-label="Pages">
    <ul>
      <li><a href="/">Home</a></li>
      <li><a href="/runs">Runs</a></li>
      <li><a href="/cases">Cases</a></li>
      <li><a href="/nights">Nights</a></li>
      ${mayDo(visitor, 'submit') && html`<li><a href="/order">Measure</a></li>`}
      ${
        hasAccounts &&
        html`<li>
          <form method="post" action="/logout">
            <bdi>${visitor.name}</bdi> (${visitor.role}) <button type="submit">Log out</button>
          </form>
        </li>`
      }
    </ul>
  </nav>`;
}

export function section(id: string, title: string, content: Content): Html {
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section> `;
}

export function moment(date: Date | null): Html | string {
  if (date === null) return '';
  const iso = date.toISOString();
  return html`<time datetime="${iso}">${readableDate(iso)}</time>`;
}
