import { randomInt } from 'node:crypto';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { loadDriver } from '../../drivers/index.ts';
import { loadCatalog } from '../plan/catalog/catalog.ts';
import type { Choices } from '../plan/catalog/expansion.ts';
import { claims } from '../analysis/claims/catalogue/index.ts';
import { causes, coresChange } from '../analysis/claims/causes.ts';
import { claimMeasurement, type Claim } from '../analysis/claims/claim.ts';
import { poseClaim, type Posed } from '../analysis/claims/pose.ts';
import { suspect } from '../analysis/claims/suspect.ts';
import { exitCodes, FarmError, unknownName, type ExitCode } from '../errors.ts';
import { loadInventory, selectDevices } from '../plan/inventory/inventory.ts';
import { hosts, type Presence } from '../model/device.ts';
import { farmVersion, projectRoot } from '../project.ts';
import { createCpuThreadProbe } from '../probes/cpu-thread.ts';
import { allowedCores, whyNoPinning } from '../session/pinning.ts';
import { findDevices } from '../setup/presence.ts';
import { smallestValues } from '../analysis/stats/median-interval.ts';
import { defaultAlpha } from '../analysis/stats/verdict.ts';
import type { QuestionOptions } from '../app/carry-out-question.ts';
import {
  claimJson,
  describeAnswer,
  describeUntested,
  worst,
  type ClaimAnswer,
} from './text/claim-text.ts';
import { makeCaseMaker } from '../app/claim-answer.ts';
import { print, printJson, type Io, type Runner } from './io.ts';
import {
  collectNames,
  collectParameters,
  parseCount,
  parseDuration,
  parseSeed,
  withDatabase,
  withInventory,
  withJson,
  withOptInProbes,
  withPages,
  withTrialOptions,
  type InventoryOption,
} from './options.ts';
import { reproduceCommand } from '../app/reproduce-command.ts';
import { refuseTooFew } from '../app/compare/block-watch.ts';
import { refuseMeaningless, whatIsMeant } from '../app/reproduce-what.ts';
import { writeWhole } from '../app/records.ts';

export interface ReproduceOptions extends InventoryOption, QuestionOptions {
  readonly device: readonly string[];
  readonly param: Choices;
  /** Ids of causes to switch off beside the claim's own. */
  readonly without: readonly string[];
  readonly cores: readonly number[];
  readonly seed?: number;
  readonly out?: string;
  readonly bundle?: string;
  /** Of a bundle: takes over flags that are not known here, and serves the bundle's own pages. */
  readonly trust: boolean;
}

export function declare(command: Command, run: Runner): void {
  command
    .argument(
      '<what...>',
      'claims (A3), a section of them (A), an anomaly (N1), or a bundle (file)',
    )
    .addHelpText('after', examples);
  withInventory(command);
  withDatabase(command);
  withPages(command);
  withTrialOptions(command);
  withOptInProbes(command);
  withJson(
    command,
    'print { id, verdict, directionVerdict, sizeVerdict, headline, published, measured, … }',
  )
    .option('--device <ids>', 'only these devices', collectNames, [])
    .option(
      '--param <name=value>',
      'a parameter that the claim leaves free, such as place=main',
      collectParameters,
      {},
    )
    .option(
      '--without <causes>',
      `switch a suspected cause off: ${causes.map(({ id }) => id).join(', ')}`,
      collectNames,
      [],
    )
    .option('--cores <numbers>', 'also with the browser on so many cores', collectCores, [])
    .option('--max-blocks <number>', 'give up after so many blocks', parseCount, 24)
    .addOption(
      new Option('--budget <duration>', 'give up after this long, for each claim')
        .argParser(parseDuration)
        .default(900_000, '15m'),
    )
    .option('--seed <number>', 'seed of the order', parseSeed)
    .option(
      '--out <file>',
      'where to write the evidence (default: reports/out/claim-<id>.html; of a bundle replay-run-<number>.html)',
    )
    .option('--bundle <file>', 'also write one zip that can be reproduced elsewhere')
    .option('--trust', 'use the pages and flags of a bundle, as if they were your own', false)
    .option('--no-repeat', 'do no trial once more that the machine’s state spoilt')
    .action((what: readonly string[], options: ReproduceOptions) =>
      run((io) => reproduce(what, { ...options, probes: true }, io)),
    );
}

const examples = `
Examples:
  farm reproduce A3                        is asyncFib really slower in Firefox, and by how much?
  farm reproduce A                         every claim of section A, one after the other
  farm reproduce A4 --without concurrent-jit --cores 1
  farm reproduce A3 --bundle a3.zip        one file that replays elsewhere: farm reproduce a3.zip

Exit codes: 0 confirmed or reproduced; 1 refuted or not reproduced; 2 wrong use; 3 the farm could not
finish (interrupted, or trials fail); 4 inconclusive, or not testable here. Of several claims 3 goes
before 1, and 1 before 4.`;

function collectCores(text: string, sofar: readonly number[]): readonly number[] {
  return [...sofar, ...text.split(',').map(parseCount)];
}

async function reproduce(
  what: readonly string[],
  options: ReproduceOptions,
  io: Io,
): Promise<ExitCode> {
  const meant = whatIsMeant(what);
  const chosen = meant.kind === 'claims' ? chooseClaims(meant.names) : [];
  refuseMeaningless(meant.kind, options);
  // A level needs the most of all that a claim may ask for.
  refuseTooFew(options.maxBlocks, smallestValues(defaultAlpha));
  switch (meant.kind) {
    case 'claims':
      return reproduceClaims(chosen, options, io);
    case 'anomaly': {
      const { reproduceAnomaly } = await import('../app/reproduce-anomaly.ts');
      return reproduceAnomaly(meant.id, options, io);
    }
    case 'bundle': {
      const { reproduceBundle } = await import('../app/reproduce-bundle.ts');
      return reproduceBundle(meant.path, options, io);
    }
  }
}

/** Claims by id, or by the letter of their section; each once, in the catalogue's order. */
export function chooseClaims(names: readonly string[]): readonly Claim[] {
  const wanted = names.map((name) => name.toUpperCase());
  const sections = [...new Set(claims.map(({ id }) => id.charAt(0)))];
  const known = [...sections, ...claims.map(({ id }) => id)];
  wanted.forEach((seen, index) => {
    if (seen === 'ALL' || known.includes(seen)) return;
    throw unknownName('unknown-claim', { kind: 'claim', seen: names[index] ?? seen, known });
  });
  return claims.filter(
    ({ id }) => wanted.includes('ALL') || wanted.includes(id) || wanted.includes(id.charAt(0)),
  );
}

async function reproduceClaims(
  chosen: readonly Claim[],
  options: ReproduceOptions,
  io: Io,
): Promise<ExitCode> {
  refuseOneFileForMany(chosen, options);
  const surroundings = await lookAround(options);
  const answers: ClaimAnswer[] = [];
  for (const claim of chosen) {
    if (io.signal.aborted) break;
    const answer = await reproduceClaim(claim, { surroundings, options, io });
    answers.push(answer);
    if (!options.json) print(io, describeText(answer));
  }
  const json = answers.map(claimJson);
  if (options.json) printJson(io, chosen.length === 1 ? json[0] : json);
  return io.signal.aborted ? exitCodes.unfinished : worst(answers);
}

function refuseOneFileForMany(chosen: readonly Claim[], { out, bundle }: ReproduceOptions): void {
  if (chosen.length === 1 || (out === undefined && bundle === undefined)) return;
  throw new FarmError('bad-argument', {
    what: `--out and --bundle name one file, and ${String(chosen.length)} claims were asked for.`,
    next: 'Reproduce them one by one, or leave the option out.',
  });
}

type Surroundings = Parameters<typeof poseClaim>[1];

/** The devices, the catalog and the machine, as far as claims need them. */
export async function lookAround({
  inventory,
  device,
  pages,
  param,
}: Pick<ReproduceOptions, 'inventory' | 'device' | 'pages' | 'param'>): Promise<Surroundings> {
  const catalog = await loadCatalog(pages);
  const presences: readonly Presence[] = await findDevices(
    selectDevices(await loadInventory(inventory), device, hosts),
    loadDriver,
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

interface Setting {
  readonly surroundings: Surroundings;
  readonly options: ReproduceOptions;
  readonly io: Io;
}

async function reproduceClaim(
  claim: Claim,
  { surroundings, options, io }: Setting,
): Promise<ClaimAnswer> {
  const seed = options.seed ?? randomInt(2 ** 32);
  const command = reproduceCommand(claim.id, options, seed);
  const posed = withSuspects(poseClaim(claim, surroundings), surroundings, options);
  const path = resolve(
    options.out ?? join(projectRoot(), 'reports', 'out', `claim-${claim.id}.html`),
  );
  const { renderEvidence } = await import('../../reports/evidence.ts');
  const { describeEvidence, describeNotTestable } = await import('../analysis/claims/evidence.ts');
  const writing = { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
  if (posed.kind === 'not-testable') {
    const evidence = describeNotTestable(claim, { ...posed, ...writing, command });
    await writeWhole(path, await renderEvidence(evidence));
    return { kind: 'not-testable', claim, because: posed.because, command, path };
  }
  const { carryOutQuestion } = await import('../app/carry-out-question.ts');
  const { question, presences } = posed;
  const order = { presences, options, command, io, seed };
  const answer = await carryOutQuestion(question, order);
  const evidence = describeEvidence(answer.record, question, writing);
  const html = await renderEvidence(evidence);
  await writeWhole(path, html);
  if (options.bundle !== undefined) {
    const { bundleAnswer } = await import('../app/bundle-answer.ts');
    await bundleAnswer(options.bundle, { question, answer, html, pages: options.pages });
  }
  return { kind: 'measured', claim, evidence, answer, path };
}

function withSuspects(
  posed: Posed,
  { cores, cannotPin }: Pick<Surroundings, 'cores' | 'cannotPin'>,
  { without, cores: wanted }: ReproduceOptions,
): Posed {
  if (posed.kind === 'not-testable') return posed;
  const known = causes.map(({ id }) => id);
  let suspected = posed;
  for (const cause of without) {
    if (!known.includes(cause)) {
      throw unknownName('bad-argument', { kind: 'cause', seen: cause, known });
    }
    suspected = suspect(suspected, cause);
  }
  if (wanted.length > 0 && cannotPin !== null) {
    throw new FarmError('bad-argument', {
      what: `--cores cannot be had here: ${cannotPin}.`,
      next: 'Leave it out.',
    });
  }
  for (const count of wanted) {
    if (count > cores) {
      throw new FarmError('bad-argument', {
        what: `A browser cannot be given ${String(count)} cores: this machine has ${String(cores)}.`,
        next: `--cores takes 1 to ${String(cores)}.`,
      });
    }
    suspected = suspect(suspected, 'cores', coresChange(count));
  }
  return suspected;
}

function describeText(answer: ClaimAnswer): string {
  return answer.kind === 'measured' ? describeAnswer(answer) : describeUntested(answer);
}
