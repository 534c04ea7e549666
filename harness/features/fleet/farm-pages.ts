import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { type Content, html, type Html } from '../../../reports/html/escape.ts';
import { formatCount, plural } from '../../../reports/html/number.ts';
import { table } from '../../../reports/html/table.ts';
import { groupBy } from '../../core/analysis/grouping.ts';
import type { FarmRun, FarmRunDetails, ListedCase } from './farm-queries.ts';
import { type FarmPage, layOut, moment, section, type Surroundings } from './farm-layout.ts';
import type { Host } from './hosts.ts';
import { describeProgress, typedWords } from './job-text.ts';
import type { Job } from './jobs.ts';

const isOpen = ({ endedAt }: Job): boolean => endedAt === null;

/** Hosts, what they do now, the queue, and the newest runs. */
export function homePage(
  around: Surroundings,
  {
    hosts,
    jobs,
    runs,
  }: {
    readonly hosts: readonly Host[];
    readonly jobs: readonly Job[];
    readonly runs: readonly FarmRun[];
  },
): FarmPage {
  const open = jobs.filter(isOpen);
  const live = hosts.filter(({ isLive }) => isLive).length;
  const title =
    hosts.length === 0
      ? 'No host has joined yet'
      : `${String(live)} of ${plural(hosts.length, 'host')} there, ${open.length === 0 ? 'nothing to do' : plural(open.length, 'job') + ' open'}`;
  return layOut(around, {
    title,
    isLive: open.length > 0,
    sections: [
      section(
        'hosts',
        'Hosts',
        hosts.length === 0
          ? html`<p>
              Start a worker on a machine: <code>${npxCrossfarm} worker --as rack-1</code>
            </p>`
          : html`<ul class="hosts">
              ${hosts.map((host) => hostCard(host, open))}
            </ul>`,
      ),
      open.length > 0 && section('queue', 'Queue', jobTable('queue-table', open)),
      section('ended', 'Ended', endedTable(jobs.filter((job) => !isOpen(job)))),
      section(
        'runs',
        'Newest runs',
        runs.length === 0 ? html`<p>No run was sent yet.</p>` : runTable(runs),
      ),
    ],
  });
}

function hostCard({ name, isLive, silentS, facts, open: count }: Host, open: readonly Job[]): Html {
  const current = open.find(({ host, state }) => host === name && state !== 'waiting');
  const waits = count - (current === undefined ? 0 : 1);
  const state = isLive
    ? html`<span class="tag good">there</span>`
    : html`<span class="tag bad">silent for ${Math.round(silentS / 60)} min</span>`;
  return html`<li${current !== undefined && html` class="works"`}>
    <p class="name"><bdi>${name}</bdi> ${state}</p>
    ${
      current === undefined
        ? html`<p>${isLive ? 'waits for a job' : 'is away'}</p>`
        : html`<p>
              <a href="/jobs/${current.id}"><bdi>${typedWords(current)}</bdi></a>
            </p>
            ${progressBar(current)}
            <p class="soft"><bdi>${describeProgress(current)}</bdi></p>`
    }
    ${waits > 0 && html`<p class="soft">${plural(waits, 'job')} more ${waits === 1 ? 'waits' : 'wait'}</p>`}
    <p class="soft">
      ${facts.logicalCores} cores, ${Math.round(facts.memoryBytes / 2 ** 30)} GB,
      <bdi>${facts.system}</bdi>
    </p>
    <p class="soft"><bdi>${listDevices(facts.devices)}</bdi></p>
  </li> `;
}

/** A card names no more; `devices --farm` has all. */
const mostDevices = 5;

function listDevices(devices: readonly string[]): string {
  const more = devices.length - mostDevices;
  const named = devices.slice(0, mostDevices).join(', ') || 'no browser';
  return more > 0 ? `${named} and ${String(more)} more` : named;
}

function progressBar({ progress }: Job): Html | false {
  const { trials = 0, planned = 0 } = progress ?? {};
  if (planned === 0) return false;
  const share = Math.min(100, (100 * trials) / planned).toFixed(1);
  return html`<div class="bar" aria-hidden="true">
    <svg><rect width="${share}%" height="6" /></svg>
  </div>`;
}

function jobLink(job: Job): Html {
  return html`<a href="/jobs/${job.id}"><bdi>${typedWords(job)}</bdi></a>`;
}

function jobTable(id: string, jobs: readonly Job[]): Html {
  return table({
    id,
    caption: 'Jobs that are open',
    hideCaption: true,
    stack: true,
    columns: [
      { title: 'Command' },
      { title: 'Host', label: 'Host' },
      { title: 'Stands', label: 'Stands' },
      { title: 'Asked by', label: 'Asked by' },
    ],
    groups: [
      { rows: jobs.map((job) => [jobLink(job), job.host, describeProgress(job), job.askedBy]) },
    ],
  });
}

/** One row for each submission: its hosts stand together. */
function endedTable(jobs: readonly Job[]): Html {
  if (jobs.length === 0) return html`<p>No job has ended yet.</p>`;
  const batches = [...groupBy(jobs, ({ id, batch }) => batch ?? id).values()];
  return table({
    id: 'ended-table',
    caption: 'Jobs that have ended',
    hideCaption: true,
    stack: true,
    columns: [
      { title: 'Command' },
      { title: 'Hosts', label: 'Hosts' },
      { title: 'How', label: 'How' },
      { title: 'When', label: 'When' },
    ],
    groups: [
      {
        rows: batches.flatMap((batch) => {
          const job = batch.find(({ settled }) => settled) ?? batch[0];
          if (job === undefined) return [];
          const hosts = batch.map(({ host }) => host).join(', ');
          return [[jobLink(job), hosts, describeProgress(job), moment(job.endedAt)]];
        }),
      },
    ],
  });
}

function runTable(runs: readonly FarmRun[]): Html {
  return table({
    id: 'runs-table',
    caption: 'Runs of the hosts',
    hideCaption: true,
    stack: true,
    columns: [
      { title: 'Run' },
      { title: 'Host', label: 'Host' },
      { title: 'Suite', label: 'Suite' },
      { title: 'Began', label: 'Began' },
      { title: 'Trials', label: 'Trials', kind: 'number' },
      { title: 'Is', label: 'Is' },
    ],
    groups: [
      {
        rows: runs.map(({ id, host, suite, startedAt, stored, planned, status }) => [
          html`<a href="/runs/${id}">run ${id}</a>`,
          html`<a href="/runs?host=${encodeURIComponent(host)}"><bdi>${host}</bdi></a>`,
          html`<bdi>${suite}</bdi>`,
          moment(startedAt),
          `${formatCount(stored)} of ${formatCount(planned)}`,
          status,
        ]),
      },
    ],
  });
}

/** Links that narrow a page to one host. */
export function hostFilter(
  hosts: readonly string[],
  chosen: string | undefined,
  path: string,
): Html {
  const link = (text: string, address: string, isCurrent: boolean): Html =>
    html`<li>
      <a href="${address}" ${isCurrent && html` aria-current="true"`}><bdi>${text}</bdi></a>
    </li> `;
  return html`<ul class="filter" aria-label="Hosts">
    ${link('all hosts', path, chosen === undefined)}
    ${hosts.map((host) => link(host, `${path}?host=${encodeURIComponent(host)}`, host === chosen))}
  </ul>`;
}

export function runsPage(
  around: Surroundings,
  {
    runs,
    hosts,
    host,
    mostShown,
  }: {
    readonly runs: readonly FarmRun[];
    readonly hosts: readonly string[];
    readonly host: string | undefined;
    readonly mostShown: number;
  },
): FarmPage {
  const last = runs.at(-1);
  const older = new URLSearchParams({
    ...(host !== undefined && { host }),
    before: last?.startedAt.toISOString() ?? '',
  });
  return layOut(around, {
    title: host === undefined ? 'Runs of all hosts' : `Runs of ${host}`,
    sections: [
      hostFilter(hosts, host, '/runs'),
      runs.length === 0 ? html`<p>There is none.</p>` : runTable(runs),
      runs.length === mostShown && html`<p><a href="/runs?${older.toString()}">Older runs</a></p>`,
    ],
  });
}

export function runPage(around: Surroundings, run: FarmRunDetails): FarmPage {
  const { id, host, suite, status, command, startedAt, outcomes, series, job } = run;
  const facts: readonly (readonly [string, Content])[] = [
    ['Host', html`<a href="/runs?host=${encodeURIComponent(host)}"><bdi>${host}</bdi></a>`],
    ['Began', moment(startedAt)],
    ['Is', status],
    [
      'Trials',
      outcomes.map(({ outcome, trials }) => `${formatCount(trials)} ${outcome}`).join(', '),
    ],
    ...(job === null ? [] : ([['Job', html`<a href="/jobs/${job}">job ${job}</a>`]] as const)),
    ['Command', html`<code>${command}</code>`],
  ];
  return layOut(around, {
    title: `${suite} on ${host}`,
    kicker: `run ${String(id)} of the farm`,
    isLive: status === 'running',
    sections: [
      html`<p><a href="/runs/${id}/report">Open its report</a></p>
        <dl class="facts">
          ${facts.map(
            ([name, value]) =>
              html`<dt>${name}</dt>
                <dd>${value}</dd>`,
          )}
        </dl>`,
      section('medians', 'Medians', medianTable(series)),
    ],
  });
}

function medianTable(series: FarmRunDetails['series']): Html {
  if (series.length === 0)
    return html`<p>
      They are computed when the run ends, without excluded trials and smoke tests.
    </p>`;
  return table({
    id: 'series-table',
    caption: 'Medians of the trials that count',
    hideCaption: true,
    stack: true,
    columns: [
      { title: 'Case' },
      { title: 'Device', label: 'Device' },
      { title: 'Metric', label: 'Metric' },
      { title: 'Median', label: 'Median', kind: 'number' },
      { title: 'Trials', label: 'Trials', kind: 'number' },
    ],
    groups: [
      {
        rows: series.map(({ case: name, device, metric, median, unit, trials }) => [
          html`<a href="/cases/${encodeURIComponent(name)}"><bdi>${name}</bdi></a>`,
          html`<bdi>${device}</bdi>`,
          metric,
          median === null ? '' : `${String(Number(median.toPrecision(4)))} ${unit}`,
          trials,
        ]),
      },
    ],
  });
}

export function casesPage(around: Surroundings, cases: readonly ListedCase[]): FarmPage {
  const groups = groupBy(cases, ({ benchmark }) => benchmark);
  return layOut(around, {
    title: cases.length === 0 ? 'Nothing was measured yet' : 'Cases over all hosts',
    sections: [...groups].map(([benchmark, ofIt], index) =>
      section(
        `benchmark-${String(index)}`,
        benchmark,
        html`<ul class="filter">
          ${ofIt.map(
            ({ name }) =>
              html`<li>
                <a href="/cases/${encodeURIComponent(name)}"><bdi>${name}</bdi></a>
              </li> `,
          )}
        </ul>`,
      ),
    ),
  });
}
