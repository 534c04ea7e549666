import type { Findings } from '../../harness/core/results/index.ts';
import { gap, unbroken } from '../client/number.js';
import {
  drawAxis,
  drawRatios,
  drawValues,
  makeAxes,
  makeRatioAxis,
  type DuelAxis,
  type LinkTrial,
} from '../html/duel.ts';
import { html, type Html } from '../html/escape.ts';
import {
  formatInterval,
  formatLevel,
  formatQuantity,
  formatRatioTick,
  formatTick,
} from '../html/number.ts';
import {
  isMeasured,
  placedPairs,
  outcomeSoFar,
  describeShortLevel,
  findVerdict,
  type MeasuredCell,
  type PlacedPair,
} from '../wording/difference.ts';
import { colouredName, renderVersion, type Legend } from '../wording/legend.ts';
import { baselineName, describeRatio, listNotes, verdictSign } from '../wording/verdicts.ts';
import { grouped } from './cases.ts';
import { rowAnchor } from './comparison-table.ts';
import { explainedRows } from './explained.ts';
import { drawRoleStack, roleLegend } from './role-stack.ts';

/** A version of the page in one browser, or a browser. */
interface VersionRow {
  readonly label: string;
  /** Of a browser; that of its group when left out. */
  readonly colour?: number;
  readonly caseName: string;
  readonly metric: string;
  readonly cell: MeasuredCell;
  /** The others are compared with it. */
  readonly isBaseline: boolean;
  /** Undefined of the baseline, and without a block in common with it. */
  readonly pair: PlacedPair | undefined;
}

/** All versions in one browser, or all browsers with one case, by one measure. */
interface BrowserGroup {
  /** The case; of versions the name of their browser. */
  readonly heading?: string;
  readonly targetId: string;
  readonly unit: string;
  readonly rows: readonly VersionRow[];
}

/**
 * Versions of a page at a glance: a table for each measure, a group for each browser, a line for each
 * version, with its trials on one axis and the ratio of each block around 1. False of any other report.
 */
export function versionsAtAGlance(
  findings: Findings,
  legend: Legend,
  linkTrial?: LinkTrial,
): Html | false {
  if (findings.verdicts.baselineVersion === undefined) return false;
  const ofPage = ({ metric, parameters: { page } }: Findings['rows'][number]): string =>
    page === undefined ? metric : `${String(page)}: ${metric}`;
  const tables = [...grouped(findings.rows, ofPage)].flatMap(([title, rows]) => {
    const groups = groupByBrowser(rows, findings);
    return groups.length === 0 ? [] : [{ title, groups }];
  });
  if (tables.length === 0) return false;
  return html`${tables.map(({ title, groups }) => duelTable(title, groups, { findings, legend, linkTrial }))}
  ${roleLegend(findings)}`;
}

/**
 * Browsers at a glance in the same drawing: a table for each measure, a group for each case, a line for
 * each browser. False where there are no values.
 */
export function browsersAtAGlance(
  findings: Findings,
  legend: Legend,
  linkTrial?: LinkTrial,
): Html | false {
  const tables = [...grouped(findings.rows, (row) => row.metric)].flatMap(([metric, rows]) => {
    const groups = groupByCase(rows, findings, legend);
    return groups.length === 0 ? [] : [{ metric, groups }];
  });
  if (tables.length === 0) return false;
  return html`${tables.map(({ metric, groups }) => duelTable(metric, groups, { findings, legend, linkTrial }))}`;
}

/** Two sides that run different cases are one group. */
function groupByCase(
  rows: Findings['rows'],
  findings: Findings,
  legend: Legend,
): readonly BrowserGroup[] {
  const placed = placedPairs(findings);
  const isMixed = placed.some(({ pair: { a, b } }) => a.caseName !== b.caseName);
  const groups = rows.map(({ caseName, label, metric, unit, cells }) => ({
    heading: label,
    unit,
    rows: cells.filter(isMeasured).map((cell) => {
      const { label: name, colour } = legend(cell.targetId);
      const pair = placed.find(
        ({ row, a }) => row.caseName === caseName && row.metric === metric && a === cell,
      );
      const isBaseline = cell.targetId === findings.verdicts.baselineTargetId;
      const words = isMixed ? `${name}, ${label}` : name;
      return { label: words, colour, caseName, metric, cell, isBaseline, pair };
    }),
  }));
  const merged = { ...groups[0], rows: groups.flatMap((one) => one.rows), heading: 'Both sides' };
  return (isMixed ? [{ unit: '', ...merged }] : groups)
    .filter((group) => group.rows.length > 0)
    .map((group) => ({
      ...group,
      targetId: '',
      rows: [...group.rows.filter(isBase), ...group.rows.filter((row) => !isBase(row))],
    }));
}

function isBase({ isBaseline }: Pick<VersionRow, 'isBaseline'>): boolean {
  return isBaseline;
}

function groupByBrowser(rows: Findings['rows'], findings: Findings): readonly BrowserGroup[] {
  const pairs = new Map(
    placedPairs(findings).map((one) => [
      makeKey(one.row.caseName, one.row.metric, one.a.targetId),
      one,
    ]),
  );
  return findings.targets.flatMap(({ id: targetId }) => {
    const ours = rows.flatMap(({ caseName, label, metric, parameters, cells }) => {
      const cell = cells.filter(isMeasured).find((one) => one.targetId === targetId);
      const pair = pairs.get(makeKey(caseName, metric, targetId));
      const isBaseline = parameters['version'] === findings.verdicts.baselineVersion;
      // The table has the page.
      const name = parameters['page'] === undefined ? label : String(parameters['version']);
      return cell === undefined ? [] : [{ label: name, caseName, metric, cell, isBaseline, pair }];
    });
    return ours.length === 0 ? [] : [{ targetId, unit: rows[0]?.unit ?? '', rows: ours }];
  });
}

function makeKey(caseName: string, metric: string, targetId: string): string {
  return `${caseName}\n${metric}\n${targetId}`;
}

interface Context {
  readonly findings: Findings;
  readonly legend: Legend;
  readonly linkTrial: LinkTrial | undefined;
}

function duelTable(title: string, groups: readonly BrowserGroup[], context: Context): Html {
  const { margin, baselineVersion } = context.findings.verdicts;
  const axes = makeAxes(groups.map(({ rows }) => rows.flatMap(({ cell }) => drawnValues(cell))));
  const ratioAxis = makeRatioAxis(
    groups.flatMap(({ rows }) => rows.flatMap(({ pair }) => drawnRatios(pair))),
    margin,
  );
  return html`<table class="duel">
    <caption>
      <b>${title}</b
      >: dots are trials, line and band the typical value and its interval. Then each block’s ratio
      to
      <bdi>${baselineVersion ?? baselineName(context.findings.verdicts, context.legend)}</bdi
      >; stripe:
      ±${gap}${formatLevel(margin)}.${context.findings.verdicts.looks !== undefined && ' Its band is the interval after each block.'}
    </caption>
    <thead>
      <tr>
        <th scope="col">${baselineVersion === undefined ? 'Browser' : 'Version'}</th>
        <th scope="col">Typical value</th>
        <th scope="col">Trials</th>
        <th scope="col">Ratio of each block</th>
        <th scope="col">Difference</th>
      </tr>
    </thead>
    ${groups.map((group, i) => {
      const axis = axes[i];
      return axis === undefined ? '' : groupBody(group, { ...context, axis, ratioAxis });
    })}
  </table>`;
}

function drawnValues({ values, low, high }: MeasuredCell): readonly number[] {
  return [...values, low, high].filter((value) => Number.isFinite(value));
}

function drawnRatios(placed: PlacedPair | undefined): readonly number[] {
  if (placed === undefined) return [];
  const { ratio, low, high, blockRatios = [] } = placed.pair;
  return [ratio, ...blockRatios, ...(low === null || high === null ? [] : [low, high])];
}

interface GroupContext extends Context {
  readonly axis: DuelAxis;
  readonly ratioAxis: DuelAxis;
}

function groupBody(group: BrowserGroup, context: GroupContext): Html {
  const { legend, findings, axis, ratioAxis } = context;
  const target = findings.targets.find(({ id }) => id === group.targetId);
  const { colour } = legend(group.targetId);
  return html`<tbody class="t${colour}">
    <tr class="browser">
      <th scope="rowgroup" colspan="5">
        ${
          group.heading === undefined
            ? html`${colouredName(legend(group.targetId))}${target !== undefined && renderVersion(target)}${drawnBySoftware(group.rows) && html`<span class="soft">, ${softwareWords}</span>`}`
            : html`<bdi>${group.heading}</bdi>`
        }
      </th>
    </tr>
    ${group.rows.map((row) => versionRow(row, group, context))}
    ${explainedRows(group.rows, group.targetId, findings)}${cpuRow(group, findings)}
    <tr class="axis">
      <td colspan="2"></td>
      <td>
        ${drawAxis(axis, { of: 'values', text: (tick) => formatTick(tick, { unit: group.unit, resolution: 0 }) })}
      </td>
      <td>
        ${group.rows.some(({ pair }) => pair !== undefined) && drawAxis(ratioAxis, { of: 'ratios', text: formatRatioTick })}
      </td>
      <td></td>
    </tr>
  </tbody>`;
}

function versionRow(
  { label, colour, caseName, metric, cell, isBaseline, pair }: VersionRow,
  { unit, heading }: BrowserGroup,
  { axis, ratioAxis, findings, linkTrial }: GroupContext,
): Html {
  const measure = { unit, resolution: cell.resolution };
  const drawn = drawValues(
    { ...cell, excluded: cell.quarantined ?? [] },
    axis,
    (value, i) =>
      `${i < 0 ? 'a trial' : `trial ${String(i + 1)} of ${String(cell.values.length)}`}: ${formatQuantity(value, measure)}`,
    (value) => linkTrial?.({ caseName, targetId: cell.targetId, metric, value }),
  );
  const name = html`<bdi>${label}</bdi>`;
  const place = findings.rows.findIndex((row) => row.caseName === caseName);
  return html`<tr${colour !== undefined && html` class="t${colour}"`}>
    <th scope="row">
      ${linkTrial === undefined && place >= 0 ? html`<a href="#${rowAnchor(place)}">${name}</a>` : name}${heading !== undefined && drawnBySoftware([{ cell }]) && html`<small class="soft">${softwareWords}</small>`}
    </th>
    <td class="n">${describeShortLevel(cell, unit)}</td>
    <td title="${formatInterval({ ...cell, y: cell.centre }, measure)}">${drawn}</td>
    ${
      pair === undefined
        ? html`<td></td>
            <td class="soft">${isBaseline ? 'baseline' : 'not compared yet'}</td>`
        : ratioCells(pair, ratioAxis, findings)
    }
  </tr>`;
}

const softwareWords = 'drawn by software';

/** True of values about frames that no GPU drew: the versions in a browser share it. */
function drawnBySoftware(rows: readonly Pick<VersionRow, 'cell'>[]): boolean {
  return rows.some(({ cell }) => cell.drawnBy === 'software');
}

function ratioCells(placed: PlacedPair, axis: DuelAxis, { verdicts }: Findings): Html {
  const { pair } = placed;
  const word = findVerdict(pair);
  const { blockRatios = [] } = pair;
  const looks = verdicts.looks?.[verdicts.pairs.indexOf(pair)];
  const drawn = drawRatios({ ...pair, blocks: blockRatios, looks }, axis, {
    margin: verdicts.margin,
    words: (ratio, i) => `block ${String(i + 1)}: ${formatRatioTick(Number(ratio.toPrecision(4)))}`,
  });
  const notes = listNotes(placed, verdicts);
  const { ratio, interval } = describeRatio(placed);
  return html`<td title="${ratio}${interval !== null && ` (${interval})`}">${drawn}</td>
    <td>
      <b class="${word}">${verdictSign(word)} ${unbroken(outcomeSoFar(pair))}</b>
      <small class="soft">${notes.join('; ')}</small>
    </td>`;
}

/** CPU time by the role of the thread, a bar a version: the same length is the same time. */
function cpuRow({ targetId, rows }: BrowserGroup, { cpu }: Findings): Html | false {
  const bars = rows.flatMap(({ label, caseName }) => {
    const facts = cpu.find((one) => one.caseName === caseName && one.targetId === targetId);
    return facts !== undefined && 'roles' in facts.threads
      ? [{ label, roles: facts.threads.roles }]
      : [];
  });
  if (bars.length < 2) return false;
  const sums = bars.map(({ roles }) => roles.reduce((sum, { cpuMs }) => sum + cpuMs, 0));
  const most = Math.max(...sums);
  if (!(most > 0)) return false;
  const words = sums
    .map((sum) => formatQuantity(sum, { unit: 'ms', resolution: most / 1000 }))
    .join(' → ');
  const thick = 9;
  const height = bars.length * (thick + 3);
  return html`<tr class="cpu">
    <th scope="row"><span class="soft">CPU time by thread</span></th>
    <td></td>
    <td>
      <svg class="duel-strip" height="${height}" aria-hidden="true">
        ${bars.map(({ label, roles }, i) => drawRoleStack(roles, { most, y: i * (thick + 3), thick, label }))}
      </svg>
    </td>
    <td colspan="2" class="soft">${words}, median trial</td>
  </tr>`;
}
