import type { CounterfactualFacts } from '../findings.ts';
import { html, type Html } from '../html/escape.ts';
import { drawForest } from '../html/forest.ts';
import { asPercent, measuredSentence } from '../wording/evidence.ts';

/** The suspected causes, each switched off: what went with them. */
export function counterfactualsSection(all: readonly CounterfactualFacts[]): Html | false {
  if (all.length === 0) return false;
  return html`<section aria-labelledby="counterfactuals">
    <h2 id="counterfactuals">Counterfactuals</h2>
    <p>
      An explanation is a claim, and is tested like one: the same blocks with the suspected cause
      and without it. It explains the share of the effect that goes when it is switched off; a share
      of 0 is no cause, and 100 % the only one.
    </p>
    ${all.map(counterfactual)}
  </section> `;
}

function counterfactual(facts: CounterfactualFacts): Html {
  const { id, sentence, change, verdict } = facts;
  return html`<h3><bdi>${sentence}</bdi></h3>
    <p class="soft"><bdi>${id}</bdi>${change !== '' && html`: <code>${change}</code>`}</p>
    <p><b>${verdict}</b></p>
    ${effect(facts)}${share(facts)}`;
}

function effect({ quantity, unit, withCause, withoutCause }: CounterfactualFacts): Html | false {
  if (withCause === null && withoutCause === null) return false;
  const row = (title: string, measured: typeof withCause) => ({
    title,
    words: measuredSentence(measured, unit),
    published: null,
    measured,
  });
  return drawForest({
    kind: unit === '×' ? 'ratio' : 'level',
    unit,
    caption: html`The effect: ${quantity}${unit !== '' && unit !== '×' && html`, in ${unit}`}.`,
    rows: [row('with the suspect', withCause), row('without it', withoutCause)],
  });
}

function share({ explained }: CounterfactualFacts): Html | false {
  if (explained === null) return false;
  const measured = asPercent(explained);
  return drawForest({
    kind: 'level',
    unit: '%',
    reaches: 100,
    caption: 'Share of the effect that the suspect explains.',
    rows: [
      {
        title: 'explained',
        words: measuredSentence(measured, '%'),
        published: null,
        measured,
      },
    ],
  });
}
