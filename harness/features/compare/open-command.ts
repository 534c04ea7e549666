import type { Command } from 'commander';
import pc from 'picocolors';
import { formatQuantity, plural } from '../../../reports/html/number.ts';
import { shellWord } from '../../core/app/run/repeat-command.ts';
import { type Io, makeCaller, note, print, printJson, type Runner } from '../../core/cli/io.ts';
import {
  collectNames,
  type JsonOption,
  noWait,
  parseDuration,
  withDatabase,
  withInventory,
  withJson,
  withPages,
} from '../../core/cli/options.ts';
import { drawTable, readTerminalWidth } from '../../core/cli/text/draw-table.ts';
import { type ExitCode, exitCodes } from '../../core/errors.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { plain } from '../../core/run/progress/plain-text.ts';
import {
  type OpenedPage,
  type OpenedPages,
  openInBrowsers,
  type OpenOptions,
} from './open-pages.ts';

type Options = Omit<OpenOptions, 'port'> & JsonOption;

export function declare(command: Command, run: Runner): void {
  command.argument('<pages...>', 'HTML files, folders or URLs').addHelpText('after', help);
  withInventory(command);
  withDatabase(command);
  withPages(command);
  withJson(command, 'print { pages, browsers: [{ page, device, status, measures, errors }] }')
    .option('--browsers <ids>', 'browsers to open (default: all found)', collectNames, [])
    .option('--root <folder>', 'folder to serve at /')
    .option('--spa', 'serve index.html for unknown addresses', false)
    .option('--no-isolation', 'serve pages without COOP and COEP')
    .option('--deadline <duration>', 'time limit of one load (default: 20s)', parseDuration, 20_000)
    .option(...noWait)
    .action((pages: readonly string[], options: Options) => run((io) => open(pages, options, io)));
}

const help = `
Opens each page once in every browser, and stores nothing. One load each is no measurement.

Examples:
  ${npxCrossfarm} mine.html                  (the same as ${npxCrossfarm} open mine.html)
  ${npxCrossfarm} http://127.0.0.1:8000/ --browsers chromium,firefox

Exit codes: 0 opened everywhere without an error; 1 failed or had an error in a browser; 2 cannot be opened.`;

async function open(
  names: readonly string[],
  { json, ...options }: Options,
  io: Io,
): Promise<ExitCode> {
  const opened = await openInBrowsers(names, { ...options, port: 0 }, makeCaller(io));
  if (json) printJson(io, openedJson(opened));
  else {
    print(io, await drawOpened(opened, readTerminalWidth(io.stdout)));
    for (const line of describeMissing(opened)) note(io, pc.dim(line));
  }
  const isFine = opened.opened.every(
    ({ failure, errors }) => failure === null && errors.length === 0,
  );
  return isFine ? exitCodes.fine : exitCodes.refuted;
}

/** A terminal has room for this number of own measures. */
const mostMeasures = 5;

/** A line for each page in each browser, what went wrong, and how to measure it. */
async function drawOpened(shown: OpenedPages, columns: number): Promise<string> {
  const { pages, opened } = shown;
  const all = [
    ...new Map(
      opened.flatMap(({ measures }) => measures.map(({ metric }) => [metric.id, metric] as const)),
    ).values(),
  ];
  const metrics = all.slice(0, 3 + mostMeasures);
  const areMany = pages.length > 1;
  const head = [
    ...(areMany ? ['page'] : []),
    'browser',
    ...metrics.map(({ title }) => plain(title)),
    'errors',
  ];
  const rows = opened.map((one) => [
    ...(areMany ? [plain(one.page)] : []),
    nameBrowser(one),
    ...metrics.map(({ id, unit }) => describeValue(one, id, unit)),
    describeState(one),
  ]);
  const align = head.map<'left' | 'right'>((title) =>
    ['page', 'browser', 'errors'].includes(title) ? 'left' : 'right',
  );
  const more = all.length - metrics.length;
  return [
    ...(areMany ? [] : [pc.bold(plain(pages[0] ?? ''))]),
    await drawTable({ head, rows, align }, columns),
    ...(more > 0 ? [`${plural(more, 'more measure')}: --json lists all`] : []),
    ...describeFaults(opened),
    pc.yellow('One load each decides nothing.'),
    ...nextCommands(shown).map(({ purpose, command }) => `${purpose}: ${command}`),
  ].join('\n');
}

function nameBrowser({ deviceId, browser }: OpenedPage): string {
  return browser === null
    ? deviceId
    : `${deviceId} ${browser.version.split('.').slice(0, 2).join('.')}`;
}

function describeValue({ measures }: OpenedPage, id: string, unit: string): string {
  const measure = measures.find(({ metric }) => metric.id === id);
  if (measure === undefined || measure.value === null) return '—';
  const text = formatQuantity(measure.value, { unit, resolution: 0 }).replaceAll('\u00a0', ' ');
  return measure.times > 1 ? `${text} (median of ${String(measure.times)})` : text;
}

function describeState({ failure, errors }: OpenedPage): string {
  if (failure !== null) return pc.red('failed');
  return errors.length === 0 ? 'none' : pc.red(String(errors.length));
}

function describeFaults(opened: readonly OpenedPage[]): readonly string[] {
  return opened.flatMap(({ page, deviceId, failure, errors }) =>
    [...(failure === null ? [] : [failure]), ...errors].map((text) =>
      pc.red(plain(`${page} in ${deviceId}: ${text}`)),
    ),
  );
}

function describeMissing({ missing }: OpenedPages): readonly string[] {
  if (missing.length === 0) return [];
  const names = missing.map(({ device }) => device.id).join(', ');
  return [`not here: ${names} (${npxCrossfarm} devices says why)`];
}

/** Commands that measure what was only opened. */
function nextCommands({
  pages,
  opened,
}: OpenedPages): readonly { readonly purpose: string; readonly command: string }[] {
  const words = pages.map(shellWord).join(' ');
  const [first, ...others] = pages;
  if (others.length > 0) {
    return [{ purpose: 'compare them', command: `${npxCrossfarm} compare ${words}` }];
  }
  const [a, b] = opened.filter(({ failure }) => failure === null).map(({ deviceId }) => deviceId);
  return [
    ...(a === undefined || b === undefined || first === undefined
      ? []
      : [
          {
            purpose: 'compare two browsers',
            command: `${npxCrossfarm} compare ${a} ${b} --page ${shellWord(first)}`,
          },
        ]),
    { purpose: 'measure it in all', command: `${npxCrossfarm} run ${words}` },
  ];
}

/** A contract with other tools. */
function openedJson(shown: OpenedPages): object {
  const { pages, opened, missing } = shown;
  return {
    pages,
    browsers: [
      ...opened.map(({ page, deviceId, browser, failure, measures, errors }) => ({
        page,
        device: deviceId,
        browser,
        status: failure === null ? 'opened' : 'failed',
        ...(failure !== null && { reason: failure }),
        measures: measures.map(({ metric: { id, title, unit }, value, times }) => ({
          metric: id,
          title,
          unit,
          value,
          times,
        })),
        errors,
      })),
      ...missing.map(({ device, reason, remedy }) => ({
        device: device.id,
        status: 'missing',
        reason,
        remedy,
      })),
    ],
    next: nextCommands(shown).map(({ command }) => command),
  };
}
