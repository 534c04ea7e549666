import type {
  CpuFacts,
  ProbeFacts,
  ProbeValue,
  ThreadSummary,
  ScheduleFacts,
} from '../../harness/core/results/index.ts';
import { coreHeatMap, roleBar, roleStack } from '../html/cpu-chart.ts';
import { type Content, html, type Html, join, raw } from '../html/escape.ts';
import { formatPlain, formatQuantity, formatShare, missingMark, plural } from '../html/number.ts';
import { colouredName, type Legend, targetName } from '../wording/legend.ts';
import { drawLanes } from '../html/lanes.ts';

const mostThreads = 6;

/** A case as a card shows it. */
interface DrawnCase {
  readonly caseName: string;
  readonly facts: readonly CpuFacts[];
}

/** One case: a summary line, and behind it a card for each target, open at once where there are few cases. */
export function drawnCase(
  { caseName, facts }: DrawnCase,
  { legend, open }: { readonly legend: Legend; readonly open: boolean },
): Html {
  return html`<details class="case" ${open && html` open`}>
    ${caseSummary({ caseName, facts }, legend)} ${cpuCards(facts, legend)}
  </details> `;
}

/** Its name, and how many cores were busy. */
export function caseSummary({ caseName, facts }: DrawnCase, legend: Legend): Html {
  const short = facts
    .filter(({ threads }) => 'roles' in threads)
    .map(
      ({ targetId, threads }) =>
        html`${targetName(legend(targetId))} ${'roles' in threads && formatPlain(threads.coresBusy)}`,
    );
  return html`<summary>
    <b><bdi>${caseName}</bdi></b
    >${short.length > 0 && html` <small>cores busy: ${join(short, ', ')}</small>`}
  </summary>`;
}

/** A card for each target. */
export function cpuCards(facts: readonly CpuFacts[], legend: Legend): Html {
  const cores = commonScale(facts);
  return html`<div class="cards">
    ${facts.map((one) => card(one, { legend, cores }))}
    ${facts.map((one) => scheduleCard(one, legend))}
  </div>`;
}

/** Whole cores that the figures of one case span: the machine's, or more if threads used more. */
export function commonScale(facts: readonly CpuFacts[]): number {
  return facts.reduce((most, { cores, threads }) => {
    const machine = 'busy' in cores ? cores.busy.length : 1;
    return Math.max(most, machine, 'roles' in threads ? Math.ceil(threads.coresBusy) : 1);
  }, 1);
}

interface CardOptions {
  readonly legend: Legend;
  readonly cores: number;
}

function card(facts: CpuFacts, { legend, cores }: CardOptions): Html {
  const label = legend(facts.targetId);
  const wall = formatQuantity(facts.wallMs, { unit: 'ms', resolution: 0.01 });
  const { threads } = facts;
  return html`<div class="card" data-of="${facts.targetId}">
    <p class="of">${colouredName(label)}</p>
    ${'roles' in threads ? threadNumbers(threads, facts) : html`<p>Threads: ${notSupported(threads.notSupported)}</p>`}
    ${'roles' in threads && timeline(threads, cores)}
    <div class="c${label.colour}">${coreFigure(facts, wall)}</div>
    ${'roles' in threads && roleFigure(threads, { cores, wallMs: facts.wallMs })}
    ${traceNote(facts)}${facts.others?.map(otherProbe)}
  </div> `;
}

/** Readings of a probe that has no figure. */
function otherProbe(facts: ProbeFacts): Html {
  if ('notSupported' in facts) {
    return html`<p><bdi>${facts.probe}</bdi>: ${notSupported(facts.notSupported)}</p>`;
  }
  return numberList(facts.values.map((one) => [html`<bdi>${one.title}</bdi>`, showValue(one)]));
}

/** A value of a probe that has no figure, with its unit. */
export function showValue({ unit, value }: ProbeValue): Content {
  if (value === null) return missingMark;
  if (typeof value === 'string') return html`<bdi>${value}</bdi>`;
  const numbers = typeof value === 'number' ? [value] : value;
  const texts = numbers.map((one) => formatQuantity(one, { unit: unit ?? '', resolution: 0 }));
  return [...new Set(texts)].join(' to ');
}

function threadNumbers(
  { coresBusy, javascriptParallelism, gcShare }: ThreadSummary,
  { foreignShare }: CpuFacts,
): Html {
  return numberList([
    ['cores busy', formatPlain(coresBusy)],
    ['JavaScript', formatPlain(javascriptParallelism)],
    ['GC', formatShare(gcShare)],
    ['foreign', foreignShare === null ? missingMark : formatShare(foreignShare)],
  ]);
}

function numberList(numbers: readonly (readonly [Content, Content])[]): Html {
  return html`<dl>
    ${numbers.map(
      ([name, number]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${number}</dd>
        </div>`,
    )}
  </dl>`;
}

/** Roles over time; the introduction says once that a window was too short. */
function timeline({ timeline: roles }: ThreadSummary, cores: number): Html | false {
  if (roles === null) return false;
  const names = roles.roles.map((one) => one.role).join(', ');
  return html`<figure>
    ${roleStack({ roles: roles.roles, cores, label: `Cores busy over time by role, from below: ${names}.` })}
  </figure>`;
}

function coreFigure({ cores, block, wallMs }: CpuFacts, wall: string): Html {
  if ('notSupported' in cores) return html`<p>Cores: ${notSupported(cores.notSupported)}</p>`;
  const { busy, sliceMs, costShare } = cores;
  const slices = busy[0]?.length ?? 0;
  const chart = coreHeatMap(
    busy,
    `Busy share of ${plural(busy.length, 'core')} over ${wall}; the mean of each is written beside it.`,
  );
  const slice = formatQuantity(sliceMs, { unit: 'ms', resolution: sliceMs >= 1 ? 1 : 0.01 });
  const from = slices * sliceMs < wallMs / 2 ? ` (${String(slices)} slices)` : '';
  return html`<figure>
    ${chart.picture}
    <figcaption>
      0 to ${wall}${from}, slices of ${slice}, block ${block}; reading it cost
      ${formatShare(costShare)}.${chart.hidden > 0 && html` The busiest of ${busy.length} cores are drawn.`}
    </figcaption>
  </figure>`;
}

function roleFigure(
  summary: ThreadSummary,
  { cores, wallMs }: { readonly cores: number; readonly wallMs: number },
): Html {
  const list = summary.roles.map(({ role, cpuMs }) => `${role} ${milliseconds(cpuMs)}`);
  return html`<figure>
      ${barOfRoles(summary, { cores, wallMs })}
      <figcaption>
        ${join(list, ' · ')}; the width is ${plural(cores, 'core')}.${unknownThreads(summary)}
      </figcaption>
    </figure>
    ${busiestThreads(summary)}`;
}

/** Cores busy by role, as one bar; its whole width is `cores`. */
export function barOfRoles(
  { roles, coresBusy }: ThreadSummary,
  { cores, wallMs }: { readonly cores: number; readonly wallMs: number },
): Html {
  const inCores = roles.map(({ role, cpuMs }) => ({
    role,
    cores: wallMs > 0 ? cpuMs / wallMs : 0,
  }));
  const label = `Threads by role: ${formatPlain(coresBusy)} of ${plural(cores, 'core')}.`;
  return roleBar(inCores, { cores, label });
}

const mostUnknown = 4;

/** Threads that the table of roles does not know stay visible by name, however little they did. */
function unknownThreads({ threads }: ThreadSummary): Html | false {
  const names = [
    ...new Set(threads.filter(({ role }) => role === 'other').map(({ name }) => name)),
  ];
  if (names.length === 0) return false;
  const more = names.length - mostUnknown;
  const shown = names.slice(0, mostUnknown).map((name) => html`<bdi>${name}</bdi>`);
  return html` Other: ${join(shown, ', ')}${more > 0 && html` and ${more} more`}.`;
}

function busiestThreads({ threads }: ThreadSummary): Html {
  return html`<details>
    <summary><small>Busiest threads</small></summary>
    <table>
      <thead>
        <tr>
          <th scope="col">Thread</th>
          <th scope="col">Role</th>
          <th scope="col" class="n">CPU</th>
        </tr>
      </thead>
      <tbody>
        ${threads.slice(0, mostThreads).map(
          ({ process, name, role, cpuMs }) =>
            html`${raw('<tr><td>')}<bdi>${name}</bdi> <small><bdi>${process}</bdi></small
              >${raw('</td><td>')}${role}${raw('</td><td class="n">')}${milliseconds(cpuMs)}${raw('</td></tr>')}`,
        )}
      </tbody>
    </table>
  </details>`;
}

function milliseconds(cpuMs: number): string {
  return formatQuantity(cpuMs, { unit: 'ms', resolution: 0.001 });
}

/** The exact schedule of one target, as wide as the page: the whole window, and a close-up. */
function scheduleCard(facts: CpuFacts, legend: Legend): Html | false {
  const { schedule } = facts;
  if (schedule === undefined) return false;
  const label = legend(facts.targetId);
  if ('notSupported' in schedule) {
    return html`<div class="card wide" data-of="${facts.targetId}">
      <p class="of">${colouredName(label)}: exact schedule</p>
      <p>${notSupported(schedule.notSupported)}</p>
    </div> `;
  }
  const name = `${label.label}, exact schedule`;
  const close = closeUp(schedule);
  return html`<div class="card wide" data-of="${facts.targetId}">
    <p class="of">${colouredName(label)}: exact schedule</p>
    <p>${inWords(schedule, facts)}</p>
    ${schedule.wallMs > 0 && lanes(schedule, { name, fromMs: 0, toMs: schedule.wallMs })}
    ${close !== null && [html`<p>The middle of it, closer:</p>`, lanes(schedule, { name: `${name}, close-up`, ...close })]}
  </div> `;
}

/** How lanes are read: said once, before the first. */
export const readingOfLanes =
  'An exact schedule has one lane per core: a full bar is JavaScript, a lower one another thread of the browser, a line any other program (the farm among them), and a gap is idle. Where several threads ran within one column, the one that had most of it is drawn.';

/** The exact number next to the sampled one: each checks the other. */
function inWords({ coresBusy, lostEvents }: ScheduleFacts, { threads }: CpuFacts): Html {
  const sampled = 'roles' in threads ? threads.coresBusy : null;
  return html`Cores busy by the kernel’s own events:
    <b>${formatPlain(coresBusy)}</b
    >${sampled !== null && html` (by the threads’ clocks: ${formatPlain(sampled)})`}.${lostEvents > 0 && html` <span class="tag">not whole</span> ${plural(lostEvents, 'event')} or slices were lost or left out.`}`;
}

interface Section {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
}

function lanes({ cores }: ScheduleFacts, { name, fromMs, toMs }: Section): Html {
  const at = (ms: number): string => formatQuantity(ms, { unit: 'ms', resolution: 0.001 });
  // The end of a close-up would otherwise read like its begin: 9.98 s to 10.0 s.
  const end = at(toMs - fromMs);
  const ends = fromMs === 0 ? (['0', end] as const) : ([at(fromMs), `${end} later`] as const);
  return drawLanes({
    cores,
    fromMs,
    toMs,
    ends,
    label: `${name}: which thread was on which core from ${ends[0]} to ${ends[1]}.`,
  });
}

/** A fortieth of the window, as wide as a switch of threads can be seen in; none of a window that is short itself. */
function closeUp({ wallMs }: ScheduleFacts): { fromMs: number; toMs: number } | null {
  if (wallMs < 50) return null;
  const width = Math.min(50, Math.max(10, wallMs / 40));
  return { fromMs: (wallMs - width) / 2, toMs: (wallMs + width) / 2 };
}

const openers = {
  'chrome-trace': { name: 'ui.perfetto.dev', address: 'https://ui.perfetto.dev' },
  'firefox-profile': { name: 'profiler.firefox.com', address: 'https://profiler.firefox.com' },
} as const;

/**
 * Where the trace of this trial lies, and what opens it. The path is text, not a link: a report may lie
 * anywhere, and the file stays in the folder of the database.
 */
function traceNote({ trace }: CpuFacts): Html | false {
  if (trace === undefined) return false;
  if ('notSupported' in trace) {
    return html`<p>Trace: ${notSupported(trace.notSupported)}</p>`;
  }
  const { name, address } =
    trace.format === 'firefox-profile' ? openers['firefox-profile'] : openers['chrome-trace'];
  return html`<p>
    Trace: <code>${trace.file}</code>, in the folder of the database; open it with
    <a href="${address}" rel="noreferrer">${name}</a>.
  </p>`;
}

/** States why a platform has no value; it is never zero. */
export function notSupported(why: string): Html {
  return html`<span class="missing">${missingMark} not supported: ${why}</span>`;
}
