import type { TrialEnvironment, TrialFacts, WarmUpFacts } from '../harness/core/results/index.ts';
import { type Content, html, type Html } from './html/escape.ts';
import {
  formatCount,
  formatPlain,
  formatQuantity,
  formatShare,
  missingMark,
  plural,
} from './html/number.ts';
import { page, readableDate } from './html/page.ts';
import { table } from './html/table.ts';
import { drawnCase, showValue } from './sections/cpu-card.ts';
import { cpuSection } from './sections/cpu.ts';
import { warmUpParts } from './warm-up.ts';
import { makeLegend } from './wording/legend.ts';
import { explainWarmUp } from './wording/warm-up.ts';

/** One trial as an HTML file: its outcome, its series, its cores and threads, its surroundings. */
export async function renderTrial(facts: TrialFacts): Promise<string> {
  const { trial, caseName, warmUp, writtenAt, farmVersion, links } = facts;
  const drawn = warmUp === null ? null : await warmUpParts(warmUp);
  return page({
    uses: [cpuSection],
    title: `Trial ${String(trial)}: ${caseName}`,
    body: html`<a class="skip" href="#in-short">Skip to the findings</a>
      <header>
        <p class="kicker">crossfarm · trial ${trial}</p>
        <h1><bdi>${caseName}</bdi></h1>
        <p class="soft">
          Written <time datetime="${writtenAt}">${readableDate(writtenAt)}</time> by crossfarm
          ${farmVersion}.
        </p>
        ${
          links.length > 0 &&
          html`<nav aria-label="Pages">
            <ul>
              ${links.map(({ text, href }) => html`<li><a href="${href}">${text}</a></li>`)}
            </ul>
          </nav>`
        }
      </header>
      <main>
        <section class="lead" aria-labelledby="in-short">
          <h2 class="unseen" id="in-short">In short</h2>
          ${answer(facts)} ${drawn?.chart}
          ${warmUp !== null && explainWarmUp(warmUp).map((sentence) => html`<p>${sentence}</p> `)}
        </section>
        ${outcome(facts)} ${attempts(facts)} ${values(facts)} ${explanation(facts)} ${cpu(facts)}
        ${environment(facts)} ${drawn?.numbers}
      </main>`,
    data: { format: 'crossfarm-trial-1', ...facts },
  });
}

const outcomes = {
  completed: 'completed',
  failed: 'failed',
  'timed-out': 'ran out of time',
  skipped: 'was skipped',
} as const;

/** The values that the trial measured, or how it ended. */
function answer(facts: TrialFacts): Html {
  const { values: all, outcome: end, message, quarantine, warmUp, target } = facts;
  const main = all.find(({ value }) => value !== null);
  if (main?.value === undefined || main.value === null) {
    return html`<p><b class="answer bad">It ${outcomes[end]}.</b></p>
      ${message !== null && html`<p><bdi>${message}</bdi></p>`}`;
  }
  return html`<p>
    <b class="answer">${formatQuantity(main.value, main)}</b> is the ${describeValue(main, warmUp)}
    in
    <bdi>${target.name}</bdi>.${quarantine.length > 0 && ' It is excluded: the machine was busy.'}
  </p>`;
}

/** "mean duration of 120 iterations": the kind of a trial's value, which is one number of many. */
function describeValue(
  { metric, iterations }: TrialFacts['values'][number],
  warmUp: WarmUpFacts | null,
): Html {
  const kind = warmUp?.metric === metric ? warmUp.value.kind : 'median';
  const counted = iterations - (warmUp?.metric === metric ? warmUp.value.disturbed : 0);
  if (counted < 2) return html`<bdi>${metric}</bdi>`;
  return html`${kind} <bdi>${metric}</bdi> of ${plural(counted, 'iteration')}`;
}

function outcome(facts: TrialFacts): Html {
  const { run, target, block, startedAt, wallMs, quarantine } = facts;
  const rows: readonly (readonly [string, Content])[] = [
    ['Outcome', `It ${outcomes[facts.outcome]}.`],
    ...quarantine.map((reason) => ['Excluded', reason] as const),
    ['Browser', target.browser === '' ? target.name : `${target.name} (${target.browser})`],
    ['Place', `run ${String(run)}, block ${String(block)}`],
    ['Began', html`<time datetime="${startedAt}">${readableDate(startedAt)}</time>`],
    ['Took', formatQuantity(wallMs, { unit: 'ms', resolution: 1 })],
  ];
  return html`<section aria-labelledby="facts">
    <h2 id="facts">Where and when</h2>
    <dl class="facts">
      ${rows.map(
        ([label, content]) =>
          html`<dt>${label}</dt>
            <dd><bdi>${content}</bdi></dd> `,
      )}
    </dl>
  </section> `;
}

function attempts({ attempts: failed }: TrialFacts): Html | false {
  if (failed.length === 0) return false;
  return html`<section aria-labelledby="attempts">
    <h2 id="attempts">Attempts that failed</h2>
    ${table({
      id: 'attempts-caption',
      caption: 'In their order; the last one stands for the trial where none succeeded',
      columns: [{ title: 'Attempt' }, { title: 'Code' }, { title: 'What was seen', kind: 'wide' }],
      groups: [
        {
          rows: failed.map(({ number, code, message }) => [
            formatCount(number),
            code,
            html`<bdi>${message}</bdi>`,
          ]),
        },
      ],
    })}
  </section> `;
}

function values({ values: all }: TrialFacts): Html | false {
  if (all.length < 2) return false;
  return html`<section aria-labelledby="values">
    <h2 id="values">Its values</h2>
    ${table({
      id: 'values-caption',
      caption: 'Every metric that the trial gave',
      columns: [
        { title: 'Metric' },
        { title: 'Value', kind: 'number' },
        { title: 'Iterations', kind: 'number' },
      ],
      groups: [
        {
          rows: all.map(({ metric, unit, value, resolution, iterations }) => [
            html`<bdi>${metric}</bdi>`,
            value === null ? missingMark : formatQuantity(value, { unit, resolution }),
            formatCount(iterations),
          ]),
        },
      ],
    })}
  </section> `;
}

function explanation({ explained }: TrialFacts): Html | false {
  if (explained.length === 0) return false;
  return html`<section aria-labelledby="explanation">
    <h2 id="explanation">As the browser explains it</h2>
    ${table({
      id: 'explanation-caption',
      caption: 'The parts of its values, and the longest animation frame meanwhile',
      columns: [{ title: 'What' }, { title: 'Value', kind: 'wide' }],
      groups: [{ rows: explained.map((one) => [html`<bdi>${one.title}</bdi>`, showValue(one)]) }],
    })}
  </section> `;
}

function cpu({ cpu: facts, caseName, target }: TrialFacts): Html {
  const legend = makeLegend([target]);
  return html`<section aria-labelledby="cpu">
    <h2 id="cpu">Cores and threads</h2>
    ${
      facts.length === 0
        ? html`<p>No probe watched the cores and threads of this trial.</p>`
        : drawnCase({ caseName, facts }, { legend, open: true })
    }
  </section> `;
}

function environment({ environment: facts }: TrialFacts): Html {
  return html`<section aria-labelledby="environment">
    <h2 id="environment">What else the machine did</h2>
    ${
      facts === null
        ? html`<p>No probe asked about the machine during this trial.</p>`
        : table({
            id: 'environment-caption',
            caption: 'From the warm-up of the page to the end of its timed window',
            columns: [{ title: 'What' }, { title: 'Value', kind: 'number' }],
            groups: [{ rows: environmentRows(facts) }],
          })
    }
  </section> `;
}

function environmentRows(facts: TrialEnvironment): readonly (readonly Content[])[] {
  const share = (value: number): string => formatShare(value);
  const rows: readonly (readonly [string, Content])[] = [
    ['CPU time of other programs', told(facts.foreignShare, share)],
    ['CPU time that the hypervisor took', told(facts.stealShare, share)],
    ['Time in which some task waited for a core', told(facts.cpuPressure, share)],
    ['Load over a minute', told(facts.load1, formatPlain)],
    ['Free memory', told(facts.freeMemoryBytes, megabytes)],
    ['Frequency', told(facts.frequencyMhz, (mhz) => `${formatPlain(mhz)} MHz`)],
    ['Governor', facts.governor ?? missingMark],
    ['Slowed down by heat', told(facts.throttleEvents, (times) => `${formatCount(times)}×`)],
  ];
  return rows;
}

function told(value: number | null, format: (value: number) => string): string {
  return value === null ? missingMark : format(value);
}

function megabytes(bytes: number): string {
  return formatQuantity(bytes / 1e6, { unit: 'MB', resolution: 1 });
}
