import { dirname, join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AuditCell, AuditResult } from './audit.ts';
import { type ForeignLoad, foreignLoads } from './foreign-load.ts';
import type { Tool } from './tool.ts';
import { commandTool, type KnownTool, knownTool, knownTools } from './tools.ts';
import { type ExitCode, exitCodes, FarmError } from '../../core/errors.ts';
import type { CommandEntry } from '../../core/cli/index.ts';
import { makeCaller, type Io, print, printJson, type Runner } from '../../core/cli/io.ts';
import {
  collectNames,
  type DatabaseOption,
  type JsonOption,
  parseCount,
  parseDuration,
  withDatabase,
  withJson,
} from '../../core/cli/options.ts';
import { readTerminalWidth, drawTable } from '../../core/cli/text/draw-table.ts';

interface Options extends DatabaseOption, JsonOption {
  readonly tool?: KnownTool;
  readonly slower?: RegExp;
  readonly faster?: RegExp;
  readonly same?: RegExp;
  readonly comparisons: number;
  readonly loads: readonly string[];
  readonly percent: number;
  readonly patience: number;
  readonly file?: string;
  readonly anew: boolean;
}

export const auditCommand: CommandEntry = {
  name: 'audit',
  summary: 'measure a tool’s false alarms and misses',
  load: () => Promise.resolve({ declare }),
};

function declare(command: Command, run: Runner): void {
  command
    .configureHelp({ commandUsage: () => 'npm run audit -- [options] [command...]' })
    .argument('[command...]', 'after --: command that compares the files {old} and {new}')
    .addHelpText('after', help)
    .addOption(
      new Option('--tool <name>', 'audit a known tool instead of a command').choices(knownTools),
    )
    .option('--slower <pattern>', 'what it prints when {new} is slower', parsePattern)
    .option('--faster <pattern>', 'what it prints when {new} is faster', parsePattern)
    .option('--same <pattern>', 'what it prints when both are equal', parsePattern)
    .option('--comparisons <number>', 'comparisons of each kind under each load', parseCount, 40)
    .option(
      '--loads <names>',
      `loads to run meanwhile: ${foreignLoads.join(', ')}`,
      collectNames,
      [],
    )
    .option('--percent <number>', 'extra work of the different page, in percent', parsePercent, 10)
    .option('--patience <duration>', 'time limit of one comparison', parseDuration, 5 * 60_000)
    .option('--file <path>', 'file of answers (default: audit-<tool>.jsonl next to the database)')
    .option('--anew', 'start over: drop the answers in the file', false);
  withDatabase(command);
  withJson(command, 'print { tool, percent, rows, falseAlarms, found }').action(
    (words: readonly string[], options: Options) => run((io) => audit(words, options, io)),
  );
}

const help = `
Both pages run one loop. Of equal pages any difference is a false alarm; of different ones the new
one does 10 % more. The loads are made beside the command: half a core, a whole one, and bursts of
two seconds in six. What is answered is kept: the same command goes on where it was interrupted.

Examples:
  npm run audit -- --tool crossfarm --comparisons 10 --patience 2m
  npm run audit -- --loads quiet,whole --slower 'slower' --faster 'faster' -- node my-compare.js {old} {new}`;

function parsePattern(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch {
    throw new InvalidArgumentError('It must be a regular expression of JavaScript.');
  }
}

function parsePercent(text: string): number {
  const percent = Number(text);
  // A part of the loop is a thousand rounds: a tenth of a percent is one of them.
  const isWhole = /^\d+(\.\d)?$/.test(text);
  if (isWhole && percent > 0 && percent <= 1_000) return percent;
  throw new InvalidArgumentError('It must be 0.1 to 1000, with one decimal at most.');
}

async function audit(words: readonly string[], options: Options, io: Io): Promise<ExitCode> {
  const { comparisons, percent, patience, anew, database, json } = options;
  const tool = await toolOf(words, options);
  const name = tool.name.replace(/[^\w.-]+/g, '-');
  const { file = join(dirname(database), `audit-${name}.jsonl`) } = options;
  const { auditTool } = await import('./audit.ts');
  const asked = { tool, comparisons, percent, patienceMs: patience, file, anew };
  const result = await auditTool({ ...asked, loads: loadsOf(options) }, makeCaller(io));
  if (json) printJson(io, result);
  else {
    print(io, await describeAudit(result, readTerminalWidth(io.stdout)));
    const next = result.interrupted
      ? 'go on: the same command'
      : 'for more: a larger --comparisons';
    print(io, `${next} (the answers are kept in ${file})`);
  }
  const isAnswered = result.falseAlarms !== null || result.found !== null;
  return result.interrupted || !isAnswered ? exitCodes.unfinished : exitCodes.fine;
}

async function toolOf(words: readonly string[], options: Options): Promise<Tool> {
  const { tool, slower, faster, same } = options;
  const patterns = {
    ...(slower !== undefined && { slower }),
    ...(faster !== undefined && { faster }),
    ...(same !== undefined && { same }),
  };
  if (tool !== undefined && words.length === 0) return knownTool(tool);
  const [program] = words;
  const isWhole = ['{old}', '{new}'].every((page) => words.some((word) => word.includes(page)));
  if (program === undefined || !isWhole || tool !== undefined || slower === undefined) {
    throw new FarmError('bad-argument', {
      what: 'An audit takes a tool, or a command that names {old} and {new}, with --slower at least.',
      next: `Such as: npm run audit -- --tool ${knownTools.join('|')}, or the examples of npm run audit -- --help`,
    });
  }
  return commandTool(words.join(' '), { words, patterns });
}

function loadsOf({ loads }: Options): readonly ForeignLoad[] {
  const unknown = loads.find((load) => !foreignLoads.some((one) => one === load));
  if (unknown !== undefined) {
    throw new FarmError('bad-argument', {
      what: `Unknown load ${unknown}.`,
      next: `Choose of: ${foreignLoads.join(', ')}`,
    });
  }
  return loads.length === 0 ? foreignLoads : foreignLoads.filter((one) => loads.includes(one));
}

async function describeAudit(
  { tool, percent, rows, falseAlarms, found }: AuditResult,
  columns: number,
): Promise<string> {
  const table = await drawTable(
    {
      head: ['load', 'equal pages', 'seconds', `+ ${String(percent)} %`, 'seconds'],
      rows: rows.map(({ load, equal, different }) => [
        load,
        cellText(equal, 'same'),
        seconds(equal),
        cellText(different, 'found'),
        seconds(different),
      ]),
      align: ['left', 'left', 'right', 'left', 'right'],
      ruled: true,
    },
    columns,
  );
  const share = (rate: AuditResult['found']): string =>
    rate === null
      ? 'none was asked'
      : `${percentText(rate.rate)} (95 %: ${percentText(rate.low)} … ${percentText(rate.high)})`;
  return [tool, table, `false alarms ${share(falseAlarms)}`, `found ${share(found)}`].join('\n');
}

function cellText({ right, wrong, undecided, failed }: AuditCell, word: string): string {
  return [
    `${String(right)} ${word}`,
    `${String(wrong)} wrong`,
    `${String(undecided)} undecided`,
    ...(failed === 0 ? [] : [`${String(failed)} failed`]),
  ].join(', ');
}

function seconds({ seconds: value }: AuditCell): string {
  return value === null ? '—' : value.toFixed(0);
}

function percentText(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
