import { Script } from 'node:vm';
import type { NamedInput } from './conditions.ts';
import type { GuestReader } from '../../../../pages/protocol.d.ts';
import type { Metric } from '../../../core/model/case.ts';
import { errorText, FarmError } from '../../../core/errors.ts';
import {
  measureNames,
  measuresOfBrowsers,
  measuresOfPages,
  type WatchedValue,
} from '../../../core/model/measures.ts';

export const milliseconds = { unit: 'ms', higher: false };

/** A number of a page: what it is called, and how the page is read. */
export interface PageMeasure {
  readonly metric: Metric;
  readonly reader: GuestReader;
  /** The longest wait for it after the load, in milliseconds, where not every load gives it. */
  readonly withinMs?: number;
}

/** A number of the whole browser, which a probe reads. */
export interface WatchedMeasure {
  readonly metric: Metric;
  readonly watched: WatchedValue;
}

export type Measure = PageMeasure | WatchedMeasure;

/** Of globals and expressions: the unit, and which direction is better. */
export interface ValueUnit {
  readonly unit: string;
  readonly higher: boolean;
}

/** An expression may be called as what every object has: `toString`. */
function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/**
 * Refuses what no browser can read as an expression, before a page is opened or built.
 * @throws FarmError `bad-argument`
 */
export function requireExpression(text: string, option: string): void {
  try {
    new Script(`(${text})`);
  } catch (error) {
    throw new FarmError('bad-argument', {
      what: `${option} ${text} is not an expression of JavaScript: ${errorText(error)}.`,
      next:
        option === '--measure'
          ? `Give a name (${measureNames.join(', ')}, measure:NAME, mark:NAME), or an expression such as 'app.results.total'.`
          : "Give what a page's console would take, such as 'app.start()'.",
    });
  }
}

/**
 * Reads one `--measure`: a name, `measure:…`, `mark:…`, or an expression of the page.
 * @throws FarmError `bad-argument` for anything else
 */
export function parseMeasure(text: string, { unit, higher }: ValueUnit): Measure {
  const seen = ownValue(measuresOfBrowsers, text);
  if (seen !== undefined) {
    const { watched, title, unit: own } = seen;
    const metric = { id: text, title, unit: own, direction: 'lower', optional: true } as const;
    return { watched: watched as WatchedValue, metric };
  }
  return pageMeasure(text, { unit, higher });
}

/** `parseMeasure` of what the page itself is asked for. */
export function pageMeasure(text: string, { unit, higher }: ValueUnit): PageMeasure {
  const named = ownValue(measuresOfPages, text);
  if (named !== undefined) {
    const { title, reader, unit: own, everywhere } = named;
    const metric = { id: text, title, unit: own, direction: 'lower' } as const;
    return { reader, metric: everywhere ? metric : { ...metric, optional: true } };
  }
  const [, by, name = ''] = /^(measure|mark|step):(.+)$/s.exec(text) ?? [];
  if (by === 'measure' || by === 'mark' || by === 'step') {
    return { reader: { by, name }, metric: { ...titled(name), unit: 'ms', direction: 'lower' } };
  }
  requireExpression(text, '--measure');
  const direction = higher ? 'higher' : 'lower';
  return {
    reader: { by: 'expression', expression: text },
    metric: { ...titled(text), unit, direction },
  };
}

/** One entry of a record of numbers, such as a subtest. */
export function entryOf({ metric, reader }: PageMeasure, key: string): PageMeasure {
  if (reader.by !== 'expression') throw new TypeError(`${metric.title} is no record`);
  return { reader: { ...reader, key }, metric: { ...metric, ...titled(key) } };
}

function titled(name: string): Pick<Metric, 'id' | 'title'> {
  return { id: idOf(name), title: name };
}

/** Ids are letters, digits and hyphens. */
function idOf(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9]+/g, '-').replace(/^[^A-Za-z]+|-+$/g, '');
  return plain.slice(0, 50) || 'value';
}

/** A measure that a look found and that was not asked for: a load may lack it. */
export function found(measure: PageMeasure, lateMs: number): PageMeasure {
  const metric = { ...measure.metric, optional: true } as const;
  return { ...measure, metric, ...(lateMs > 0 && { withinMs: 2 * lateMs + 1000 }) };
}

/** A page that measures itself several times gives several values in each trial. */
export function repeated({ metric, reader }: PageMeasure, times: number): PageMeasure {
  if (times < 2 || (reader.by !== 'bench' && reader.by !== 'measure')) return { metric, reader };
  return { metric, reader: { ...reader, times } };
}

/** The key by which measures of two versions are the same, however often each gives it. */
export function keyOf(measure: Measure): string {
  return 'watched' in measure
    ? measure.watched
    : JSON.stringify({ ...measure.reader, times: undefined });
}

/** Each once; what versions measure differently often counts as often as in the one that does it least. */
export function distinctMeasures(measures: readonly Measure[]): readonly Measure[] {
  const byKey = new Map<string, Measure>();
  for (const one of measures) {
    const before = byKey.get(keyOf(one)) ?? one;
    const fewer = timesOf(one) < timesOf(before) ? one : before;
    const withinMs = Math.max(waitOf(one), waitOf(before));
    byKey.set(keyOf(one), withinMs === 0 ? fewer : { ...fewer, withinMs });
  }
  return [...byKey.values()];
}

function waitOf(measure: Measure): number {
  return 'reader' in measure ? (measure.withinMs ?? 0) : 0;
}

function timesOf(measure: Measure): number {
  return 'reader' in measure && 'times' in measure.reader ? (measure.reader.times ?? 1) : 1;
}

/** Gives measures whose names are the same longer ones, and those whose ids are the same a number. */
export function withUniqueNames(measures: readonly Measure[]): readonly Measure[] {
  const titles = measures.map(({ metric }) => metric.title);
  const ids = new Set<string>();
  return measures.map((measure) => {
    const { metric } = measure;
    const isShared = titles.filter((title) => title === metric.title).length > 1;
    const title = isShared ? longTitle(measure) : metric.title;
    const id = freeId(metric.id, ids);
    ids.add(id);
    return { ...measure, metric: { ...metric, id, title } };
  });
}

/** The argument that asks for it. */
function longTitle(measure: Measure): string {
  if ('watched' in measure) return measure.metric.title;
  const { reader, metric } = measure;
  if (reader.by === 'measure' || reader.by === 'mark' || reader.by === 'step') {
    return `${reader.by}:${reader.name}`;
  }
  const isEntry = reader.by === 'expression' && reader.key !== undefined;
  return isEntry ? `${reader.expression}: ${metric.title}` : metric.title;
}

function freeId(id: string, taken: ReadonlySet<string>): string {
  let free = id;
  for (let times = 2; taken.has(free); times++) free = `${id}-${String(times)}`;
  return free;
}

/**
 * Offers are named `bench`, `measure:…` and `mark:…`, and `<index>:<key>` of what the page was
 * asked for. A probe's reading needs nothing of the page.
 */
export function measuresIn(
  offers: Readonly<Record<string, number>>,
  asked: readonly Measure[],
): readonly Measure[] {
  const names = Object.keys(offers);
  if (asked.length === 0) {
    const own = names.filter((name) => /^(bench$|measure:|step:)/.test(name));
    return own.map((name) =>
      found(
        repeated(pageMeasure(name, milliseconds), offers[name] ?? 1),
        offers[`late:${name}`] ?? 0,
      ),
    );
  }
  const watched = asked.filter((one) => 'watched' in one);
  const ofThePage = asked.filter((one) => 'reader' in one);
  const given = ofThePage.flatMap((measure, index) => {
    const keys = names.flatMap((name) => {
      const [, number, key = ''] = /^(\d+):(.*)$/s.exec(name) ?? [];
      return number === String(index) ? [key] : [];
    });
    if (measure.reader.by !== 'expression') return [repeated(measure, timesIn(offers, measure))];
    return keys.map((key) => (key === '' ? measure : entryOf(measure, key)));
  });
  return [...given, ...watched];
}

function timesIn(offers: Readonly<Record<string, number>>, { reader }: PageMeasure): number {
  const name = reader.by === 'measure' ? `measure:${reader.name}` : reader.by;
  return offers[name] ?? 1;
}

/** The named steps of an input: each is timed from its event to the next paint. A look finds those that lead to another page. */
function stepMeasures({ steps }: NamedInput): readonly Measure[] {
  const names = steps.flatMap((step) => ('name' in step ? (step.name ?? []) : []));
  return [...new Set(names)].map((name) => ({
    reader: { by: 'step', name },
    metric: { ...titled(name), unit: 'ms', direction: 'lower', optional: true },
  }));
}

interface Common {
  readonly asked: readonly Measure[];
  readonly withLoad: boolean;
  readonly input?: NamedInput;
  /** True where every version has it. */
  readonly isShared: (measure: Measure) => boolean;
}

/** How a page loads is measured, too, where the versions have nothing in common. */
export function withDefaults(
  measures: readonly Measure[],
  { asked, withLoad, isShared, input }: Common,
): { readonly measures: readonly Measure[]; readonly byDefault: boolean } {
  const named = (...names: readonly string[]): readonly Measure[] =>
    names.map((name) => pageMeasure(name, milliseconds));
  const load = named('load', 'fcp', 'lcp');
  if (withLoad) return { measures: [...load, ...measures], byDefault: false };
  if (asked.length > 0) return { measures, byDefault: false };
  if (input !== undefined) {
    const steps = stepMeasures(input);
    const isTimed = [...steps, ...measures].some(
      (one) => 'reader' in one && one.reader.by === 'step',
    );
    const given = isTimed ? steps : named('inp');
    return { measures: [...given, ...measures], byDefault: false };
  }
  if (measures.some(isShared)) return { measures, byDefault: false };
  return {
    measures: [...measures, ...load],
    byDefault: measures.length === 0,
  };
}
