import type { Findings } from '../../harness/core/results/index.ts';
import { html, type Content } from '../html/escape.ts';
import { frame, page, type Page, type PartOfPage } from '../html/page.ts';
import { drawCases, type UnfoldedCase } from './cases.ts';
import type { Legend } from '../wording/legend.ts';

/** The one input of every section. */
export interface ReportInput {
  readonly findings: Findings;
  /** Names and colours of the devices. */
  readonly legend: Legend;
  /** The content of each case; its figure is null until there is room for it. */
  readonly cases: readonly UnfoldedCase[];
}

/** A part of a report that has an anchor. */
export interface Section<Input = ReportInput> extends PartOfPage {
  /** Anchor, unique in a report. */
  readonly id: string;
  /** Text in the contents. */
  readonly title: string;
  /** Left out where it is the title. */
  readonly heading?: string;
  /** `folded` where it is left out. */
  readonly shape?: Shape | ((input: Input) => Shape);
  /** Its content; false where the report has nothing to show in it. */
  readonly render: (input: Input) => Content | Promise<Content>;
  /** Rendered a second time, when the figures of the cases are drawn. */
  readonly showsFigures?: true;
  /** Where a report that has this section begins, with its kind and heading. */
  readonly leads?: {
    readonly kind: string;
    readonly finding: (input: Input) => string | null;
  };
  /** Loads a library that stands before the script; its style and script stand only where it is shown. */
  readonly library?: () => Promise<string>;
  /** Of a section that a feature adds: the section before it; left out for the first. */
  readonly after?: string;
}

/** `folded`: shows its heading until it is asked for. `whole`: has its own frame, and stands not in the contents. */
type Shape = 'folded' | 'open' | 'whole';

interface Report<Input> {
  /** In a word. */
  readonly kind: string;
  readonly title: string;
  /** A sentence: the heading, above which the title stands then. */
  readonly finding?: string | null;
  readonly writtenAt: string;
  readonly farmVersion: string;
  readonly sections: readonly Section<Input>[];
  readonly input: Input;
  /** The embedded data. */
  readonly dataOf: (cases: readonly UnfoldedCase[]) => unknown;
}

/** Renders a report: its sections twice where they show figures, which are drawn while there is room. */
export async function renderReport<Input extends Pick<ReportInput, 'legend' | 'cases'>>(
  report: Report<Input>,
): Promise<string> {
  const { sections, input } = report;
  const contents = await Promise.all(sections.map(async (section) => section.render(input)));
  const used = sections.filter(({ library }, i) => library === undefined || contents[i] !== false);
  const libraries = await Promise.all(used.map(({ library }) => library?.() ?? ''));
  const more = { uses: used, library: libraries.join('') };
  const without = { ...pageOf(report, contents), ...more };
  const cases = drawCases(input.cases, { legend: input.legend, without });
  if (cases.every(({ figure }) => figure === null)) return page(without);
  const drawn = { ...input, cases };
  const again = await Promise.all(
    sections.map(async (section, i) =>
      section.showsFigures === true ? section.render(drawn) : contents[i],
    ),
  );
  return page({ ...pageOf({ ...report, input: drawn }, again), ...more });
}

function pageOf<Input extends Pick<ReportInput, 'cases'>>(
  { sections, input, dataOf, ...facts }: Report<Input>,
  contents: readonly Content[],
): Omit<Page, 'uses' | 'library'> {
  const shown = sections
    .map((section, i) => ({ ...section, shape: shapeOf(section, input), content: contents[i] }))
    .filter(({ content }) => content !== false);
  const first = shown.find(({ leads }) => leads !== undefined);
  return {
    title: facts.title,
    data: dataOf(input.cases),
    body: frame({
      ...facts,
      ...(first?.leads !== undefined && {
        kind: first.leads.kind,
        finding: first.leads.finding(input),
        first: first.id,
      }),
      links: shown.filter(({ shape }) => shape !== 'whole').map(({ id, title }) => [id, title]),
      sections: shown.map(framed),
    }),
  };
}

function shapeOf<Input>({ shape = 'folded' }: Section<Input>, input: Input): Shape {
  return typeof shape === 'function' ? shape(input) : shape;
}

interface ShownSection extends Pick<Section, 'id' | 'title' | 'heading'> {
  readonly shape: Shape;
  readonly content: Content;
}

function framed({ id, title, heading = title, shape, content }: ShownSection): Content {
  if (shape === 'whole') return content;
  if (shape === 'open')
    return html`<section aria-labelledby="${id}">
      <h2 id="${id}">${heading}</h2>
      ${content}
    </section> `;
  return html`<section aria-labelledby="${id}">
    <details class="part">
      <summary><h2 id="${id}">${heading}</h2></summary>
      ${content}
    </details>
  </section> `;
}

/** Puts the sections that features add to those of the core, each after the one that it names. */
export function placed(core: readonly Section[], added: readonly Section[]): readonly Section[] {
  const after = (id: string | undefined): readonly Section[] =>
    added
      .filter((section) => section.after === id)
      .flatMap((section) => [section, ...after(section.id)]);
  return [...after(undefined), ...core.flatMap((section) => [section, ...after(section.id)])];
}
