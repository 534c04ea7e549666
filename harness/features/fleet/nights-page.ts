import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { html } from '../../../reports/html/escape.ts';
import { type FarmPage, layOut, section, type Surroundings } from './farm-layout.ts';
import { describeNights } from './fleet-text.ts';
import type { NightAgreement } from './night-agreement.ts';

/** Nights of all hosts: what changed, and on how many machines. */
export function nightsPage(
  around: Surroundings,
  nights: readonly (NightAgreement & { readonly batch: number; readonly when: string })[],
): FarmPage {
  return layOut(around, {
    title: nights.length === 0 ? 'No night over several hosts yet' : 'Nights of all hosts',
    sections: [
      nights.length === 0 &&
        html`<p>Submit one: <code>${npxCrossfarm} submit --on all --night nightly</code></p>`,
      ...nights.map(({ batch, when, ...agreement }) =>
        section(
          `night-${String(batch)}`,
          when,
          html` ${describeNights(agreement).map((sentence) => html`<p><bdi>${sentence}</bdi></p>`)}
            <p><a href="/jobs/${batch}">How each host did</a></p>`,
        ),
      ),
    ],
  });
}
