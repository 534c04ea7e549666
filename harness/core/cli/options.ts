import { InvalidArgumentError, Option, type Command } from 'commander';
import { readDuration } from '../model/duration.ts';
import { FarmError, unknownName } from '../errors.ts';
import type { Choices } from '../plan/catalog/expansion.ts';
import type { OptInProbe } from '../model/reading.ts';
import { readShare } from '../model/share.ts';
import { optInProbes } from '../probes/index.ts';
import { defaultDatabase, defaultInventory, pagesFolder } from '../project.ts';
import { measurementNames } from '../plan/catalog/measurement.ts';
import { defaultLimits } from '../run/limits.ts';
import type { TlsOptions } from '../app/tls/certificate.ts';

/** Options that several commands share, and the parsers of their values. */

export interface InventoryOption {
  readonly inventory: string;
}

export interface PagesOption {
  readonly pages: string;
}

export interface DatabaseOption {
  readonly database: string;
}

export interface ProbeOptions {
  /** False switches off the probes that watch every trial. */
  readonly probes: boolean;
  /** Others, by name; none when left out. */
  readonly probe?: readonly OptInProbe[];
}

export interface JsonOption {
  readonly json: boolean;
}

export function withInventory(command: Command): Command {
  return command.option('--inventory <file>', 'file of devices', defaultInventory());
}

export function withPages(command: Command): Command {
  return command.option('--pages <folder>', 'folder of benchmark pages', pagesFolder());
}

export function withDatabase(command: Command): Command {
  return command.option('--database <file>', 'database of runs', defaultDatabase());
}

/** Where pages are served, how a trial measures, and how long it may take. */
export function withTrialOptions(command: Command): Command {
  const deadline = defaultLimits.trialMs;
  return withTls(command)
    .option('--port <number>', 'port of the page server; 0 takes a free one', parsePort, 0)
    .addOption(
      new Option('--measurement <how>', 'fast: smoke test, one call and 20 ms a trial')
        .choices([...measurementNames])
        .default('standard'),
    )
    .addOption(
      new Option('--deadline <duration>', 'time limit of one trial with retries')
        .argParser(parseDuration)
        .default(deadline, `${String(deadline / 1000)}s`),
    )
    .option(...noWait);
}

/** How pages for other devices are served. A certificate that cannot be used is refused first. */
export function withTls(command: Command): Command {
  return command
    .option('--tls', 'serve pages for other devices over HTTPS')
    .option('--tls-cert <file>', 'your own certificate for it (PEM)')
    .option('--tls-key <file>', 'the key of that certificate (PEM)')
    .hook('preAction', async (_command, called) => {
      const options = called.opts<TlsOptions>();
      if (options.tlsCert === undefined && options.tlsKey === undefined) return;
      const { readCertificate } = await import('../app/tls/certificate.ts');
      await readCertificate(options);
    });
}

/** Of every command that measures. */
export const noWait = ['--no-wait', 'fail if another farm is measuring here'] as const;

export function withJson(command: Command, what: string): Command {
  return command.option('--json', what, false);
}

export function withProbes(command: Command): Command {
  return withOptInProbes(command).option(
    '--no-probes',
    'turn off all probes except those of --probe',
  );
}

function withOptInProbes(command: Command): Command {
  const names = Array.from(optInProbes(), ([name, what]) => `${name} (${what})`).join(', ');
  const what = `extra probes, which slow trials down: ${names}`;
  return command.option('--probe <names>', what, collectProbes, []);
}

/** @throws FarmError for a probe that is not there, or that needs no asking. */
function collectProbes(text: string, sofar: readonly OptInProbe[]): readonly OptInProbe[] {
  const known = [...optInProbes().keys()];
  const names = collectNames(text, []).map((seen) => {
    const name = known.find((one) => one === seen);
    if (name !== undefined) return name;
    throw unknownName('bad-argument', { kind: 'probe', seen, known });
  });
  return [...new Set([...sofar, ...names])];
}

/** Declares what a group does alone, and its `list`, which does the same. @returns the group */
export function declareList(
  group: Command,
  summary: string,
  declare: (command: Command) => void,
): Command {
  declare(group);
  declare(group.command('list').description(summary));
  return group;
}

/** For repeatable options that also take commas: `--device a,b --device c`. */
export function collectNames(text: string, sofar: readonly string[]): readonly string[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) throw new InvalidArgumentError('It must name something.');
  return [...sofar, ...names];
}

/** `n=20..24` or `function=syncFib,asyncFib`; repeated names add up. */
export function collectParameters(text: string, sofar: Choices): Choices {
  const [, name, list] = /^([A-Za-z][A-Za-z0-9-]*)=(.+)$/.exec(text) ?? [];
  if (name === undefined || list === undefined) {
    throw new InvalidArgumentError(
      'It must look like n=20, n=20..24 or function=syncFib,asyncFib.',
    );
  }
  const before = sofar[name];
  const values = before === undefined ? [] : Array.isArray(before) ? before : [before];
  return { ...sofar, [name]: [...values, ...list.split(',')] };
}

/** The option for parameters of a suite's cases. */
export const suiteParameters = [
  '--param <name=values>',
  'parameters, such as n=20..24 or place=main,worker',
  collectParameters,
  {},
] as const;

export function parseCount(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1 || value > 10_000) {
    throw new InvalidArgumentError('It must be a whole number from 1 to 10000.');
  }
  return value;
}

export function parseSeed(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0 || value > 0xffff_ffff) {
    throw new InvalidArgumentError('It must be a whole number from 0 to 4294967295.');
  }
  return value;
}

export function parsePort(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535) {
    throw new InvalidArgumentError('It must be a port from 0 (any free one) to 65535.');
  }
  return value;
}

/** `90` and `90s`, `3m`, `1.5h`, `500ms`, as milliseconds: a number alone is of seconds. */
export function parseDuration(text: string): number {
  const value = readDuration(text);
  if (value !== null) return value;
  throw new InvalidArgumentError(
    'It must be a duration such as 90 (seconds), 90s, 3m or 1.5h, more than 0 and at most 24h.',
  );
}

const factors: Readonly<Record<string, number>> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 };

/** `500MB`, `1.5 GB`, `200000` (bytes). */
export function parseSize(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmgt]?b)?$/i.exec(text.trim()) ?? [];
  const value = Number(digits) * (factors[unit.toLowerCase() || 'b'] ?? NaN);
  if (digits !== '' && value >= 1) return Math.floor(value);
  throw new InvalidArgumentError('It must be a size such as 500MB or 2GB.');
}

/** A sentence of a person, on one line. */
export function parseSentence(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '' || line.length > 300) {
    throw new InvalidArgumentError('It must say what it is, in 1 to 300 characters.');
  }
  return line;
}

/** A run's number, or `latest`. */
export function parseRun(text: string): number | 'latest' {
  if (text === 'latest') return text;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new FarmError('bad-argument', {
    what: `"${text}" is not a run.`,
    next: 'Name a run by its number, or say "latest".',
  });
}

/** The argument of `--margin`, such as `2%` or `0.02`: 0 asks for any difference. */
export function parseMargin(text: string): number {
  const share = readShare(text);
  if (share !== null) return share;
  throw new InvalidArgumentError('It must be a share such as 2% or 0.02, less than 1.');
}

/** A share such as `2%` or `0.02`, more than 0 and less than 1. */
export function parseShare(text: string): number {
  const share = readShare(text);
  if (share !== null && share > 0) return share;
  throw new InvalidArgumentError(
    'It must be a share such as 2% or 0.02, more than 0 and less than 1.',
  );
}
