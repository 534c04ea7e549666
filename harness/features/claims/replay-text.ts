import pc from 'picocolors';
import type { ReplayedBundle } from './reproduce-bundle.ts';
import type { ReplayVerdict, ReplayedAssertion } from '../bundles/bundle/replay.ts';
import { claims } from './catalogue/index.ts';
import { expectationText, figure } from './judging/wording.ts';
import { chooseReader } from './judging/quantity.ts';
import { exitCodes, type ExitCode } from '../../core/errors.ts';
import { caseName } from '../../core/model/case.ts';
import type { Assertion, Arm, Question } from '../../core/model/question.ts';
import { drawTable } from '../../core/cli/text/draw-table.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

/**
 * The shape of `reproduce BUNDLE --json`: as for a claim, with the bundle's values next to ours.
 */
export function replayJson(replayed: ReplayedBundle): object {
  const { path, bundle, verdict, reason, remedy, replay, differences, run, report, command } =
    replayed;
  const { question, machine, farmVersion, seed, startedAt } = bundle;
  return {
    id: question.id,
    verdict,
    direction: reason,
    published: question.published,
    measured: replay?.assertions[0]?.here ?? null,
    reason,
    ...(remedy === null ? {} : { remedy }),
    command,
    sentence: question.sentence,
    bundle: {
      path,
      farmVersion,
      seed,
      startedAt,
      machine,
      verdict: bundle.numbers.verdict,
      blocks: bundle.numbers.blocks,
    },
    assertions: (replay?.assertions ?? []).map((one) => ({
      sentence: one.assertion.sentence,
      role: one.assertion.role,
      quantity: one.assertion.quantity,
      sides: sidesOf(one.assertion),
      expected: one.assertion.expected,
      unit: unitOf(one.assertion),
      bundle: one.bundle,
      here: one.here,
      direction: one.direction,
      size: one.size,
    })),
    differences,
    run,
    ...(report === null ? {} : { report }),
  };
}

const colours: Readonly<Record<ReplayVerdict, (text: string) => string>> = {
  reproduced: pc.green,
  'not-reproduced': pc.red,
  inconclusive: pc.yellow,
  'not-comparable': pc.yellow,
};

/** The same for a person: a table bundle | here, then the verdict. */
export async function describeReplay(
  replayed: ReplayedBundle,
  columns = Infinity,
): Promise<string> {
  const { bundle, verdict, reason, remedy, replay, differences, report, command } = replayed;
  const { question, machine, farmVersion, startedAt, numbers } = bundle;
  const lines = [
    ...headOf(question),
    pc.dim(
      `bundle of ${startedAt}, crossfarm ${farmVersion}, ${machine.cpuModel}, ${String(machine.logicalCores)} cores, ${machine.system}: ${numbers.verdict} after ${String(numbers.blocks)} blocks`,
    ),
    ...(replay === null ? [] : [await tableOf(replay.assertions, columns)]),
    ...differences.map((one) => pc.dim(`note: ${one}`)),
    `${pc.bold(colours[verdict](verdict.replace('-', ' ')))}: ${reason}`,
    ...(remedy === null ? [] : [remedy]),
    `again: ${command}`,
    ...(report === null ? [] : [`evidence: ${report}`]),
  ];
  return lines.join('\n');
}

function tableOf(assertions: readonly ReplayedAssertion[], columns: number): Promise<string> {
  const head = ['assertion', 'bundle', 'here', 'direction', 'size'];
  const rows = assertions.map(({ assertion, bundle, here, direction, size }) => {
    const unit = unitOf(assertion);
    const what = [assertion.sentence, ...measuredBy(assertion)].join('\n');
    return [what, figure(bundle, unit), figure(here, unit), direction, size];
  });
  return drawTable({ head, rows, ruled: true }, columns);
}

/**
 * The author of the question: a bundle may call itself by the name of a claim, and ask something
 * else.
 */
function headOf({ id, title, sentence }: Question): readonly string[] {
  const head = pc.bold(`${title}  ${sentence}`);
  const words = new Set([id, ...title.split(/\W+/)].map((word) => word.toUpperCase()));
  const claim = claims.find((one) => words.has(one.id));
  if (claim === undefined) return [head];
  return [
    pc.bold(`The bundle’s own question; it calls itself ${claim.id}`),
    `in its words: ${title}  ${sentence}`,
    pc.dim(
      `what is measured stands in the table; this farm’s own claim: ${npxCrossfarm} claims reproduce ${claim.id}`,
    ),
  ];
}

/** Quantity and expectation of an assertion, which no text in the bundle can change. */
function measuredBy(assertion: Assertion): readonly string[] {
  const { quantity, expected } = assertion;
  const wanted = `${quantity}: ${expectationText(expected, unitOf(assertion))}`;
  return [wanted, ...sidesOf(assertion)];
}

function sidesOf(assertion: Assertion): readonly string[] {
  const lane = ({ deviceId, case: one }: Arm): string => `${deviceId}, ${caseName(one)}`;
  switch (assertion.kind) {
    case 'level':
      return [`of ${lane(assertion.of)}`];
    case 'ratio':
      return [lane(assertion.a), `over ${lane(assertion.b)}`];
    case 'change':
      return [
        ...[lane(assertion.a), `over ${lane(assertion.b)}`],
        ...[`against ${lane(assertion.c)}`, `over ${lane(assertion.d)}`],
      ];
  }
}

function unitOf(assertion: Assertion): string {
  return assertion.kind === 'level' ? chooseReader(assertion.quantity, assertion.of).unit : '×';
}

/** The exit code of a replay. */
export function replayCode({ verdict, unfinished }: ReplayedBundle): ExitCode {
  switch (verdict) {
    case 'reproduced':
      return exitCodes.fine;
    case 'not-reproduced':
      return exitCodes.refuted;
    case 'inconclusive':
    case 'not-comparable':
      return unfinished ? exitCodes.unfinished : exitCodes.undecided;
  }
}
