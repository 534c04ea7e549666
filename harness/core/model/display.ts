import { z } from 'zod';
import { text } from './bounded-value.ts';
import {
  declaredReading,
  type DeclaredProbe,
  type DeclaredReading,
  type Reading,
} from './reading.ts';

/** The reading that says how the browser of a trial draws. */
export const displayProbe = 'display' as DeclaredProbe;

/** Where a browser shows its pages. */
const windows = [
  'headless',
  'headless shell',
  'shown',
  'shown on a virtual display',
  'unknown',
] as const;
export type BrowserWindow = (typeof windows)[number];

const drawnBy = z.enum(['software', 'GPU', 'unknown']);
const rasteriser = text(100).nullable();
const window = z.enum(windows);
const scale = z.number().gt(0).max(100);
const size = text(30);

/** The facts that keep results apart: values of different ones are never pooled. */
const drawing = z.object({ drawnBy, rasteriser, window, scale });
export type Drawing = z.infer<typeof drawing>;

const display = drawing.extend({ viewport: size, screen: size });

/** How a browser draws, and on what. */
export type Display = z.infer<typeof display>;

const titles: Readonly<Record<keyof Display, string>> = {
  drawnBy: 'Drawn by',
  rasteriser: 'Rasteriser',
  window: 'Window',
  scale: 'Display scale',
  viewport: 'Viewport',
  screen: 'Screen',
};

/** Facts in the order in which the store keeps them in the summary of a run. */
export const drawingFields = ['drawnBy', 'rasteriser', 'window', 'scale'] as const;

/** Reads the drawing of a stored summary; null where no trial said how its browser drew. */
export function parseDrawing(stored: unknown): Drawing | null {
  if (!Array.isArray(stored)) return null;
  const named = Object.fromEntries(
    drawingFields.map((name, place) => [name, (stored as readonly unknown[])[place]]),
  );
  return drawing.safeParse(named).data ?? null;
}

/** Makes the reading of a trial. @throws ZodError for a value out of its bounds. */
export function makeDisplayReading(seen: Display): DeclaredReading {
  const entries = Object.entries(display.parse(seen)).map(([name, value]) => [
    name,
    { title: titles[name as keyof Display], unit: null, value },
  ]);
  const values: unknown = Object.fromEntries(entries);
  // It is asked for when the trial is over.
  return declaredReading.parse({ probe: displayProbe, values, costMs: 0 });
}

/** Finds how the browser of a trial drew; null where it did not say so. */
export function findDisplay(readings: readonly Reading[]): Display | null {
  const reading = readings.find(({ probe }) => probe === displayProbe);
  if (reading === undefined || !('values' in reading)) return null;
  const values = Object.entries(reading.values).map(([name, { value }]) => [name, value]);
  return display.safeParse(Object.fromEntries(values)).data ?? null;
}

/** Describes what drew: `software (SwiftShader)`; `unknown` without a drawing. */
export function describeRasteriser(seen: Pick<Drawing, 'drawnBy' | 'rasteriser'> | null): string {
  if (seen === null) return 'unknown';
  return seen.rasteriser === null ? seen.drawnBy : `${seen.drawnBy} (${seen.rasteriser})`;
}

/** Describes a display: `drawn by software (SwiftShader), headless, 1280 × 720 at scale 1`. */
export function describeDisplay(seen: Display): string {
  return `drawn by ${describeRasteriser(seen)}, ${seen.window}, ${seen.viewport} at scale ${String(seen.scale)}`;
}

const unlike = 'its display is not that of the trials before:';

/**
 * Returns the reason to exclude a trial whose browser drew in another way than those before it;
 * null where it did not.
 */
export function otherDisplayReason(before: Drawing, now: Drawing): string | null {
  const changes = [
    [describeRasteriser(before), describeRasteriser(now)],
    [before.window, now.window],
    [`scale ${String(before.scale)}`, `scale ${String(now.scale)}`],
  ].flatMap(([from = '', to = '']) => (from === to ? [] : [`${from} → ${to}`]));
  return changes.length === 0 ? null : `${unlike} ${changes.join(', ')}`;
}

/** True if a reason is one of `otherDisplayReason`. */
export function isOtherDisplay(reason: string): boolean {
  return reason.startsWith(unlike);
}

/** WebKit says it on every system, so that pages cannot tell its users from each other. */
export const webkitsMask = 'Apple GPU';

/** Rasterisers that run on the processor, by the names that browsers give them. */
const ofSoftware = [
  ...['SwiftShader', 'llvmpipe', 'softpipe', 'lavapipe', 'swrast', 'SWGL'],
  ...['Microsoft Basic Render Driver', 'WARP', 'Apple Software Renderer', 'Software'],
];

/**
 * Names a rasteriser without versions and addresses, which change with a driver: WebGL's renderer
 * `ANGLE (Intel, Mesa Intel(R) UHD Graphics 620 (KBL GT2), OpenGL 4.6)` is `Mesa Intel(R) UHD
 * Graphics 620 (KBL GT2)`. Chromium's form is that of ANGLE: vendor, device, interface.
 */
export function nameRasteriser(renderer: string): Pick<Drawing, 'drawnBy' | 'rasteriser'> {
  const software = ofSoftware.find((name) => new RegExp(`\\b${name}\\b`, 'i').test(renderer));
  if (software !== undefined) {
    return { drawnBy: 'software', rasteriser: software === 'Software' ? null : software };
  }
  const [, inner] = /^ANGLE \((.*)\)$/.exec(renderer) ?? [];
  const [vendor = '', device = vendor] = inner?.split(/, (?![^(]*\))/) ?? [renderer];
  const name = device
    .replace(/^ANGLE Metal Renderer: /, '')
    .replace(/ \(0x[\da-f]+\)| (Direct3D|OpenGL|Vulkan|D3D).*$|\/PCIe.*$|, or similar$/gi, '')
    .replace(/[^\u0020-\u007e]/g, '')
    .trim();
  return { drawnBy: 'GPU', rasteriser: name === '' ? null : name.slice(0, 100) };
}
