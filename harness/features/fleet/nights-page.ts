import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { html } from '../../../reports/html/escape.ts';
import { plural } from '../../../reports/html/number.ts';
import { type FarmPage, layOut, section, type Surroundings } from './farm-layout.ts';
import { describeChange } from './fleet-text.ts';
import type { SharedChange } from './night-agreement.ts';

/** Nights of all hosts: what changed, and on how many machines. */
export function nightsPage(
  around: Surroundings,
  nights: readonly {
    readonly batch: number;
    readonly when: string;
    readonly hosts: number;
    readonly changes: readonly SharedChange[];
  }[],
): FarmPage {
  return layOut(around, {
    title: nights.length === 0 ? 'No night over several hosts yet' : 'Nights of all hosts',
    sections: [
      nights.length === 0 &&
        html`<p>Submit one: <code>${npxCrossfarm} submit --on all --night nightly</code></p>`,
      ...nights.map(({ batch, when, hosts, changes }) =>
        section(
          `night-${String(batch)}`,
          when,
          html` ${changes.map((change) => html`<p><bdi>${describeChange(change, hosts)}</bdi></p>`)}
            ${changes.length === 0 && html`<p>${hosts === 0 ? 'No host has ended it yet.' : `Nothing changed on ${plural(hosts, 'machine')}.`}</p>`}
            <p><a href="/jobs/${batch}">How each host did</a></p>`,
        ),
      ),
    ],
  });
}
