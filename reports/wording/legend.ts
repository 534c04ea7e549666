import type { Findings, TargetFacts } from '../../harness/core/results/index.ts';
import { curveColours } from '../html/plot.ts';
import { html, type Html } from '../html/escape.ts';

/** How one target is called and coloured, everywhere in a report. */
export interface TargetLabel {
  readonly id: string;
  readonly label: string;
  /** Index of its colour in the stylesheet. */
  readonly colour: number;
}

/** Finds the label of a target id; an id that the findings do not list is its own label. */
export type Legend = (targetId: string) => TargetLabel;

/** People know names, but two devices may share one: then the id is added. */
export function makeLegend(
  targets: readonly Pick<Findings['targets'][number], 'id' | 'name'>[],
): Legend {
  const labels = new Map<string, TargetLabel>();
  targets.forEach(({ id, name }, i) => {
    const unique = targets.every((other) => other.id === id || other.name !== name);
    const label = unique ? name : `${name} (${id})`;
    labels.set(id, { id, label, colour: i % curveColours });
  });
  return (id) => labels.get(id) ?? { id, label: id, colour: labels.size % curveColours };
}

/** A target's name. `bdi` keeps a name written from right to left from turning the sentence around. */
export function targetName({ label }: TargetLabel): Html {
  return html`<bdi>${label}</bdi>`;
}

/** A target's name with its colour before it. */
export function colouredName({ label, colour }: TargetLabel): Html {
  return html`<bdi class="t t${colour}">${label}</bdi>`;
}

/** The version of a target, where its name does not say it. */
export function renderVersion({ name, browser }: TargetFacts): Html | false {
  if (browser === null || name.includes(` ${browser.version}`)) return false;
  return html` <span class="soft">${browser.version}</span>`;
}
