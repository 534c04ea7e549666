import type {
  CpuFacts,
  ProbeFacts,
  ProbeValue,
  ThreadSummary,
} from '../../harness/results/index.ts';
import { coreHeatMap, roleBar, roleStack } from '../html/cpu-chart.ts';
import { type Content, html, type Html, join } from '../html/escape.ts';
import { formatPlain, formatQuantity, formatShare, missingMark, plural } from '../html/number.ts';
import { colouredName, type Legend, targetName } from '../wording/legend.ts';
import { notSupported, scheduleCard, traceNote } from './cpu-schedule.ts';

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
function commonScale(facts: readonly CpuFacts[]): number {
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
  return numberList(facts.values.map((one) => [html`<bdi>${one.title}</bdi>`, shown(one)]));
}

function shown({ unit, value }: ProbeValue): Content {
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

/** Roles over time; a window too short for it is said once, in the introduction. */
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
  const { roles, coresBusy } = summary;
  const inCores = roles.map(({ role, cpuMs }) => ({
    role,
    cores: wallMs > 0 ? cpuMs / wallMs : 0,
  }));
  const list = roles.map(({ role, cpuMs }) => `${role} ${milliseconds(cpuMs)}`);
  const label = `Threads by role: ${formatPlain(coresBusy)} of ${plural(cores, 'core')}.`;
  return html`<figure>
      ${roleBar(inCores, { cores, label })}
      <figcaption>
        ${join(list, ' · ')}; the width is ${plural(cores, 'core')}.${unknownThreads(summary)}
      </figcaption>
    </figure>
    ${busiestThreads(summary)}`;
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
            html`<tr>
              <td>
                <bdi>${name}</bdi> <span class="soft"><bdi>${process}</bdi></span>
              </td>
              <td>${role}</td>
              <td class="n">${milliseconds(cpuMs)}</td>
            </tr> `,
        )}
      </tbody>
    </table>
  </details>`;
}

function milliseconds(cpuMs: number): string {
  return formatQuantity(cpuMs, { unit: 'ms', resolution: 0.001 });
}
