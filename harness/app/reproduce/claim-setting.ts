import { cpus } from 'node:os';
import { loadDriver } from '../../../drivers/index.ts';
import { claimMeasurement, type CaseMaker } from '../../analysis/claims/claim.ts';
import type { planClaim } from '../../analysis/claims/plan-claim.ts';
import { FarmError } from '../../errors.ts';
import { hosts } from '../../model/device.ts';
import { findBenchmark, loadCatalog, type Catalog } from '../../plan/catalog/catalog.ts';
import { expandCases, type Choices } from '../../plan/catalog/expansion.ts';
import { loadInventory, selectDevices } from '../../plan/inventory/inventory.ts';
import { createCpuThreadProbe } from '../../probes/cpu-thread.ts';
import { allowedCores, whyNoPinning } from '../../session/pinning.ts';
import { findDevices } from '../../setup/presence.ts';
import type { MeasuringCaller } from '../caller.ts';

export type ClaimSetting = Parameters<typeof planClaim>[1];

export interface SettingOptions {
  /** The devices file. */
  readonly inventory: string;
  /** The folder of benchmark pages. */
  readonly pages: string;
  /** Only these devices; all automatic ones when there is none. */
  readonly device: readonly string[];
  /** Parameters that a claim leaves free. */
  readonly param: Choices;
}

/** Finds the devices, the catalog and the abilities of the machine, as far as claims need them. */
export async function findClaimSetting(
  { inventory, device, pages, param }: SettingOptions,
  { loadDriver: load = loadDriver }: Pick<MeasuringCaller, 'loadDriver'> = {},
): Promise<ClaimSetting> {
  const catalog = await loadCatalog(pages);
  const presences = await findDevices(
    selectDevices(await loadInventory(inventory), device, hosts),
    load,
  );
  return {
    presences,
    cores: allowedCores().length || cpus().length,
    cannotPin: whyNoPinning(),
    cannotSeeThreads: whyNoThreads(),
    platform: process.platform,
    makeCase: makeCaseMaker(catalog, param),
    measurement: claimMeasurement,
  };
}

function whyNoThreads(): string | null {
  const support = createCpuThreadProbe().supports();
  return support.supported ? null : support.because;
}

/**
 * Makes cases for a claim: of its own parameters, and of what the user chose for those that it leaves
 * free. The maker throws FarmError `bad-argument` for a parameter that the claim fixes, that does not
 * exist, or that is out of range.
 */
export function makeCaseMaker(catalog: Catalog, chosen: Choices): CaseMaker {
  return (benchmark, parameters) => {
    for (const name of Object.keys(chosen)) {
      if (!(name in parameters)) continue;
      throw new FarmError('bad-argument', {
        what: `The claim fixes ${name}; --param cannot change it.`,
        next: `To measure another ${name}: farm compare or farm run --bench ${benchmark}.`,
      });
    }
    const cases = expandCases(findBenchmark(catalog, benchmark), { ...chosen, ...parameters });
    const [one] = cases;
    if (one !== undefined && cases.length === 1) return one;
    throw new FarmError('bad-argument', {
      what: `A claim takes one value of each parameter, and --param gives ${String(cases.length)} cases.`,
      next: 'Give each parameter one value.',
    });
  };
}
