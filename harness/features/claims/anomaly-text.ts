import pc from 'picocolors';
import { isByPerson, type ReproductionState } from '../../core/app/anomalies.ts';
import { isUnfinished } from './measure-question.ts';
import { measuredText, type GoneAnomaly, type ReproducedAnomaly } from './reproduce-anomaly.ts';
import { exitCodes, type ExitCode } from '../../core/errors.ts';
import type { Anomaly, AnomalyState } from '../../core/model/anomaly.ts';
import { openLines } from './claim-text.ts';
import { drawTable } from '../../core/cli/text/draw-table.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

/** Shapes an anomaly as `farm findings --json` prints it. */
export function anomalyJson(anomaly: Anomaly): object {
  const { id, state, sentence, reason, run, question, targets, createdAt, changedAt } = anomaly;
  return {
    id,
    state,
    sentence,
    reason,
    run,
    createdAt,
    changedAt,
    published: question.published,
    // Where the build lay: to ask again on another machine, put it there.
    devices: targets.map(({ device, browser, executable }) => ({
      id: device.id,
      browser,
      driver: device.driver,
      executable,
    })),
    command: `${npxCrossfarm} findings reproduce ${id}`,
  };
}

const stateColours: Readonly<Partial<Record<AnomalyState, (text: string) => string>>> = {
  untriaged: pc.yellow,
  reproduced: pc.red,
  ignored: pc.dim,
  closed: pc.dim,
};

/** Draws anomalies as a table. */
export async function anomalyTable(
  anomalies: readonly Anomaly[],
  columns: number,
): Promise<string> {
  const rows = anomalies.map(({ id, state, sentence, question, createdAt, reason }) => {
    const colour = stateColours[state] ?? ((text: string) => text);
    const found = `${createdAt.slice(0, 10)}: ${question.published}`;
    return [
      id,
      colour(state),
      sentence,
      found,
      reason ?? `${npxCrossfarm} findings reproduce ${id}`,
    ];
  });
  const head = ['id', 'state', 'what', 'found', 'why'];
  return drawTable({ head, rows, ruled: true }, columns);
}

/** Shapes a reproduction as `farm claims reproduce --json` prints it: as a claim's answer, with the anomaly's own verdicts. */
export function reproductionJson(reproduction: ReproducedAnomaly | GoneAnomaly): object {
  if (reproduction.kind === 'gone') return goneJson(reproduction);
  const { anomaly, state, evidence, answer, path, bundle } = reproduction;
  return {
    id: anomaly.id,
    verdict: state,
    /** Not the verdict where a person ignored or closed it. */
    state: anomaly.state,
    directionVerdict: evidence.directionVerdict,
    sizeVerdict: evidence.sizeVerdict,
    headline: evidence.headline,
    direction: evidence.direction,
    published: anomaly.question.published,
    measured: evidence.assertions[0]?.measured ?? null,
    reason: answer.vanished ?? evidence.reason,
    command: evidence.command,
    sentence: anomaly.sentence,
    size: evidence.size,
    unsettled: evidence.unsettled,
    moreBlocks: evidence.moreBlocks,
    assertions: evidence.assertions,
    notes: evidence.notes,
    run: answer.record.run.id,
    ...(path === null ? {} : { report: path }),
    ...(bundle === null ? {} : { bundle }),
  };
}

function goneJson({ anomaly, because, remedy, command }: GoneAnomaly): object {
  const { id, sentence, question, state } = anomaly;
  const { published } = question;
  return {
    id,
    verdict: 'not-testable',
    direction: because,
    published,
    measured: null,
    reason: because,
    remedy,
    command,
    sentence,
    state,
  };
}

const verdictColours: Readonly<Record<ReproductionState, (text: string) => string>> = {
  reproduced: pc.red,
  'not-reproduced': pc.green,
  inconclusive: pc.yellow,
};

/** Describes a reproduction for a person. */
export function describeReproduction(reproduction: ReproducedAnomaly | GoneAnomaly): string {
  if (reproduction.kind === 'gone') {
    const { because, remedy } = reproduction;
    const { id, sentence } = reproduction.anomaly;
    return `${pc.bold(`${id}  ${sentence}`)}\n   not reproducible here: ${because}\n   ${remedy}`;
  }
  const { anomaly, state, evidence, answer, path, bundle } = reproduction;
  const stays = stateNote(anomaly);
  return [
    pc.bold(`${anomaly.id}  ${anomaly.sentence}`),
    `   found      ${anomaly.question.published}`,
    `   now        ${measuredText(evidence)}, ${String(answer.judgement.blocks)} blocks`,
    `   ${pc.bold(verdictColours[state](state.replace('-', ' ')))}`,
    `   size       ${evidence.size}`,
    ...(stays === null ? [] : [pc.yellow(`   state      ${stays}`)]),
    ...openLines(evidence, answer),
    ...evidence.notes.map((sentence) => pc.dim(`   note       ${sentence}`)),
    `   again      ${evidence.command}`,
    ...(path === null ? [] : [`   evidence   ${path}`]),
    ...(bundle === null ? [] : [`   bundle     ${bundle}`]),
  ].join('\n');
}

/** Names the state that a person gave; null where the measurement's own was kept. */
export function stateNote(anomaly: Anomaly): string | null {
  if (!isByPerson(anomaly)) return null;
  const { id, state, reason } = anomaly;
  return `${id} stays ${state}: ${reason ?? 'no reason was given'}`;
}

/** The exit code of a reproduction. */
export function reproductionCode(reproduction: ReproducedAnomaly | GoneAnomaly): ExitCode {
  if (reproduction.kind === 'gone') return exitCodes.undecided;
  const { state, answer } = reproduction;
  if (answer.interrupted) return exitCodes.unfinished;
  switch (state) {
    case 'reproduced':
      return exitCodes.fine;
    case 'not-reproduced':
      return exitCodes.refuted;
    case 'inconclusive':
      return isUnfinished(answer) ? exitCodes.unfinished : exitCodes.undecided;
  }
}
