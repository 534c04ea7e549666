import type { ListedDevice, PlacedTarget } from '../../model/history.ts';
import type { Connection } from '../connection.ts';
import { placeColumns, toPlace, type PlaceRow } from './places.ts';

const places = `
FROM target
JOIN run ON run.id = target.run_id`;

/** Every target that was found for a run, the newest run's last. Inside a transaction. */
export async function selectTargets(connection: Connection): Promise<readonly PlacedTarget[]> {
  const rows = await connection.all<PlaceRow & { readonly target: number }>(
    `SELECT target.id AS target, ${placeColumns} ${places}
     WHERE target.status = 'found' ORDER BY target.id`,
  );
  return rows.map((row) => ({ target: row.target, ...toPlace(row) }));
}

interface DeviceRow extends PlaceRow {
  readonly status: 'found' | 'missing';
  readonly reason: string | null;
  readonly remedy: string | null;
  readonly headless: number;
  readonly flags: string;
}

/** Each device as the newest run that looked for it found it, by id. Inside a transaction. */
export async function selectDevices(connection: Connection): Promise<readonly ListedDevice[]> {
  const rows = await connection.all<DeviceRow>(
    `SELECT ${placeColumns}, target.status, target.reason, target.remedy, target.headless,
       target.flags
     ${places}
     WHERE target.id IN (SELECT max(id) FROM target GROUP BY device)
     ORDER BY target.device`,
  );
  return rows.map((row) => ({
    ...toPlace(row),
    status: row.status,
    reason: row.reason,
    remedy: row.remedy,
    headless: row.headless === 1,
    flags: JSON.parse(row.flags) as readonly string[],
  }));
}
