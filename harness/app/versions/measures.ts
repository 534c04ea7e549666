import type { GuestReader } from '../../../pages/protocol.d.ts';
import type { Metric } from '../../model/case.ts';

/** A number of a page: what it is called, and how it is read. */
export interface Measure {
  readonly metric: Metric;
  readonly reader: GuestReader;
}

/** Of globals and expressions: the unit, and which direction is better. */
export interface ValueUnit {
  readonly unit: string;
  readonly higher: boolean;
}

const ofThePage: Readonly<
  Record<string, Omit<Measure, 'metric'> & { readonly title: string; readonly unit?: string }>
> = {
  bench: { title: 'bench.start() to bench.stop()', reader: { by: 'bench' } },
  load: { title: 'load', reader: { by: 'load' } },
  fp: { title: 'first paint', reader: { by: 'paint', name: 'first-paint' } },
  fcp: { title: 'first contentful paint', reader: { by: 'paint', name: 'first-contentful-paint' } },
  lcp: {
    title: 'largest contentful paint',
    reader: { by: 'paint', name: 'largest-contentful-paint' },
  },
  cls: { title: 'layout shift', unit: 'score', reader: { by: 'layout-shift' } },
  tbt: { title: 'blocked by long tasks', reader: { by: 'long-tasks' } },
};

/** Not every browser gives these. */
const optional: ReadonlySet<string> = new Set(['fp', 'fcp', 'lcp', 'cls', 'tbt']);

/** Reads one `--measure`: a name, `measure:…`, `mark:…`, or an expression of the page. */
export function parseMeasure(text: string, { unit, higher }: ValueUnit): Measure {
  const named = ofThePage[text];
  if (named !== undefined) {
    const { title, reader, unit: own = 'ms' } = named;
    const metric = { id: text, title, unit: own, direction: 'lower' } as const;
    return { reader, metric: optional.has(text) ? { ...metric, optional: true } : metric };
  }
  const [, by, name = ''] = /^(measure|mark):(.+)$/.exec(text) ?? [];
  if (by === 'measure' || by === 'mark') {
    return { reader: { by, name }, metric: { ...titled(name), unit: 'ms', direction: 'lower' } };
  }
  const direction = higher ? 'higher' : 'lower';
  return {
    reader: { by: 'expression', expression: text },
    metric: { ...titled(text), unit, direction },
  };
}

/** One entry of a record of numbers, such as a subtest. */
export function entryOf({ metric, reader }: Measure, key: string): Measure {
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

/** Gives measures whose ids are the same a number. */
export function withUniqueIds(measures: readonly Measure[]): readonly Measure[] {
  const seen = new Map<string, number>();
  return measures.map(({ metric, reader }) => {
    const times = (seen.get(metric.id) ?? 0) + 1;
    seen.set(metric.id, times);
    return {
      reader,
      metric: times === 1 ? metric : { ...metric, id: `${metric.id}-${String(times)}` },
    };
  });
}
