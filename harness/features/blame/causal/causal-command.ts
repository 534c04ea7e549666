import { type Command, Help } from 'commander';
import { type ExitCode, exitCodes } from '../../../core/errors.ts';
import { type Io, print, printJson, type Runner } from '../../../core/cli/io.ts';
import {
  collectNames,
  type JsonOption,
  parseCount,
  parseDuration,
  parseSeed,
  withDatabase,
  withInventory,
  withJson,
  withPages,
  withProbes,
  withTrialOptions,
} from '../../../core/cli/options.ts';
import {
  printEndReport,
  reportField,
  type ReportOption,
  withReport,
  writeEndReport,
} from '../../../core/cli/end-report.ts';
import { concludingCaller } from '../../../core/cli/run-output.ts';
import { readTerminalWidth } from '../../../core/cli/text/draw-table.ts';
import { npxCrossfarm } from '../../../core/model/typed-command.ts';
import { shellWord } from '../../../core/app/run/repeat-command.ts';
import { defaultMargin } from '../../../core/analysis/stats/verdict.ts';
import type { VersionsOptions } from '../../compare/options.ts';
import { declareConditions, declareMeasures } from '../../compare/versions-options.ts';

interface Options extends Omit<VersionsOptions, 'margin' | 'repeat'>, JsonOption, ReportOption {
  readonly function: readonly string[];
}

export function declare(command: Command, run: Runner): void {
  command.argument('<page>', 'HTML file, or folder with an index.html').addHelpText('after', help);
  withInventory(command);
  withDatabase(command);
  withPages(command);
  withTrialOptions(command);
  withProbes(command);
  withReport(command);
  withJson(command, 'print { browsers: [{ functions: [{ slope, low, high, … }] }], … }')
    .option('--browsers <ids>', 'browsers to measure (default: all found)', collectNames, [])
    .option('--function <name>', 'function to delay; repeatable', collectTexts, [])
    .option('--root <folder>', 'folder to serve at /')
    .option('--despite-errors', 'also measure a page with errors', false)
    .option('--max-blocks <number>', 'stop after N blocks', parseCount, 30)
    .option(
      '--budget <duration>',
      'stop after this time, but not before five blocks',
      parseDuration,
    )
    .option('--seed <number>', 'seed of the order; repeats a run', parseSeed);
  declareMeasures(command);
  declareConditions(command);
  command.configureHelp({
    optionDescription(this: Help, option) {
      return Help.prototype.optionDescription.call(this, option).replace(/^versions: /, '');
    },
  });
  command.action((page: string, options: Options) => run((io) => measure(page, options, io)));
}

function collectTexts(text: string, sofar: readonly string[]): readonly string[] {
  return [...sofar, text];
}

const help = `
What would a faster function bring? The farm serves copies of the page. In each of them one function waits
at its calls, in two sizes that the scatter of the measure asks for, and it is measured how long it really
waited. A slope of 1 means that each millisecond in the function is one of the measure, 0 that nothing waits
for it. All functions and sizes, and none, stand in each block in random order. The functions with the most
time of their own are chosen by a profile. It ends when each slope is known to ± 0.1; all slopes hold
together with 95 %.

Examples:
  ${npxCrossfarm} causal page.html --measure measure:render --browsers chromium
  ${npxCrossfarm} causal page.html --measure lcp --function layoutRows --function "parse (data.js:12)"`;

async function measure(page: string, options: Options, io: Io): Promise<ExitCode> {
  const { json, report, function: functions, ...others } = options;
  const { measureCausal } = await import('./causal.ts');
  const { describeCausal, causalJson, makeCausalFacts } = await import('./causal-text.ts');
  const { keepAnswer } = await import('../profile/kept-answers.ts');
  const caller = concludingCaller(json, io);
  const asked = { ...others, functions, margin: defaultMargin, repeat: true };
  const command = causalCommand(page, options);
  const found = await measureCausal(page, { ...asked, command }, caller);
  const { run } = found.compared;
  const { database } = options;
  await keepAnswer('causal', makeCausalFacts(found, page), database);
  const place = { database, ...(report !== undefined && { report }) };
  const { written } = await writeEndReport(run, place, io);
  if (json) printJson(io, { ...causalJson(found), ...reportField(written) });
  else {
    print(io, await describeCausal(found, readTerminalWidth(io.stdout)));
    printEndReport(run, written, io);
  }
  return found.compared.interrupted ? exitCodes.unfinished : exitCodes.fine;
}

/** The command that repeats it, without its seed. */
function causalCommand(page: string, options: Options): string {
  return [
    `${npxCrossfarm} causal ${shellWord(page)}`,
    ...options.measure.map((one) => `--measure ${shellWord(one)}`),
    ...options.function.map((one) => `--function ${shellWord(one)}`),
    ...(options.browsers.length > 0 ? [`--browsers ${options.browsers.join(',')}`] : []),
    ...(options.root === undefined ? [] : [`--root ${shellWord(options.root)}`]),
    `--max-blocks ${String(options.maxBlocks)}`,
  ].join(' ');
}
