import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { loadDriver } from '../../../drivers/index.ts';
import type { EvidenceFindings } from '../../core/results/index.ts';
import { chooseClaims } from './catalogue/index.ts';
import { type CaseMaker, type Claim, claimMeasurement } from './judging/claim.ts';
import { describeEvidence } from './judging/evidence.ts';
import { planClaim } from './judging/plan-claim.ts';
import { FarmError } from '../../core/errors.ts';
import { findHost, hosts } from '../../core/model/device.ts';
import { type Catalog, findBenchmark, loadCatalog } from '../../core/plan/catalog/catalog.ts';
import { type Choices, expandCases } from '../../core/plan/catalog/expansion.ts';
import { chooseRules, type MeasurementName } from '../../core/plan/catalog/measurement.ts';
import { selectDevices } from '../../core/plan/inventory/inventory.ts';
import { createCpuThreadProbe } from '../../core/probes/cpu-thread.ts';
import { farmVersion } from '../../core/project.ts';
import { allowedCores, whyNoPinning } from '../../core/session/pinning.ts';
import { findDevices } from '../../core/setup/presence.ts';
import { openStore, type Store } from '../../core/store/store.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import { loadDevices } from '../../core/app/builds/build-devices.ts';
import type { QuestionAnswer } from './measure-question.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

/** The answer to one claim, or the reason why it is missing. */
export type ClaimAnswer =
  | {
      readonly kind: 'measured';
      readonly claim: Claim;
      readonly evidence: EvidenceFindings;
      readonly answer: Pick<QuestionAnswer, 'record' | 'interrupted' | 'vanished'>;
      /** Of the evidence report; null when none was written. */
      readonly path: string | null;
    }
  | {
      readonly kind: 'not-testable' | 'not-measured';
      readonly claim: Claim;
      readonly because: string;
      readonly command: string;
      readonly path: string | null;
    };

export interface ClaimsOptions {
  readonly database: string;
  /** The devices file. */
  readonly inventory: string;
  /** The folder of benchmark pages. */
  readonly pages: string;
}

/** Lists claims, each with its newest finished reproduction. @throws FarmError `unknown-claim`. */
export async function listClaims(
  names: readonly string[],
  { database, inventory, pages }: ClaimsOptions,
): Promise<readonly ClaimAnswer[]> {
  const chosen = chooseClaims(names);
  const setting = await findClaimSetting({ database, inventory, pages, device: [], param: {} });
  // Opening would create the file, and reading must not.
  const store = existsSync(database) ? await openStore(database) : null;
  try {
    const answers: ClaimAnswer[] = [];
    for (const claim of chosen) answers.push(await readAnswer(claim, setting, store));
    return answers;
  } finally {
    await store?.close();
  }
}

async function readAnswer(
  claim: Claim,
  setting: ClaimSetting,
  store: Store | null,
): Promise<ClaimAnswer> {
  const command = `${npxCrossfarm} claims reproduce ${claim.id}`;
  const record = (await store?.readAnswer(claim.id)) ?? null;
  if (record?.question !== undefined) {
    const writing = { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
    const evidence = describeEvidence(record, record.question, writing);
    const answer = { record, interrupted: false, vanished: null };
    return { kind: 'measured', claim, evidence, answer, path: null };
  }
  const planned = planClaim(claim, setting);
  const without = { claim, command, path: null };
  return planned.kind === 'not-testable'
    ? { kind: 'not-testable', because: planned.because, ...without }
    : { kind: 'not-measured', because: `not measured yet: ${command}`, ...without };
}

export type ClaimSetting = Parameters<typeof planClaim>[1];

export interface SettingOptions {
  readonly database: string;
  /** The devices file. */
  readonly inventory: string;
  /** The folder of benchmark pages. */
  readonly pages: string;
  /** Only these devices; all automatic ones and the shells of engines when empty. */
  readonly device: readonly string[];
  /** Parameters that a claim leaves free. */
  readonly param: Choices;
  /** As the options of every run have it. */
  readonly measurement?: MeasurementName | undefined;
}

/** Finds the devices, the catalog and the abilities of the machine, as far as claims need them. */
export async function findClaimSetting(
  { inventory, database, device, pages, param, measurement }: SettingOptions,
  { loadDriver: load = loadDriver }: Pick<MeasuringCaller, 'loadDriver'> = {},
): Promise<ClaimSetting> {
  const catalog = await loadCatalog(pages);
  const known = await loadDevices({ inventory, database }, device);
  // Runs measure shells when they are named; a claim about one names it itself.
  const shells =
    device.length > 0 ? [] : known.filter(({ browser }) => findHost(browser) === 'shell');
  const chosen = [...new Set([...selectDevices(known, device, hosts), ...shells])];
  const presences = await findDevices(chosen, load);
  return {
    presences,
    cores: allowedCores().length || cpus().length,
    cannotPin: whyNoPinning(),
    cannotSeeThreads: whyNoThreads(),
    platform: process.platform,
    makeCase: makeCaseMaker(catalog, param),
    measurement: chooseRules(measurement, claimMeasurement),
  };
}

function whyNoThreads(): string | null {
  const support = createCpuThreadProbe().supports();
  return support.supported ? null : support.because;
}

/**
 * Makes cases for a claim: of its parameters, and of what the user chose for those that it leaves
 * free. The maker throws FarmError `bad-argument` for a parameter that the claim fixes, that does not
 * exist, or that is out of range.
 */
function makeCaseMaker(catalog: Catalog, chosen: Choices): CaseMaker {
  return (benchmark, parameters) => {
    for (const name of Object.keys(chosen)) {
      if (!(name in parameters)) continue;
      throw new FarmError('bad-argument', {
        what: `The claim fixes ${name}; --param cannot change it.`,
        next: `To measure another ${name}: ${npxCrossfarm} compare or ${npxCrossfarm} run --bench ${benchmark}.`,
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
