import { z } from 'zod';
import type { ExplainedPart, Explanation } from '../../../pages/protocol.d.ts';
import { text } from './bounded-value.ts';
import { measuresOfPages } from './measures.ts';
import type {
  DeclaredContent,
  DeclaredProbe,
  DeclaredReading,
  DeclaredValue,
  Reading,
} from './reading.ts';

/**
 * How a browser explains the values of a trial. A page sends it as a part of its result; it is
 * stored as a reading, so that store, bundles, exports and API take it as it is.
 */

export type { ExplainedPart, Explanation };

/** The name of its reading. No probe has it: the page asks the browser. */
export const explanationProbe = 'browser-explanation' as DeclaredProbe;

interface NamedPart {
  readonly name: ExplainedPart;
  readonly title: string;
}

/** In their order, with their names for a reader (web-vitals 6, attribution). */
export const explainedParts: readonly NamedPart[] = [
  { name: 'firstByte', title: 'time to first byte' },
  { name: 'loadDelay', title: 'resource load delay' },
  { name: 'loadDuration', title: 'resource load duration' },
  { name: 'renderDelay', title: 'element render delay' },
  { name: 'inputDelay', title: 'input delay' },
  { name: 'processing', title: 'processing' },
  { name: 'presentation', title: 'presentation delay' },
];

const mostScripts = 3;

const ms = z.number().min(0).max(1e9);
const name = text(120);

/** A script of a long frame, as a page gives it, or a source map. */
export const scriptOfFrame: z.ZodType<PageScript> = z.strictObject({
  ms,
  layoutMs: ms,
  name,
  source: name,
  line: z.int().min(1).max(1e8).optional(),
  column: z.int().min(1).max(1e8).optional(),
  url: text(1000).optional(),
  invoker: name,
});

const explanation: z.ZodType<Explanation> = z.strictObject({
  metric: z.enum(['lcp', 'inp', 'load', 'tbt']),
  parts: z.partialRecord(z.enum(explainedParts.map((part) => part.name)), ms).optional(),
  element: name.optional(),
  resource: name.optional(),
  event: name.optional(),
  lacks: name.optional(),
  frame: z
    .strictObject({
      ms,
      blockedMs: ms,
      frames: z.int().min(1).max(1e6),
      scripts: z.array(scriptOfFrame).max(mostScripts),
    })
    .optional(),
  lacksFrame: name.optional(),
});

/** Parses the explanations of a page. Hostile ones are left out: no trial fails for them. */
export const explanations: z.ZodType<readonly Explanation[] | undefined> = z
  .array(explanation)
  .max(4)
  .refine((all) => new Set(all.map(({ metric }) => metric)).size === all.length)
  .optional()
  .catch(undefined);

/** Gives scripts of long frames the names and places that their author knows, by their source maps. */
export type LocateScripts = (
  told: readonly Explanation[],
  bounds: {
    /** True for an address at the page's own server on this machine, whose answers may be read. */
    readonly servesPage: (url: string) => boolean;
    readonly signal: AbortSignal;
  },
) => Promise<readonly Explanation[]>;

/** Makes the reading of a trial; null without an explanation. */
export function toExplanationReading(
  all: readonly Explanation[] | undefined,
): DeclaredReading | null {
  if (all === undefined || all.length === 0) return null;
  return {
    probe: explanationProbe,
    values: Object.assign({}, ...all.map(toValues)) as DeclaredReading['values'],
    // It is asked for when the window is over.
    costMs: 0,
  };
}

function toValues(one: Explanation): Readonly<Record<string, DeclaredValue>> {
  const { metric, parts = {}, frame } = one;
  const measure = measuresOfPages[metric]?.title ?? metric;
  const values: Record<string, DeclaredValue> = {};
  const add = (key: string, title: string, value: DeclaredContent | undefined): void => {
    if (value === undefined) return;
    const unit = typeof value === 'string' || key === 'Frames' ? null : 'ms';
    values[`${metric}${key}`] = { title: `${measure}: ${title}`, unit, value };
  };
  for (const part of explainedParts) add(keyOf(part), part.title, parts[part.name]);
  for (const { key, title, field } of texts) add(key, title, one[field]);
  if (frame === undefined) return values;
  add('Frame', 'longest animation frame', frame.ms);
  add('FrameBlocked', 'input blocked by it', frame.blockedMs);
  add('Frames', 'long animation frames', frame.frames);
  frame.scripts.forEach((each, index) => {
    const place = String(index + 1);
    const script = `script ${place} of it`;
    add(`Script${place}`, script, nameScript(each));
    if (each.invoker !== '') add(`Invoker${place}`, `${script} was called by`, each.invoker);
    add(`Time${place}`, `time of ${script}`, each.ms);
    add(`Layout${place}`, `style and layout forced by ${script}`, each.layoutMs);
  });
  return values;
}

const texts = [
  { key: 'Element', title: 'element', field: 'element' },
  { key: 'Resource', title: 'resource', field: 'resource' },
  { key: 'Event', title: 'input', field: 'event' },
  { key: 'Lacks', title: 'not given', field: 'lacks' },
  { key: 'LacksFrame', title: 'no frames', field: 'lacksFrame' },
] as const;

function keyOf({ name: [first = '', ...others] }: NamedPart): string {
  return first.toUpperCase() + others.join('');
}

type PageScript = NonNullable<Explanation['frame']>['scripts'][number];

/** Such as `update (app.js:120)`. */
function nameScript({ name: called, ...at }: PageScript): string {
  const place = formatScriptPlace(at);
  if (called !== '') return place === '' ? called : `${called} (${place})`;
  return place === '' ? 'a script without a name' : place;
}

/** Longer lines are minified: a place on one needs its column. */
const longestLine = 500;

/** Such as `table.js:120`, of minified code `app.js:1:30412`; empty without a file. */
export function formatScriptPlace({
  source,
  line,
  column = 0,
}: Pick<PageScript, 'source' | 'line' | 'column'>): string {
  const file = source.slice(source.lastIndexOf('/') + 1) || source;
  if (file === '' || line === undefined) return file;
  return [file, line, ...(column > longestLine ? [column] : [])].join(':');
}

/** A script of a long frame, by its name and place. */
export interface FrameScript {
  readonly name: string;
  readonly invoker: string | null;
  readonly ms: number;
  /** Style and layout that it forced. */
  readonly layoutMs: number;
}

/** The longest animation frame of a measure in one trial. */
export interface LongFrame {
  readonly ms: number;
  readonly blockedMs: number;
  readonly scripts: readonly FrameScript[];
}

/** An explanation as it was stored. */
export interface StoredExplanation {
  /** By their names, those that the browser gave. */
  readonly parts: ReadonlyMap<ExplainedPart, number>;
  readonly element: string | null;
  readonly resource: string | null;
  readonly event: string | null;
  readonly lacks: string | null;
  readonly frame: LongFrame | null;
  readonly lacksFrame: string | null;
}

/** Reads how the browser explains a metric of a trial; null where the trial does not say. */
export function readExplanation(
  readings: readonly Reading[],
  metric: string,
): StoredExplanation | null {
  const reading = readings.find(({ probe }) => probe === explanationProbe);
  if (reading === undefined || !('values' in reading)) return null;
  const { values } = reading;
  const contentOf = (key: string): unknown =>
    Object.hasOwn(values, `${metric}${key}`) ? values[`${metric}${key}`]?.value : undefined;
  const textOf = (key: string): string | null => asText(contentOf(key));
  const parts = explainedParts.flatMap((part) => {
    const value = asNumber(contentOf(keyOf(part)));
    return value === null ? [] : [[part.name, value] as const];
  });
  const frame = readFrame(contentOf);
  const found = {
    parts: new Map(parts),
    element: textOf('Element'),
    resource: textOf('Resource'),
    event: textOf('Event'),
    lacks: textOf('Lacks'),
    frame,
    lacksFrame: textOf('LacksFrame'),
  };
  const isEmpty = parts.length === 0 && frame === null;
  return isEmpty && found.lacks === null && found.lacksFrame === null ? null : found;
}

function readFrame(contentOf: (key: string) => unknown): LongFrame | null {
  const frameMs = asNumber(contentOf('Frame'));
  if (frameMs === null) return null;
  const scripts = Array.from({ length: mostScripts }, (_, index) => String(index + 1)).flatMap(
    (place): FrameScript[] => {
      const called = asText(contentOf(`Script${place}`));
      const ran = asNumber(contentOf(`Time${place}`));
      if (called === null || ran === null) return [];
      const layoutMs = asNumber(contentOf(`Layout${place}`)) ?? 0;
      return [{ name: called, invoker: asText(contentOf(`Invoker${place}`)), ms: ran, layoutMs }];
    },
  );
  return { ms: frameMs, blockedMs: asNumber(contentOf('FrameBlocked')) ?? 0, scripts };
}

function asNumber(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
