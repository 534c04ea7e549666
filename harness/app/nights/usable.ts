import type { NightDevice, NightDocument } from './night-document.ts';

/** What a night did not get that it was held for. */
interface Unusable {
  /** The device, or null for the night as a whole. */
  readonly device: string | null;
  readonly text: string;
}

/**
 * Where a night has measured nothing that may be used, although every cell has an outcome: devices
 * of which no trial counts, and the night itself when fewer than half of what was tried counts.
 * What was never tried, such as a page that a driver cannot read, is not held against anybody. Pure.
 */
export function unusableParts({ devices }: Pick<NightDocument, 'devices'>): readonly Unusable[] {
  const tried = sumOf(devices, (one) => one.tried);
  const counting = sumOf(devices, (one) => one.counting);
  const half = { device: null, text: `only ${String(counting)} of ${String(tried)} cells count` };
  return [
    ...devices
      .filter((one) => one.state === 'found' && one.tried > 0 && one.counting === 0)
      .map(({ id, tried: cells }) => ({
        device: id,
        text: `no trial of ${id} counts, of ${String(cells)} cells`,
      })),
    ...(counting * 2 < tried ? [half] : []),
  ];
}

function sumOf(devices: readonly NightDevice[], count: (one: NightDevice) => number): number {
  return devices.reduce((sum, one) => sum + count(one), 0);
}
