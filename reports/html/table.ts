import { html, raw, type Content, type Html } from './escape.ts';

export interface Column {
  readonly title: Content;
  /** Says before each cell what it is, in a table that stacks. */
  readonly label?: string;
  /** The second column's cells are what the table is about: one rule in the stylesheet, not a mark in each. */
  readonly strong?: boolean;
  /** Numbers are set at the right, with figures of one width. */
  readonly kind?: 'text' | 'number' | 'wide';
}

/** A row's first cell is its header. A short row's last cell spans the rest. */
export type Row = readonly Content[];

/** Rows that belong together, under their own heading. */
export interface RowGroup {
  readonly id?: string;
  readonly title?: Content;
  readonly rows: readonly Row[];
  /** Below them, as wide as what can be seen of the table. */
  readonly details?: Html;
}

export interface Table {
  /** Names the table for everybody: it is shown above it unless `hideCaption` is set. */
  readonly caption: Content;
  readonly hideCaption?: boolean;
  /** Unique in the page; the scrolling region refers to it. */
  readonly id: string;
  /** On a narrow screen each row becomes a block of labelled lines, where it would otherwise have to be scrolled. */
  readonly stack?: boolean;
  /** On a narrow screen each row becomes a card; the second column stands beside the first. */
  readonly asCards?: boolean;
  readonly columns: readonly Column[];
  readonly groups: readonly RowGroup[];
}

/**
 * A table in its own region, which scrolls sideways when the page is narrower than it. The region
 * can take the focus, so that it scrolls by keyboard too.
 */
export function table(facts: Table): Html {
  const {
    caption,
    hideCaption = false,
    stack = false,
    asCards = false,
    id,
    columns,
    groups,
  } = facts;
  const numbers = isMostlyNumbers(columns);
  const className = [
    numbers && 'num',
    stack && 'stack',
    asCards && 'rows',
    columns[1]?.strong && 'strong',
  ]
    .filter(Boolean)
    .join(' ');
  const classes = numbers ? mostlyNumbers : mostlyText;
  return html`<div class="scroll" role="region" aria-labelledby="${id}" tabindex="0">
<table${className !== '' && html` class="${className}"`}>
<caption id="${id}"${hideCaption && html` class="unseen"`}>${caption}</caption>
<thead><tr>${columns.map((column) => heading(column, classes))}</tr></thead>
${groups.map((group) => groupOf(group, columns, classes))}</table></div>`;
}

/** Class of a cell. In a table of mostly numbers a number is the default, without a class. */
type Classes = (kind: Column['kind']) => Html | false;

const mostlyText: Classes = (kind) => {
  if (kind === 'number') return html` class="n"`;
  return kind === 'wide' && html` class="w"`;
};

const mostlyNumbers: Classes = (kind) => {
  if (kind === 'number') return false;
  return kind === 'wide' ? html` class="x w"` : html` class="x"`;
};

function isMostlyNumbers(columns: readonly Column[]): boolean {
  return columns.filter(({ kind }) => kind === 'number').length > columns.length / 2;
}

function heading({ title, kind = 'text' }: Column, classes: Classes): Html {
  return html`<th scope="col" ${classes(kind)}>${title}</th>`;
}

function groupOf(group: RowGroup, columns: readonly Column[], classes: Classes): Html {
  const title =
    group.title !== undefined &&
    html`<tr class="g">
      <th scope="rowgroup" colspan="${columns.length}">${group.title}</th>
    </tr> `;
  const details =
    group.details !== undefined &&
    html`<tr class="unfold">
      <td class="more" colspan="${columns.length}">${group.details}</td>
    </tr> `;
  return html`<tbody${group.id !== undefined && html` id="${group.id}"`}>
${title}${group.rows.map((row) => rowOf(row, columns, classes))}${details}</tbody>
`;
}

function rowOf(row: Row, columns: readonly Column[], classes: Classes): Html {
  const cells = row.map((content, i) => {
    if (i === 0) return html`<th scope="row">${content}</th>`;
    const spans = i === row.length - 1 && row.length < columns.length;
    if (spans) return html`<td${classes('text')} colspan="${columns.length - i}">${content}</td>`;
    const { kind, label } = columns[i] ?? {};
    return html`<td${classes(kind)}${label !== undefined && html` data-label="${label}"`}>${content}</td>`;
  });
  return html`${raw('<tr>')}${cells}${raw('</tr>\n')}`;
}
