import type { Presence } from '../../model/device.ts';
import type { CellCounts, DeviceCells } from '../../model/run.ts';
import type { Store } from '../../store/store.ts';

/** How many cells of a run ended how. */
export interface RunOutcomes {
  readonly cells: CellCounts;
  /** The same for each device, in the order of the plan. */
  readonly devices: readonly DeviceCells[];
}

const none = { planned: 0, completed: 0, failed: 0, timedOut: 0, skipped: 0 };

/** Counts the outcomes of a stored run, in all and on each of its devices. */
export async function countOutcomes(
  store: Store,
  run: number,
  presences: readonly Presence[],
): Promise<RunOutcomes> {
  const cells = await store.counts(run);
  const counts = await store.deviceCounts(run);
  const devices = presences.map((presence) => ({
    deviceId: presence.device.id,
    driver: presence.device.driver,
    browser: browserOf(presence),
    cells: counts.get(presence.device.id) ?? none,
  }));
  return { cells, devices };
}

function browserOf(presence: Presence): string | null {
  if (presence.status === 'missing') return null;
  const { name, version } = presence.target.browser;
  return `${name} ${version}`;
}
