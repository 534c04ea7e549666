import { html, type Content, type Html } from '../html/escape.ts';

/** Anchors and texts of sections. */
export type Links = readonly (readonly [string, string])[];

export interface Frame {
  /** What kind of report this is, in a word. */
  readonly kind: string;
  readonly title: string;
  readonly writtenAt: string;
  readonly farmVersion: string;
  readonly links: Links;
  /** Anchor of the section that the findings begin with. */
  readonly first?: string;
  readonly sections: readonly Content[];
}

/** What stands around the sections of every report. */
export function frame(facts: Frame): Html {
  const { kind, title, writtenAt, farmVersion, links, first = 'in-short', sections } = facts;
  return html`<a class="skip" href="#${first}">Skip to the findings</a>
    <header>
      <p class="kicker">crossfarm · ${kind}</p>
      <h1><bdi>${title}</bdi></h1>
      <p class="soft">
        Written <time datetime="${writtenAt}">${readableDate(writtenAt)}</time> by crossfarm
        ${farmVersion}.
      </p>
      ${contents(links)}
    </header>
    <main>${sections}</main>
    <footer>One file, no network: it can be mailed, archived, or attached to a bug.</footer>`;
}

/** `2026-11-21T06:30:00Z` as `2026-11-21 06:30 UTC`; another form is shown as it is. */
function readableDate(iso: string): string {
  const parts = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z$/.exec(iso);
  return parts === null ? iso : `${parts[1] ?? ''} ${parts[2] ?? ''} UTC`;
}

function contents(links: Links): Html {
  return html`<nav aria-label="Contents">
    <ul>
      ${links.map(([id, text]) => html`<li><a href="#${id}">${text}</a></li>`)}
    </ul>
  </nav>`;
}
