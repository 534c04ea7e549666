import type { Presence } from '../../model/device.ts';
import type { DeviceCells } from '../../model/run.ts';
import type { Store } from '../../store/store.ts';

const none = { planned: 0, completed: 0, failed: 0, timedOut: 0, skipped: 0 };

/** How a stored run ended on each of its devices. */
export async function deviceCellsOf(
  store: Pick<Store, 'deviceCounts'>,
  run: number,
  presences: readonly Presence[],
): Promise<readonly DeviceCells[]> {
  const counts = await store.deviceCounts(run);
  return presences.map((presence) => ({
    deviceId: presence.device.id,
    driver: presence.device.driver,
    browser: browserOf(presence),
    cells: counts.get(presence.device.id) ?? none,
  }));
}

function browserOf(presence: Presence): string | null {
  if (presence.status === 'missing') return null;
  const { name, version } = presence.target.browser;
  return `${name} ${version}`;
}
