import type { Command } from 'commander';
import type { EvidenceFindings } from '../../core/results/index.ts';
import { listClaims, type ClaimAnswer, type ClaimsOptions } from './claims.ts';
import { exitCodes, type ExitCode } from '../../core/errors.ts';
import { type Io, next, print, printJson, type Runner } from '../../core/cli/io.ts';
import {
  declareList,
  withDatabase,
  withInventory,
  withJson,
  withPages,
  type JsonOption,
} from '../../core/cli/options.ts';
import { claimJson, verdictWord } from './claim-text.ts';
import { claimsMarkdown } from './claims-markdown.ts';
import { readTerminalWidth, drawTable } from '../../core/cli/text/draw-table.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

type Options = ClaimsOptions & JsonOption & { readonly markdown?: boolean };

export function declare(group: Command, run: Runner): void {
  declareList(group, 'list claims and their verdicts', (command) => {
    declareClaims(command, run);
  });
}

function declareClaims(command: Command, run: Runner): void {
  command.argument('[what...]', 'claims (A3) or sections (A)', ['all']);
  withInventory(command);
  withDatabase(command);
  withPages(command);
  withJson(
    command,
    'print an array of { id, verdict, directionVerdict, sizeVerdict, published, measured, … }',
  )
    .option('--markdown', 'print Markdown tables, one per section')
    .action((what: readonly string[], options: Options) =>
      run((io) => showClaims(what, options, io)),
    );
}

async function showClaims(what: readonly string[], options: Options, io: Io): Promise<ExitCode> {
  const answers = await listClaims(what, options);
  if (options.json) printJson(io, answers.map(claimJson));
  else if (options.markdown === true) print(io, claimsMarkdown(answers));
  else {
    print(io, await tableOf(answers, readTerminalWidth(io.stdout)));
    const open = answers.find(({ kind }) => kind === 'not-measured') ?? answers[0];
    if (open !== undefined)
      next(io, { 'measure one': `${npxCrossfarm} claims reproduce ${open.claim.id}` });
  }
  return exitCodes.fine;
}

/** Where no terminal says how wide it is, so that no line has hundreds of characters. */
const usualWidth = 140;

function tableOf(answers: readonly ClaimAnswer[], columns: number): Promise<string> {
  const head = ['id', 'claim', 'published', 'verdict', 'measured'];
  const rows = answers.map((told) => {
    const { id, sentence, published } = told.claim;
    return [id, sentence, published, ...outcomeOf(told)];
  });
  return drawTable({ head, rows, ruled: true }, Math.min(columns, usualWidth));
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
