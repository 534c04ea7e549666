import { randomInt } from 'node:crypto';
import { join, resolve } from 'node:path';
import pc from 'picocolors';
import { loadDriver } from '../../drivers/index.ts';
import type { EvidenceFindings } from '../../reports/findings.ts';
import { describeEvidence } from '../analysis/claims/evidence.ts';
import { figure } from '../analysis/claims/wording.ts';
import { isByPerson, keepState, readAnomaly, type Reproduced } from './anomalies.ts';
import { type Io, print, printJson } from '../cli/io.ts';
import { openLines, undecidedCode } from '../cli/text/claim-text.ts';
import { type ExitCode, exitCodes } from '../errors.ts';
import type { Anomaly } from '../model/anomaly.ts';
import type { Presence } from '../model/device.ts';
import { farmVersion, projectRoot } from '../project.ts';
import { findDevices } from '../setup/presence.ts';
import { bundleAnswer } from './bundle-answer.ts';
import { type Answer, carryOutQuestion, type QuestionOptions } from './carry-out-question.ts';
import { writeWhole } from './records.ts';
import { reproduceCommand } from './reproduce-command.ts';

export interface AnomalyOptions extends QuestionOptions {
  readonly seed?: number;
  readonly out?: string;
  readonly bundle?: string;
}

/**
 * Asks an anomaly again, in blocks, on the builds that it was found with, and keeps what came of it
 * as its state, unless a person ignored or closed it. Where a build is gone nothing is run, and the state stays.
 * @throws FarmError `unknown-anomaly`
 */
export async function reproduceAnomaly(
  id: string,
  options: AnomalyOptions,
  io: Io,
): Promise<ExitCode> {
  const anomaly = await readAnomaly(id, options.database);
  const seed = options.seed ?? randomInt(2 ** 32);
  const command = reproduceCommand(anomaly.id, options, seed);
  const devices = anomaly.targets.map(({ device }) => device);
  const presences = await findDevices(devices, loadDriver);
  const gone = whyGone(anomaly, presences);
  if (gone !== null) return tellGone({ anomaly, command, ...gone }, options, io);
  const question = {
    ...anomaly.question,
    notes: [...anomaly.question.notes, ...changedBuilds(anomaly, presences)],
  };
  const answer = await carryOutQuestion(question, { presences, options, command, io, seed });
  const writing = { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
  const evidence = describeEvidence(answer.record, question, writing);
  const state = stateOf(answer);
  // Before any file is written: where that fails, what was measured is not lost.
  const change = {
    state,
    reason: `run ${String(answer.record.run.id)}: ${measuredText(evidence)}`,
  };
  const kept = answer.interrupted ? anomaly : await keepState(anomaly.id, change, options.database);
  const { renderEvidence } = await import('../../reports/evidence.ts');
  const html = await renderEvidence(evidence);
  const path = resolve(
    options.out ?? join(projectRoot(), 'reports', 'out', `anomaly-${anomaly.id}.html`),
  );
  await writeWhole(path, html);
  const bundle =
    options.bundle === undefined
      ? null
      : await bundleAnswer(options.bundle, { question, answer, html, pages: options.pages });
  const told = { anomaly: kept, state, evidence, answer, path, bundle };
  if (options.json) printJson(io, anomalyJson(told));
  else print(io, describe(told));
  return codeOf(state, answer);
}

function codeOf(state: Reproduced, answer: Answer): ExitCode {
  if (answer.interrupted) return exitCodes.unfinished;
  switch (state) {
    case 'reproduced':
      return exitCodes.fine;
    case 'not-reproduced':
      return exitCodes.refuted;
    case 'inconclusive':
      return undecidedCode(answer);
  }
}

interface Gone {
  readonly because: string;
  readonly remedy: string;
}

/** Why the anomaly cannot be asked here any more: a build is missing, or two builds have become one. */
function whyGone({ targets }: Anomaly, presences: readonly Presence[]): Gone | null {
  for (const presence of presences) {
    if (presence.status === 'found') continue;
    const { device, reason, remedy } = presence;
    return { because: `the build of ${device.id} is no longer here: ${reason}`, remedy };
  }
  const [a, b] = targets;
  if (a === undefined || b === undefined) return null;
  const twoBuilds =
    a.device.browser === b.device.browser && a.browser.version !== b.browser.version;
  const [here, there] = presences.map((one) => versionOf(one));
  if (!twoBuilds || here !== there) return null;
  return {
    because: `it was found between ${a.device.browser} ${a.browser.version} and ${b.browser.version}, and both are ${here ?? 'one build'} now`,
    remedy: 'Install the older build again; where it lay stands in farm anomalies --json.',
  };
}

function versionOf(presence: Presence): string | null {
  return presence.status === 'found' ? presence.target.browser.version : null;
}

/** A build that was updated in its place is measured all the same, and it is said. */
function changedBuilds({ targets }: Anomaly, presences: readonly Presence[]): readonly string[] {
  return targets.flatMap(({ device, browser }) => {
    const found = presences.find((one) => one.device.id === device.id);
    const version = found === undefined ? null : versionOf(found);
    return version === null || version === browser.version
      ? []
      : [`${device.id} was ${browser.version} when it was found, and is ${version} now.`];
  });
}

function stateOf({ judgement }: Answer): Reproduced {
  switch (judgement.verdict) {
    case 'confirmed':
      return 'reproduced';
    case 'refuted':
      return 'not-reproduced';
    case 'inconclusive':
      return 'inconclusive';
  }
}

interface Outcome {
  readonly state: Reproduced;
  readonly answer: Answer;
  readonly evidence: EvidenceFindings;
}

function measuredText({ assertions }: EvidenceFindings): string {
  const [first] = assertions;
  return first === undefined ? 'not measured' : figure(first.measured, first.unit);
}

interface Told extends Outcome {
  readonly anomaly: Anomaly;
  /** Of the evidence report. */
  readonly path: string;
  readonly bundle: string | null;
}

/** The shape of a claim's answer, with the anomaly's own verdicts. */
function anomalyJson({ anomaly, state, evidence, answer, path, bundle }: Told): object {
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
    report: path,
    ...(bundle === null ? {} : { bundle }),
  };
}

const colours: Readonly<Record<Reproduced, (text: string) => string>> = {
  reproduced: pc.red,
  'not-reproduced': pc.green,
  inconclusive: pc.yellow,
};

function describe({ anomaly, state, evidence, answer, path, bundle }: Told): string {
  const stays = stateNote(anomaly);
  return [
    pc.bold(`${anomaly.id}  ${anomaly.sentence}`),
    `   found      ${anomaly.question.published}`,
    `   now        ${measuredText(evidence)}, ${String(answer.judgement.blocks)} blocks`,
    `   ${pc.bold(colours[state](state.replace('-', ' ')))}`,
    `   size       ${evidence.size}`,
    ...(stays === null ? [] : [pc.yellow(`   state      ${stays}`)]),
    ...openLines(evidence, answer),
    ...evidence.notes.map((sentence) => pc.dim(`   note       ${sentence}`)),
    `   again      ${evidence.command}`,
    `   evidence   ${path}`,
    ...(bundle === null ? [] : [`   bundle     ${bundle}`]),
  ].join('\n');
}

interface ToldGone extends Gone {
  readonly anomaly: Anomaly;
  readonly command: string;
}

function tellGone(
  { anomaly, because, remedy, command }: ToldGone,
  { json }: AnomalyOptions,
  io: Io,
): ExitCode {
  const { id, sentence, question, state } = anomaly;
  if (json) {
    const { published } = question;
    const verdict = 'not-testable';
    const told = { id, verdict, direction: because, published, measured: null, reason: because };
    printJson(io, { ...told, remedy, command, sentence, state });
  } else {
    print(
      io,
      `${pc.bold(`${id}  ${sentence}`)}\n   not reproducible here: ${because}\n   ${remedy}`,
    );
  }
  return exitCodes.undecided;
}

/** What is told of the state that a person gave; null where the measurement's own was kept. */
export function stateNote(anomaly: Anomaly): string | null {
  if (!isByPerson(anomaly)) return null;
  const { id, state, reason } = anomaly;
  return `${id} stays ${state}: ${reason ?? 'no reason was given'}`;
}
