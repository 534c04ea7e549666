/** A gallery of stored runs: the page that one begins with, and what leads from it to the others. */
import { html, type Content, type Html } from './html/escape.ts';
import { frame, page } from './html/page.ts';
import { formatCount } from './html/number.ts';

/** Parts of a gallery, in their order. */
const parts = {
  claims: ['Published claims', 'What others published, and what was measured here of it.'],
  history: ['Engines over their versions', 'One case in each build, and where it changed.'],
  samples: ['Sample reports', 'Reports as the commands write them.'],
} as const;

export type GalleryPart = keyof typeof parts;

/** A page of a gallery, or the reason why it is missing. */
export type Exhibit =
  | {
      readonly kind: 'page';
      readonly part: GalleryPart;
      /** Name of the file in the gallery's folder. */
      readonly file: string;
      readonly html: string;
      /** The kind of page, in a word or two. */
      readonly name: string;
      /** Its finding, in a sentence. */
      readonly finding: Content;
      /** Its content, in a sentence. */
      readonly about: string;
      readonly preview?: Html;
      /** Styles of the preview. */
      readonly style?: string;
    }
  | {
      readonly kind: 'missing';
      readonly part: GalleryPart;
      readonly name: string;
      readonly because: string;
    };

interface Gallery {
  readonly exhibits: readonly Exhibit[];
  /** ISO 8601. */
  readonly writtenAt: string;
  readonly farmVersion: string;
}

const style = `
.exhibits{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr));gap:1rem;margin:1rem 0}
.exhibit{background:var(--raised);border:1px solid var(--line);border-radius:8px;padding:1rem;position:relative;display:flex;flex-direction:column;gap:.35rem}
.exhibit p{margin:0}.exhibit h3{margin:0}.exhibit h3 a::after{content:'';position:absolute;inset:0;border-radius:8px}.exhibit h3 a{text-decoration:none}.exhibit:hover h3 a{text-decoration:underline}
.exhibit h3 a:focus-visible{outline:none}.exhibit h3 a:focus-visible::after{outline:3px solid var(--link);outline-offset:2px}
.exhibit .preview{width:100%}.exhibit .l{stroke:var(--c0);stroke-width:2}.exhibit .dot{fill:var(--c0)}
.exhibit .end{margin-top:auto}.broad{grid-column:1/-1}`;

/** Renders the first page of a gallery, which lies in one folder with the others. */
export function renderGallery({ exhibits, ...writing }: Gallery): string {
  const shown = Object.entries(parts).flatMap(([id, [title, about]]) => {
    const all = exhibits.filter(({ part }) => part === id);
    const ours = [...all.filter(isPage), ...all.filter((one) => !isPage(one))];
    return ours.length === 0 ? [] : [{ id, title, about, ours }];
  });
  const pages = exhibits.filter(isPage);
  return page({
    title: 'crossfarm: gallery',
    uses: [{ style }, ...pages.map(({ style: own = '' }) => ({ style: own }))],
    body: frame({
      ...writing,
      kind: 'static pages, no server',
      title: 'Gallery of measurements',
      first: shown[0]?.id ?? 'end',
      links: shown.map(({ id, title }) => [id, title]),
      sections: shown.map(
        ({ id, title, about, ours }) =>
          html`<section aria-labelledby="${id}">
            <h2 id="${id}">${title}</h2>
            <p class="soft">${about}</p>
            <div class="exhibits">${ours.map(drawExhibit)}</div>
          </section>`,
      ),
    }),
    data: { format: 'crossfarm-gallery-1', ...writing, pages: pages.map(({ file }) => file) },
  });
}

function isPage(one: Exhibit): one is Extract<Exhibit, { kind: 'page' }> {
  return one.kind === 'page';
}

function drawExhibit(one: Exhibit): Html {
  if (one.kind === 'missing') {
    return html`<div class="exhibit">
      <h3>${one.name}</h3>
      <p class="soft">Left out: ${one.because}</p>
    </div>`;
  }
  const { name, finding, about, file, preview, html: text } = one;
  return html`<article class="exhibit${preview !== undefined && ' broad'}">
    <p class="soft">${name}</p>
    <h3><a href="${file}">${finding}</a></h3>
    ${preview}
    <p>${about}</p>
    <p class="soft end">
      <small>${formatCount(Math.ceil(Buffer.byteLength(text) / 1000))} kB</small>
    </p>
  </article>`;
}
