import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { driverNames, loadDriver } from '../../../drivers/index.ts';
import { causes } from '../../core/analysis/causes.ts';
import type { Device, FoundDevice } from '../../core/model/device.ts';
import { listArms } from '../../core/model/question.ts';
import { loadCatalog } from '../../core/plan/catalog/catalog.ts';
import { loadTrustedInventory } from '../../core/app/trust.ts';
import { findDevices } from '../../core/setup/presence.ts';
import type { Bundle, PageFile } from '../bundles/bundle/format.ts';
import { collectPages, differencesOfPages } from '../bundles/bundle/pages.ts';
import { mergedBuilds, type Settings, standInFor } from '../bundles/bundle/stand-ins.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';

/** Why a bundle cannot be replayed here, and what would help. */
export interface Obstacle {
  readonly because: string;
  readonly remedy: string;
}

/** Finds local devices in place of those of the bundle, or the reason why one is missing. */
export async function findStandIns(
  bundle: Bundle,
  { inventory, trust }: { readonly inventory: string; readonly trust: boolean },
  { loadDriver: load = loadDriver }: Pick<MeasuringCaller, 'loadDriver'>,
): Promise<readonly FoundDevice[] | Obstacle> {
  const needed = new Set(listArms(bundle.question).map(({ deviceId }) => deviceId));
  const targets = bundle.targets.filter(({ device }) => needed.has(device.id));
  const products = new Set(targets.map(({ device }) => device.browser));
  const own = (await loadTrustedInventory(inventory)).filter(({ browser }) =>
    products.has(browser),
  );
  const presences = await findDevices(own, load);
  const here = { presences, logicalCores: cpus().length, knownSettings: knownSettings(), trust };
  const devices: Device[] = [];
  for (const target of targets) {
    const standIn = standInFor(target, here);
    if (standIn.kind === 'none') return standIn;
    const { device } = standIn;
    if (!driverNames.includes(device.driver)) return unknownDriver(device);
    devices.push(device);
  }
  const found = await findDevices(devices, load);
  const missing = found.find((one) => one.status === 'missing');
  if (missing?.status === 'missing') {
    const { device, reason, remedy } = missing;
    return { because: `${device.id}: ${reason}`, remedy };
  }
  const all = found.filter((one): one is FoundDevice => one.status === 'found');
  const merged = mergedBuilds(targets, all);
  if (merged === null) return all;
  return { because: merged, remedy: 'Give each build an entry with "executable" in devices.json.' };
}

function knownSettings(): readonly Settings[] {
  return causes.flatMap(({ changes }) => Object.values(changes));
}

function unknownDriver({ id, driver }: Device): Obstacle {
  return {
    because: `${id} was moved by the driver "${driver}", which this farm does not have`,
    remedy: `It has ${driverNames.join(', ')}.`,
  };
}

/** Lists the differences of the bundle's pages from those of a folder; a benchmark that is not there at all is one. */
export async function comparePages(bundle: Bundle, pages: string): Promise<readonly string[]> {
  const { benchmarks } = await loadCatalog(pages);
  const known = benchmarks.filter(({ guest }) => guest === undefined).map(({ id }) => id);
  const wanted = [
    ...new Set(listArms(bundle.question).map((lane) => lane.case.benchmark.id)),
  ].sort();
  const absent = wanted.filter((id) => !known.includes(id));
  if (absent.length > 0) return absent.map((id) => `there is no benchmark ${id} here`);
  return differencesOfPages(bundle.pages, await collectPages(pages, wanted));
}

/** Lends a folder with the bundle's pages, and removes it, however the work ends. */
export async function withPagesOf<T>(
  files: readonly PageFile[],
  work: (pages: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'crossfarm-bundle-'));
  try {
    for (const { path, bytes } of files) {
      const place = join(folder, path);
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, bytes, { flag: 'wx' });
    }
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
