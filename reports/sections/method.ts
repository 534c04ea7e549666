import type { Fact, Findings, RunFacts } from '../../harness/core/results/index.ts';
import { type Content, html, type Html, join } from '../html/escape.ts';
import type { Section } from './report.ts';
import { formatCount, plural } from '../html/number.ts';
import { table } from '../html/table.ts';
import { isMeasured } from '../wording/difference.ts';
import { spansRuns } from '../wording/verdicts.ts';
import { rowAnchor } from './comparison-table.ts';

/** The machine and what else went on on it, run by run. */
export const environmentSection: Section = {
  id: 'environment',
  title: 'Environment',
  render: ({ findings: { runs } }) => html`
    ${runs.length === 0 ? html`<p>No run is recorded.</p>` : runs.map(environmentOf)}
  `,
};

function environmentOf(run: RunFacts): Html {
  const { id, suite, startedAt, finishedAt, seed } = run;
  const times: readonly Fact[] = [
    { label: 'Suite', text: suite },
    { label: 'Started', text: startedAt },
    { label: 'Finished', text: finishedAt ?? `not finished (${run.status})` },
    { label: 'Seed of the order', text: String(seed) },
  ];
  return html`<h3>Run ${id}</h3>
    ${facts([...times, ...run.machine, ...run.environment])}`;
}

function facts(all: readonly Fact[]): Html {
  return html`<dl class="facts">
    ${all.map(
      ({ label, text }) =>
        html`<dt>${label}</dt>
          <dd>${text}</dd> `,
    )}
  </dl>`;
}

/** A link for the reader: the page itself requests nothing. */
function source(doi: string, name: string): Html {
  return html`<a href="https://doi.org/${doi}" rel="noreferrer">${name}</a>`;
}

/** Two runs have no block in common, so the text above does not hold for them. */
const acrossRuns = html`<p>
  Two runs have no block in common. Sides that were measured in two runs are compared by the ranks
  of their trials: the ratio is the median of all ratios of a trial of the one and a trial of the
  other (${source('10.1214/aoms/1177704172', 'Hodges and Lehmann 1963')}), its interval the one that
  the test of ${source('10.1214/aoms/1177730491', 'Mann and Whitney 1947')} does not reject, for one
  look and if all trials are independent. In the table the share of wrong differences is bounded by
  the procedure of ${source('10.1111/j.2517-6161.1995.tb02031.x', 'Benjamini and Hochberg 1995')}.
  That holds for the two series: the machine, its system and everything else that changed between
  the runs is in the ratio, too.
</p>`;

function valueOfTrial(isSearched: boolean): Content {
  if (!isSearched) return 'the median of its timed iterations after warm-up';
  return html`the mean over a window of timed iterations in the last segment of its series, in which
  no change of speed was found (a change-point search on the logarithms,
  ${source('10.1145/3133876', 'Barrett et al. 2017')}); an iteration that took more than twice the
  95th percentile and is at most 1 in 100 counts as interrupted and is set aside. Other metrics, and
  times that no kit of ours took, give their median`;
}

export const methodSection: Section = {
  id: 'method',
  title: 'Method',
  render: ({ findings }) => methodText(findings),
};

/** How the numbers and the verdicts were made; `first` is a paragraph of one kind of report. */
export function methodText({ runs, verdicts, steady }: Findings, first?: Content): Html {
  const paged = runs.some((run) => run.isolation === 'page');
  const fresh = runs.some((run) => run.isolation === 'session') || runs.length === 0;
  const trial = [
    fresh && 'one fresh browser session that loads one page and runs one case',
    paged &&
      'one fresh page in a session that other cases of the same block share (isolation “page”: cheaper, and less independent)',
  ].filter((one) => one !== false);
  const drawn = runs.map((run) => `${plural(run.blocks, 'block')} from seed ${String(run.seed)}`);
  return html`
    ${first}
    <p>
      A trial is ${join(trial, '; or ')}; it gives one value, ${valueOfTrial(steady !== undefined)}.
      A block holds one trial of every case in every browser, in an order drawn at random from a
      stored seed${drawn.length > 0 && html` (${join(drawn, ', ')})`}, so that slow drift of the
      machine falls on all browsers alike. A number here is the median over trials; of what is
      compared with a baseline, the ratio times the median of the baseline, so that what stands side
      by side divides to its ratio. Its interval, moved with it, is the distribution-free
      order-statistic interval of that median: both ends are values of trials, and it holds the true
      median with at least the stated confidence whatever the shape of the noise, as long as trials
      are independent. With fewer than six trials no such interval reaches 95 %; the one shown then
      runs from the least to the largest value and says what confidence it has. No number has a
      digit that the clock of its browser could not resolve.
    </p>
    <p>
      Whether two browsers differ is decided block by block, from the logarithm of their ratio in
      each block: because the order inside a block is random, it is as likely to be too large as too
      small when the two are the same, whatever the noise. The ratio is the typical one of a pair of
      trials: the centre of those logarithms, of which none counts as farther off than 1 %. The
      evidence is an e-value (bets of fixed stakes on every block), and its inverse an interval that
      holds at any look (${source('10.1214/20-AOS1991', 'Howard et al. 2021')}), so a run may stop
      as soon as it has a verdict. Two browsers are equivalent where the ratio of their means lies
      within the margin, too, by a sequential t interval
      (${source('10.48550/arXiv.2310.03722', 'Wang and Ramdas 2023')}): the typical ratio does not
      see that one of them has a slow session more often. In a table of several comparisons the
      verdicts have to stand together: each has its interval at the level of e-BY
      (${source('10.48550/arXiv.2203.12572', 'Xu, Wang and Ramdas 2024')}), which bounds the share
      of wrong ones among all differences that are given, and among all that are called equivalent.
      With fewer than ${verdicts.smallestBlocks} blocks no verdict is possible; differences seen
      there are marked as seen.
    </p>
    ${spansRuns(verdicts) && acrossRuns}
  `;
}

/** The commands that repeat the run and each case, ready to copy. */
export const repeatSection: Section = {
  id: 'repeat',
  title: 'Repeat it',
  script: { file: 'commands.js', start: 'offerDevices' },
  render: ({ findings: { runs, rows } }) => html`
    ${runs.map(
      ({ id, command }) =>
        html`<p>The whole of run ${id}:</p>
          <pre><code data-copy>${command}</code></pre>`,
    )}
    ${caseCommands(rows)}
  `,
};

/** One command for each case, folded away. */
export function caseCommands(rows: Findings['rows']): Html | false {
  const commands = new Map<string, { readonly name: string; readonly index: number }>();
  rows.forEach((row, index) => {
    if (!commands.has(row.command)) commands.set(row.command, { name: row.caseName, index });
  });
  if (commands.size === 0) return false;
  return html`<details class="repeat">
    <summary>One case at a time (${plural(commands.size, 'command')})</summary>
    ${commandTable(commands)}
  </details>`;
}

function commandTable(
  commands: ReadonlyMap<string, { readonly name: string; readonly index: number }>,
): Html {
  return table({
    id: 'repeat-caption',
    caption: 'The command that repeats each case',
    hideCaption: true,
    columns: [{ title: 'Case' }, { title: 'Command', kind: 'wide' }],
    groups: [
      {
        rows: [...commands].map(([command, { name, index }]) => [
          html`<a href="#${rowAnchor(index)}"><bdi>${name}</bdi></a>`,
          html`<span><code data-copy>${command}</code></span>`,
        ]),
      },
    ],
  });
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Where the raw data is. The script puts a link there. */
export const dataSection: Section = {
  id: 'data',
  title: 'Raw data',
  script: { file: 'download.js', start: 'offerDownloads' },
  render: ({ findings }) => {
    const parts = ['crossfarm', ...findings.runs.map(({ id }) => `run-${String(id)}`)];
    return dataText(findings, `${parts.join('-')}.json`);
  },
};

/** @param file name that the downloaded data get */
export function dataText({ rows }: Findings, file: string): Html {
  const cells = rows.flatMap((row) => row.cells).filter(isMeasured);
  const counted = cells.filter(({ fromQuarantined }) => fromQuarantined !== true);
  const values = sumOf(counted.map((cell) => cell.values.length));
  const aside = sumOf(cells.map(({ quarantined = [] }) => quarantined.length));
  return html`
    <p>
      The findings behind this page, with the value of every trial
      (${plural(values, 'value')}${aside > 0 && html`, and ${formatCount(aside)} of excluded trials, marked`}),
      are embedded in this file as JSON, in the element with the id <code>findings</code> (a long
      file’s are gzip in base64). Values are rounded to a tenth of the clock’s step; CPU timelines
      and threads are there for the cases that are drawn.
    </p>
    <p class="download" id="download" data-file="${file}"></p>
  `;
}

/** Facts of the runs, other than results, that differ between them. */
export const runDifferencesSection: Section = {
  id: 'between',
  title: 'Between the runs',
  shape: 'open',
  render: ({ findings: { between, runs } }) =>
    between !== undefined &&
    html`<p>
        All that the farm knows of the runs beside their results, and that is not the same in all of
        them. What is not listed was the same: machine, system, builds and how they were started.
      </p>
      ${
        between.length === 0
          ? html`<p>Nothing differs.</p>`
          : table({
              id: 'between-caption',
              caption: 'What differs between the runs',
              hideCaption: true,
              stack: true,
              columns: [
                { title: 'What' },
                ...runs.map(({ id }) => ({
                  title: `Run ${String(id)}`,
                  label: `Run ${String(id)}`,
                  kind: 'wide' as const,
                })),
              ],
              groups: [{ rows: between.map(({ label, texts }) => [label, ...texts]) }],
            })
      }`,
};
