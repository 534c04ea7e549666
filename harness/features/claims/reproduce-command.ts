import { Option, type Command } from 'commander';
import { causes } from '../../core/analysis/causes.ts';
import type { ClaimAnswer } from './claims.ts';
import type { ReplayOptions } from './reproduce-bundle.ts';
import type { ClaimOptions } from './reproduce-claims.ts';
import {
  meaninglessOptions,
  parseReproducible,
  refuseMeaningless,
  type ReproducibleKind,
} from './reproducible.ts';
import { questionDefaults } from '../../core/app/defaults.ts';
import { exitCodes, type ExitCode } from '../../core/errors.ts';
import { print, printJson, type Io, type Runner } from '../../core/cli/io.ts';
import {
  collectNames,
  collectParameters,
  parseCount,
  parseDuration,
  parseSeed,
  withDatabase,
  withInventory,
  withJson,
  withPages,
  withProbes,
  withTrialOptions,
  type JsonOption,
} from '../../core/cli/options.ts';
import { takeReport, withReportOrOut } from '../../core/cli/end-report.ts';
import { concludingCaller } from '../../core/cli/run-output.ts';
import { readTerminalWidth } from '../../core/cli/text/draw-table.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

interface Options extends ClaimOptions, ReplayOptions, JsonOption {}

export function declare(command: Command, run: Runner): void {
  command
    .argument('<what...>', 'claims (A3), a section (A), an anomaly (N1) or a bundle')
    .addHelpText('after', examples);
  withInventory(command);
  withDatabase(command);
  withPages(command);
  withTrialOptions(command);
  withProbes(command);
  withReportOrOut(command, 'claim-<id>.html');
  withJson(
    command,
    'print { id, verdict, directionVerdict, sizeVerdict, headline, published, measured, … }',
  )
    .option('--device <ids>', 'only these devices', collectNames, [])
    .option(
      '--param <name=value>',
      'parameter that the claim leaves free, such as place=main',
      collectParameters,
      {},
    )
    .option(
      '--without <causes>',
      `suspected causes to switch off: ${causes.map(({ id }) => id).join(', ')}`,
      collectNames,
      [],
    )
    .option('--cores <numbers>', 'also measure with the browser on N cores', collectCores, [])
    .option('--max-blocks <number>', 'stop after N blocks', parseCount, questionDefaults.maxBlocks)
    .addOption(
      new Option('--budget <duration>', 'time limit of each claim')
        .argParser(parseDuration)
        .default(questionDefaults.budget, '15m'),
    )
    .option('--seed <number>', 'seed of the order; starts over', parseSeed)
    .option('--anew', 'start over instead of continuing', false)
    .option('--bundle <file>', 'also write a bundle for another machine')
    .option('--trust', 'trust the pages and flags of a bundle', false)
    .option('--no-repeat', 'do not repeat excluded trials')
    .action((what: readonly string[]) => run((io) => reproduce(what, command, io)));
}

const examples = `
Examples:
  ${npxCrossfarm} claims reproduce A3                        is asyncFib really slower in Firefox, and by how much?
  ${npxCrossfarm} claims reproduce A                         every claim of section A, one after the other
  ${npxCrossfarm} claims reproduce A4 --without concurrent-jit --cores 1
  ${npxCrossfarm} claims reproduce A3 --bundle a3.zip        one file that replays elsewhere: ${npxCrossfarm} claims reproduce a3.zip

An open claim is gone on with when it is asked again: --max-blocks and --budget are those of the further
blocks. That takes equal builds, pages and rules of measurement; else it starts from nothing and says so.

Exit codes: 0 confirmed or reproduced; 1 refuted or not reproduced; 2 wrong use; 3 the farm could not
finish (interrupted, or trials fail); 4 inconclusive, or not testable here. Of several claims 3 goes
before 1, and 1 before 4.`;

function collectCores(text: string, sofar: readonly number[]): readonly number[] {
  return [...sofar, ...text.split(',').map(parseCount)];
}

/** A configuration speaks of claims: what it sets that an anomaly or a bundle does not take is left out. */
function optionsFor(kind: ReproducibleKind, command: Command): Options {
  for (const name of meaninglessOptions(kind)) {
    if (command.getOptionValueSource(name) !== 'config') continue;
    const option = command.options.find((one) => one.attributeName() === name);
    command.setOptionValueWithSource(name, option?.defaultValue, 'default');
  }
  const { out, ...options } = command.opts<Options & { readonly out?: string }>();
  const asked = out === undefined ? options : { ...options, out };
  return { ...options, ...takeReport(asked) };
}

async function reproduce(what: readonly string[], command: Command, io: Io): Promise<ExitCode> {
  const { chooseClaims } = await import('./catalogue/index.ts');
  const meant = parseReproducible(what);
  const options = optionsFor(meant.kind, command);
  const chosen = meant.kind === 'claims' ? chooseClaims(meant.names) : [];
  refuseMeaningless(meant.kind, options);
  const { json } = options;
  const caller = concludingCaller(json, io);
  switch (meant.kind) {
    case 'claims': {
      const { reproduceClaims } = await import('./reproduce-claims.ts');
      const answers = reproduceClaims(chosen, options, caller);
      return printClaims(answers, { json, isOne: chosen.length === 1 }, io);
    }
    case 'anomaly': {
      const { reproduceAnomaly } = await import('./reproduce-anomaly.ts');
      const reproduction = await reproduceAnomaly(meant.id, options, caller);
      const text = await import('./anomaly-text.ts');
      if (json) printJson(io, text.reproductionJson(reproduction));
      else print(io, text.describeReproduction(reproduction));
      return text.reproductionCode(reproduction);
    }
    case 'bundle': {
      const { reproduceBundle } = await import('./reproduce-bundle.ts');
      const replayed = await reproduceBundle(meant.path, options, caller);
      const text = await import('./replay-text.ts');
      if (json) printJson(io, text.replayJson(replayed));
      else print(io, await text.describeReplay(replayed, readTerminalWidth(io.stdout)));
      return io.signal.aborted ? exitCodes.unfinished : text.replayCode(replayed);
    }
  }
}

interface ClaimsForm {
  readonly json: boolean;
  /** True if one claim was asked for, which is printed without a list. */
  readonly isOne: boolean;
}

/** Prints each answer when it is there; as JSON all of them at the end. */
async function printClaims(
  answers: AsyncIterable<ClaimAnswer>,
  { json, isOne }: ClaimsForm,
  io: Io,
): Promise<ExitCode> {
  const { claimJson, describeAnswer, describeUntested, worst } = await import('./claim-text.ts');
  const printed: ClaimAnswer[] = [];
  for await (const answer of answers) {
    printed.push(answer);
    if (json) continue;
    print(io, answer.kind === 'measured' ? describeAnswer(answer) : describeUntested(answer));
  }
  const shapes = printed.map(claimJson);
  if (json) printJson(io, isOne ? shapes[0] : shapes);
  return io.signal.aborted ? exitCodes.unfinished : worst(printed);
}
