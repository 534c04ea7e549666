import { existsSync } from 'node:fs';
import Table from 'cli-table3';
import type { Command } from 'commander';
import type { EvidenceFindings } from '../../reports/findings.ts';
import { describeEvidence } from '../analysis/claims/evidence.ts';
import type { Claim } from '../analysis/claims/claim.ts';
import { poseClaim } from '../analysis/claims/pose.ts';
import { exitCodes, type ExitCode } from '../errors.ts';
import { farmVersion } from '../project.ts';
import { openStore, type Store } from '../store/store.ts';
import { claimJson, verdictWord, type ClaimAnswer } from './text/claim-text.ts';
import { claimsMarkdown } from './text/claims-markdown.ts';
import { print, printJson, type Io, type Runner } from './io.ts';
import {
  withDatabase,
  withInventory,
  withJson,
  withPages,
  type DatabaseOption,
  type InventoryOption,
  type JsonOption,
  type PagesOption,
} from './options.ts';
import { chooseClaims, lookAround } from './reproduce.ts';

type Options = DatabaseOption &
  InventoryOption &
  JsonOption &
  PagesOption & { readonly markdown?: boolean };

export function declare(command: Command, run: Runner): void {
  command.argument('[what...]', 'claims (A3) or sections (A)', ['all']);
  withInventory(command);
  withDatabase(command);
  withPages(command);
  withJson(
    command,
    'print an array of { id, verdict, directionVerdict, sizeVerdict, published, measured, … }',
  )
    .option('--markdown', 'print tables for a README, one for each section')
    .action((what: readonly string[], options: Options) =>
      run((io) => listClaims(what, options, io)),
    );
}

/** The catalogue, with the verdict of each claim's newest finished reproduction. */
async function listClaims(what: readonly string[], options: Options, io: Io): Promise<ExitCode> {
  const chosen = chooseClaims(what);
  const surroundings = await lookAround({ ...options, device: [], param: {} });
  // Opening would make it, and who only looks must not leave a file behind.
  const store = existsSync(options.database) ? await openStore(options.database) : null;
  try {
    const answers: ClaimAnswer[] = [];
    for (const claim of chosen) answers.push(await lookUp(claim, surroundings, store));
    if (options.json) printJson(io, answers.map(claimJson));
    else if (options.markdown === true) print(io, claimsMarkdown(answers));
    else print(io, tableOf(answers, io.stdout.columns || 140));
  } finally {
    await store?.close();
  }
  return exitCodes.fine;
}

async function lookUp(
  claim: Claim,
  surroundings: Awaited<ReturnType<typeof lookAround>>,
  store: Store | null,
): Promise<ClaimAnswer> {
  const command = `npx farm reproduce ${claim.id}`;
  const record = (await store?.readAnswer(claim.id)) ?? null;
  if (record?.question !== undefined) {
    const writing = { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
    const evidence = describeEvidence(record, record.question, writing);
    const answer = { record, interrupted: false, vanished: null };
    return { kind: 'measured', claim, evidence, answer, path: null };
  }
  const posed = poseClaim(claim, surroundings);
  if (posed.kind === 'not-testable') {
    return { kind: 'not-testable', claim, because: posed.because, command, path: null };
  }
  return {
    kind: 'not-measured',
    claim,
    because: `not measured yet: ${command}`,
    command,
    path: null,
  };
}

/** Id and verdict as they are; the three texts share what the terminal has left. */
function columnWidths(width: number): number[] {
  const left = Math.max(60, width - 5 - 15 - 6);
  const text = Math.floor(left * 0.33);
  return [5, text, Math.floor(left * 0.27), 15, left - text - Math.floor(left * 0.27)];
}

function tableOf(answers: readonly ClaimAnswer[], width: number): string {
  const table = new Table({
    head: ['id', 'claim', 'published', 'verdict', 'measured'],
    colWidths: columnWidths(width),
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const told of answers) {
    const { id, sentence, published } = told.claim;
    table.push([id, sentence, published, ...outcomeOf(told)]);
  }
  return table.toString();
}

function outcomeOf(told: ClaimAnswer): [string, string] {
  switch (told.kind) {
    case 'not-testable':
      return [verdictWord('not-testable'), told.because];
    case 'not-measured':
      return ['', told.because];
    case 'measured': {
      const { evidence } = told;
      const open = evidence.unsettled === null ? '' : `; open: ${evidence.unsettled}`;
      return [verdictWord(evidence.verdict), `${evidence.headline}${open}${variantOf(evidence)}`];
    }
  }
}

/** A run that the user narrowed answers for what it measured only. */
function variantOf({ command }: EvidenceFindings): string {
  const options = command.match(/--(?:device|param) \S+/g);
  return options === null ? '' : `; with ${options.join(' ')}`;
}
