import { stripVTControlCharacters } from 'node:util';
import pc from 'picocolors';
import { formatMsChange } from '../../../reports/wording/change.ts';
import { codeSpan, escapedMarkdown } from '../../core/cli/text/markdown.ts';
import { plain } from '../../core/run/progress/plain-text.ts';
import { formatScriptPlace } from '../../core/model/explanation.ts';
import type { BlameFacts } from '../../core/results/index.ts';
import type { BlameResult } from './measure-blame.ts';
import type { SideBlame } from './read-blame.ts';
import { type BlameRow, othersKey } from './statistics/blame.ts';
import type { FunctionPlace } from './statistics/match-functions.ts';

/** Rows that are shown; more are counted. */
const mostRows = 8;

/** The functions that made the difference, for a terminal. */
export function describeBlame({ found, notProfiled, profiledRuns }: BlameResult): string {
  const parts = found.map((one) => {
    const settled = one.rows.filter(({ isSettled }) => isSettled);
    const rows = settled.slice(0, mostRows).map((row) => `  ${describeRow(row, one, plain)}`);
    return [
      pc.bold(plain(describeSides(one))),
      `  ${describeTotal(one)}`,
      ...rows,
      `  ${describeRest(settled.length)}`,
      ...describeMisfit(one).map((sentence) => pc.yellow(`  ${sentence}`)),
    ].join('\n');
  });
  const runs =
    profiledRuns.length === 0
      ? []
      : [pc.dim(`profiles: run ${profiledRuns.map(String).join(', ')}`)];
  return [...parts, ...notProfiled.map((one) => pc.yellow(plain(one))), ...runs].join('\n');
}

/** At most three lines for each version, to stand below a verdict. */
export function blameMarkdown({ found }: BlameResult): string {
  return found
    .map((one) => {
      const settled = one.rows.filter(({ isSettled }) => isSettled);
      const [first] = settled;
      const where = escapedMarkdown(`${namePage(one)}${one.after}${nameBrowser(one)}`);
      if (first === undefined)
        return `${where}: no function is settled after ${String(one.blocks)} blocks.`;
      const shown = settled.slice(0, 2).map((row) => describeRow(row, one, codeSpan));
      return [`${where}:`, ...shown.map((line) => `- ${line}`)].join('\n');
    })
    .join('\n');
}

function describeSides(one: SideBlame): string {
  return `${namePage(one)}${one.after} against ${one.before}${nameBrowser(one)}`;
}

function nameBrowser({ browser }: SideBlame): string {
  return browser === null ? '' : ` in ${browser}`;
}

function namePage({ page }: SideBlame): string {
  return page === null ? '' : `${page}: `;
}

function describeTotal({ total, blocks }: SideBlame): string {
  const change = total.isDecided ? formatMsChange(total) : 'not decided';
  return `whole operation: ${change}, ${String(blocks)} profiled blocks`;
}

/** A difference of a smaller part than this of the one that was decided is another one. */
const leastPart = 1 / 3;

/** Says that the profiled versions do not differ as those of the verdict did. */
function describeMisfit({ expectedMs, total }: SideBlame): readonly string[] {
  const { low, high } = total;
  if (expectedMs === null || low === null || high === null) return [];
  const ends = [low / expectedMs, high / expectedMs];
  if (Math.max(...ends) >= leastPart) return [];
  const change = formatMsChange({ changeMs: expectedMs, low: null, high: null });
  return [`the verdict was about ${change}: has something changed since?`];
}

function describeRest(settled: number): string {
  if (settled === 0) return 'no function is settled';
  return settled > mostRows
    ? `${String(settled - mostRows)} more are settled`
    : 'nothing else is settled';
}

/** Such as `parseRow (table.js:120): +8.1 ms (6.9 … 9.4), 74 % of the difference`. */
function describeRow(
  row: BlameRow,
  { places, shortFunctions }: SideBlame,
  quote: (text: string) => string,
): string {
  return `${quote(nameRow(row, places, shortFunctions))}: ${formatMsChange(row)}${formatShareOfDifference(row)}`;
}

export function formatShareOfDifference({ share }: Pick<BlameRow, 'share'>): string {
  if (share === null) return '';
  const percent = Math.round(100 * share);
  return `, ${percent === 0 ? 'below 1' : String(percent)} % of the difference`;
}

/** Lists what is settled, with names as they are shown. */
function listSettled({
  rows,
  places,
  shortFunctions,
}: SideBlame): readonly { readonly name: string; readonly row: BlameRow }[] {
  return rows
    .filter(({ isSettled }) => isSettled)
    .map((row) => ({ name: nameRow(row, places, shortFunctions), row }));
}

function nameRow({ key }: BlameRow, places: SideBlame['places'], shortFunctions: number): string {
  if (key === othersKey) return `${String(shortFunctions)} short functions together`;
  const place = places.get(key);
  if (place === undefined) return key;
  const { category } = place;
  if (category !== 'script') return kinds[category] ?? category;
  return `${nameFunction(place)} (${formatScriptPlace({ ...place, source: place.url })})`;
}

function nameFunction({ name }: FunctionPlace): string {
  return name === '' ? 'anonymous' : name;
}

const kinds: Readonly<Record<string, string>> = {
  gc: 'garbage collection',
  compiler: 'compiling',
  layout: 'layout',
  style: 'style',
  paint: 'painting',
  native: 'the browser itself',
};

/** Says which function made most of a difference, or why that is not known: half a sentence. */
export function describeInShort({ found, notProfiled }: BlameResult): string {
  for (const one of found) {
    const [row] = one.rows;
    if (row?.isSettled !== true) continue;
    const name = plain(nameRow(row, one.places, one.shortFunctions)).slice(0, mostName);
    return `it is in ${name}, ${formatMsChange(row)}`;
  }
  const [why] = notProfiled;
  if (why !== undefined) return `its function is not known: ${plain(why)}`;
  const blocks = found.reduce((sum, one) => sum + one.blocks, 0);
  return `its function is not known: none is settled after ${String(blocks)} profiled blocks`;
}

/** Characters of a name in a sentence. */
const mostName = 200;

/** Picks what the report of the comparison shows. */
export function makeBlameFacts(result: BlameResult): BlameFacts {
  const { run, command, profiledRuns, alpha, notProfiled, found } = result;
  return {
    run,
    command,
    profiledRuns,
    alpha,
    notProfiled,
    comparisons: found.map((one) => ({
      browser: one.browser,
      page: one.page,
      version: one.after,
      against: one.before,
      blocks: one.blocks,
      total: one.total,
      rows: listSettled(one).map(({ name, row: { changeMs, low, high, share } }) => ({
        name,
        changeMs,
        low,
        high,
        share,
      })),
    })),
  };
}

/** The shape of `crossfarm blame --json`: a contract with other tools. */
export function blameJson(result: BlameResult): object {
  const { run, profiledRuns, found, notProfiled } = result;
  return {
    run,
    profiledRuns,
    notProfiled,
    functions: found.flatMap((one) => settledJson(one)),
    comparisons: found.map(({ browser, before, after, page, total, blocks, rows, ...one }) => ({
      ...(browser !== null && { browser }),
      ...(page !== null && { page }),
      version: after,
      against: before,
      blocks,
      total,
      functions: rows
        .filter((row, index) => row.isSettled || index < mostRows)
        .map((row) => {
          const place = one.places.get(row.key);
          return {
            name: nameRow(row, one.places, one.shortFunctions),
            url: place?.url ?? null,
            line: place?.line ?? null,
            settled: row.isSettled,
            changeMs: row.changeMs,
            low: row.low,
            high: row.high,
            share: row.share,
            beforeMs: row.beforeMs,
            afterMs: row.afterMs,
          };
        }),
    })),
    // For a command that shows the answer below its own.
    inShort: describeInShort(result),
    lines: stripVTControlCharacters(describeBlame(result)).split('\n'),
    markdown: blameMarkdown(result),
  };
}

/** The settled functions alone, in milliseconds of one operation. */
function settledJson(one: SideBlame): object[] {
  return listSettled(one).map(({ name, row: { key, changeMs, low, high, share } }) => {
    const place = one.places.get(key);
    const script = place?.category === 'script' ? place : null;
    return {
      name: script === null ? name : nameFunction(script),
      source: script?.url ?? null,
      line: script?.line ?? null,
      change: changeMs,
      low,
      high,
      share,
      ...(one.browser !== null && { browser: one.browser }),
      version: one.after,
    };
  });
}
