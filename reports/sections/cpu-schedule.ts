import type { CpuFacts, ScheduleFacts } from '../../harness/results/index.ts';
import { html, type Html } from '../html/escape.ts';
import { drawLanes } from '../html/lanes.ts';
import { formatPlain, formatQuantity, missingMark, plural } from '../html/number.ts';
import { colouredName, type Legend } from '../wording/legend.ts';

/** The exact schedule of one target, as wide as the page: the whole window, and a close-up. */
export function scheduleCard(facts: CpuFacts, legend: Legend): Html | false {
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

/** The exact number beside the sampled one: each checks the other. */
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
export function traceNote({ trace }: CpuFacts): Html | false {
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
