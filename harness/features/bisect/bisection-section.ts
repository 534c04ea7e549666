import { html, raw, type Content, type Html } from '../../../reports/html/escape.ts';
import { formatCount, isTime, plural } from '../../../reports/html/number.ts';
import type { Section } from '../../../reports/sections/report.ts';
import { changeInWords } from '../../../reports/wording/change.ts';
import type {
  BisectedChange,
  BisectedRow,
  BisectedStep,
  BisectionFacts,
} from '../../core/results/index.ts';
import { formatDuration } from '../../core/run/progress/time-left.ts';

const style = [
  '.culprit{margin:1.25rem 0;padding:.8rem 1.1rem;border-left:4px solid var(--strong);background:var(--wash);border-radius:0 8px 8px 0;max-width:48rem}',
  '.culprit p{margin:.25rem 0}.culprit .who{font-size:1.15rem}',
  '.search{margin:1.5rem 0}.search figcaption{margin:0 0 1rem}.search ol{list-style:none;margin:0;padding:0;max-width:none}',
  '.search li{margin:0 0 .9rem}.search li p{margin:0;max-width:none}',
  '.search svg{display:block;width:100%;overflow:visible}',
  '.search .axis{stroke:var(--line);stroke-width:2}.search .open{stroke:var(--strong);stroke-width:6;stroke-linecap:round}',
  '.search circle{stroke:var(--ink);stroke-width:1.5;fill:var(--page)}.search .unknown{fill:var(--strong)}',
  '.search .bad-slower{fill:var(--bad);stroke:var(--bad)}.search .bad-faster{fill:var(--good);stroke:var(--good)}',
  '.search .unusable{stroke:var(--warn);stroke-width:2}',
  '.search .ends{display:flex;justify-content:space-between;gap:1rem;color:var(--soft);font-size:.85rem}',
].join('');

/** The commit that made a difference, and the way to it. */
export const bisectionSection: Section = {
  id: 'bisection',
  title: 'The commit',
  heading: 'How it was found',
  shape: 'open',
  style,
  leads: {
    kind: 'bisection',
    finding: ({ findings: { bisection, blame } }) => {
      const [first] = blame?.comparisons.flatMap(({ rows }) => rows) ?? [];
      const where = first === undefined ? '' : `: ${first.name}`;
      return bisection === undefined ? null : `${headlineOf(bisection)}${where}`;
    },
  },
  render: ({ findings: { bisection } }) =>
    bisection !== undefined &&
    html`${bisection.changes.map((change) => culprit(change, bisection))}${path(bisection)}
      <p>The whole of it again:</p>
      <pre><code data-copy>${bisection.command}</code></pre>`,
};

/** "a1b2c3d made it 10 % slower in chromium". */
function headlineOf(facts: BisectionFacts): string {
  const { outcome, good, bad, changes } = facts;
  const [change] = changes.filter(({ isVerified }) => isVerified);
  if (outcome === 'no-difference') return `${good.name} and ${bad.name} do not differ`;
  if (change === undefined) return `Which commit made the difference is undecided`;
  const [row] = differing(change.rows);
  const names = [...change.skipped, change.commit].map(({ name }) => name);
  const who = names.length === 1 ? names.join() : `One of ${names.join(', ')}`;
  const browsers = [...new Set(differing(change.rows).map(({ browser }) => browser))];
  const size = row === undefined ? 'different' : withoutInterval(row, facts);
  const more = changes.length > 1 ? `, and ${plural(changes.length - 1, 'more commit')}` : '';
  return `${who} made it ${size} in ${browsers.join(', ')}${more}`;
}

function differing(rows: readonly BisectedRow[]): readonly BisectedRow[] {
  return rows.filter(({ verdict }) => verdict === 'slower' || verdict === 'faster');
}

function withoutInterval(row: BisectedRow, facts: BisectionFacts): string {
  return describeRow({ ...row, low: null, high: null }, facts);
}

function describeRow(
  { verdict, ratio, low, high, unit }: BisectedRow,
  { margin }: BisectionFacts,
): string {
  if (verdict === 'not given' || ratio === null) return 'not measured';
  const change = { verdict, ratio, low, high, margin, isTime: isTime(unit), moreMinutes: null };
  return changeInWords(change);
}

function culprit(change: BisectedChange, facts: BisectionFacts): Html {
  const { commit, before, skipped, mergedBy, isVerified, rows } = change;
  return html`<div class="culprit">
    <p class="who">
      <b><code>${commit.name}</code></b> <bdi>${commit.subject}</bdi>
      <span class="soft">by <bdi>${commit.author}</bdi></span>
    </p>
    ${
      mergedBy !== null &&
      html`<p class="soft">
        It came with the merge <code>${mergedBy.name}</code> <bdi>${mergedBy.subject}</bdi>.
      </p>`
    }
    <ul>
      ${rows.map(
        (row) =>
          html`<li>
            <bdi>${row.browser}</bdi>, <bdi>${row.title}</bdi>:
            <b class="${row.verdict}">${describeRow(row, facts)}</b>
          </li>`,
      )}
    </ul>
    <p class="soft">
      ${isVerified ? 'Compared' : 'The search led here, but it does not differ for sure when compared'}
      with <code>${before.name}</code> <bdi>${before.subject}</bdi>, in blocks of their own.
    </p>
    ${
      skipped.length > 0 &&
      html`<p>It may also be one of these, which could not be told apart from it:</p>
        <ul>
          ${skipped.map(({ name, why }) => html`<li><code>${name}</code>: <bdi>${why}</bdi></li>`)}
        </ul>`
    }
  </div>`;
}

/** A line for each comparison: what was measured on an axis of all commits, and where it led. */
function path(facts: BisectionFacts): Html {
  const { commits, good, bad, steps } = facts;
  const blocks = steps.reduce((sum, step) => sum + step.blocks, 0);
  const ms = steps.reduce((sum, step) => sum + step.ms, 0);
  return html`<figure class="search">
    <figcaption>
      ${plural(steps.length, 'comparison')} over ${plural(commits - 1, 'commit')}:
      ${plural(blocks, 'block')}, ${formatDuration(ms)}. ○ like <code>${good.name}</code>, ● like
      <code>${bad.name}</code>, a thick line where the commit still may be, × what could not be
      measured.
    </figcaption>
    <ol>
      ${steps.map((step) => stepItem(step, facts))}
    </ol>
    <div class="ends">
      <span><code>${good.name}</code> <bdi>${good.subject}</bdi></span>
      <span><code>${bad.name}</code> <bdi>${bad.subject}</bdi></span>
    </div>
  </figure>`;
}

const purposes = {
  ends: 'The ends',
  search: 'Between them',
  check: 'The commit and the one before it',
} as const;

function stepItem(step: BisectedStep, facts: BisectionFacts): Html {
  const { purpose, commits, blocks, ms, run, command, rows } = step;
  const outcome =
    purpose === 'search' ? plural(commits.length - 2, 'commit') : rowsInWords(rows, facts);
  const cost = run === null ? 'not measured' : `${plural(blocks, 'block')}, ${formatDuration(ms)}`;
  return html`<li>
    <p>${purposes[purpose]}: ${outcome} <span class="soft">(${cost})</span></p>
    ${line(step, facts)}${
      command !== null &&
      html`<details>
        <summary>Run ${formatCount(run ?? 0)} again</summary>
        <pre><code data-copy>${command}</code></pre>
      </details>`
    }
  </li>`;
}

function rowsInWords(rows: readonly BisectedRow[], facts: BisectionFacts): Content {
  if (rows.length === 0) return 'nothing was measured';
  return rows.map((row) => `${describeRow(row, facts)} in ${row.browser}`).join('; ');
}

const height = 22;
const middle = height / 2;

/** Share of the width that is kept free at both ends, for the marks. */
const edge = 0.025;

function line({ commits, between }: BisectedStep, facts: BisectionFacts): Html | false {
  const placed = commits.filter(({ place }) => place !== null);
  if (placed.length < 2) return false;
  const x = (place: number | null | undefined): string => {
    const share = (place ?? 0) / Math.max(1, facts.commits - 1);
    return `${(100 * (edge + share * (1 - 2 * edge))).toFixed(2)}%`;
  };
  const stroke = (name: string, from: string, to: string): Html =>
    raw(
      `<line class="${name}" x1="${from}" x2="${to}" y1="${String(middle)}" y2="${String(middle)}"/>`,
    );
  const worse = differing(facts.steps[0]?.rows ?? [])[0]?.verdict ?? 'slower';
  const words = `${plural(placed.length, 'commit')} measured`;
  return html`<svg height="${height}" role="img" aria-label="${words}">
    ${stroke('axis', x(0), x(facts.commits - 1))}${
      between !== null && stroke('open', x(between[0]), x(between[1]))
    }${placed.map((one) => mark(one, { x: x(one.place), worse }))}
  </svg>`;
}

function mark(
  { name, standing }: BisectedStep['commits'][number],
  { x, worse }: { readonly x: string; readonly worse: string },
): Html {
  const words = {
    good: 'like the good one',
    bad: 'like the bad one',
    unknown: 'undecided',
    unusable: 'could not be measured',
  }[standing];
  const shape =
    standing === 'unusable'
      ? raw('<path class="unusable" d="M-5-5 5 5M-5 5 5-5"/>')
      : html`<circle class="${standing === 'bad' ? `bad-${worse}` : standing}" r="6" />`;
  return html`<svg x="${x}" y="${middle}">
    <title>${name}: ${words}</title>
    ${shape}
  </svg>`;
}
