import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Command, InvalidArgumentError, type Option } from 'commander';
import { z } from 'zod';
import { FarmError, unknownName } from '../errors.ts';
import { isWithin, requireConsent } from '../setup/consent.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

/** Options that its owner does not want to type, by command, in the current folder. */
export const configFile = 'crossfarm.config.json';

/** The section of options for every command that has them. */
const forAll = 'all';

/** On a command line none can be: system calls take none in a path. */
const text = z.string().refine((one) => !one.includes('\0'), { error: 'must have no null byte' });

const value = z.union([text, z.number(), z.boolean(), z.array(text)]);

const configuration = z.record(z.string(), z.union([z.string(), z.record(z.string(), value)]));

type Value = z.infer<typeof value>;

/**
 * Sets the options of a command that its user has not said to what the file of the current folder
 * says. The command's own section overrides `all`.
 * @returns what was set, as it would be typed
 * @throws ConsentError for a file that is not trusted, and leads to programs or out of its folder
 * @throws FarmError `bad-argument` for a file that is not valid, an option that the command does
 * not have, and a value that it does not take
 */
export async function applyConfig(
  command: Command,
  folder = process.cwd(),
): Promise<readonly string[]> {
  const path = resolve(folder, configFile);
  if (!existsSync(path)) return [];
  const applied: AppliedOption[] = [];
  const { readJsonFile } = await import('../json-file.ts');
  const kind = { noun: 'configuration', code: 'bad-argument', schema: configuration } as const;
  const sections = await readJsonFile(path, kind);
  const name = fullName(command);
  for (const [key, given] of listSections(command).flatMap((one) => listEntries(sections[one]))) {
    const option = findOption(command, key);
    if (option === undefined) {
      const known = command.options.map((one) => findKey(one));
      throw unknownName('bad-argument', { kind: `option of farm ${name}`, seen: key, known });
    }
    if (set(command, option, given)) applied.push({ option, given });
  }
  for (const [key, given] of listEntries(sections[forAll])) {
    const option = findOption(command, key);
    if (option !== undefined && set(command, option, given)) applied.push({ option, given });
  }
  const does = applied.filter((one) => leadsAway(one, folder)).map(inWords);
  if (does.length > 0) requireConsent(path, [`it sets ${does.join(' ')}`]);
  return applied.map(inWords);
}

/** An option that the file has set, and to what. */
interface AppliedOption {
  readonly option: Option;
  readonly given: Value;
}

function inWords({ option, given }: AppliedOption): string {
  const name = option.long ?? '';
  if (isSecret(option)) return name;
  return typeof given === 'boolean' ? name : `${name} ${JSON.stringify(given)}`;
}

/** Options whose values are secrets. */
function isSecret({ long }: Option): boolean {
  return /^--(header|cookie|basic-auth|farm)$/.test(long ?? '');
}

/**
 * Options that run programs or modules, open the farm to others, send what the environment or a file has, or
 * have a browser believe a server.
 */
const powers =
  /^--(build|[ab]-(executable|flag)|pages|with|trust|lan|header|cookie|basic-auth|insecure|ca)$/;

/** True for an option that runs what the file names, or reads or writes outside its folder. */
function leadsAway({ option, given }: AppliedOption, folder: string): boolean {
  if (powers.test(option.long ?? '')) return given !== false;
  const texts = [given].flat().map(String);
  if (option.long === '--input' && texts.some((text) => !text.endsWith('.json'))) return true;
  const isPath = /<(file|folder|path)>/.test(option.flags);
  return isPath && texts.some((text) => !isWithin(realpathSync(folder), realPlace(folder, text)));
}

/** Where a path leads, links followed, as far as it is there. */
function realPlace(folder: string, text: string): string {
  const path = resolve(folder, text);
  if (existsSync(path)) return realpathSync(path);
  const above = dirname(path);
  return above === path ? path : join(realPlace(folder, above), basename(path));
}

/**
 * Names of the sections that count for a command: its full name, the names that it was called by and
 * those of earlier versions. A group lists, so it shares the sections of its list.
 */
function listSections(command: Command): readonly string[] {
  const isTop = command.parent?.parent === null;
  // Of a command under another, such as `merge`, the other name may have another purpose.
  const earlier = isTop ? command.aliases() : command.name() === 'list' ? [] : [command.name()];
  const names = [fullName(command), fullName(command, calledName), calledName(command), ...earlier];
  const hasList = command.commands.some((one) => one.name() === 'list');
  return [
    ...new Set([
      ...names,
      ...names.flatMap((one) => (hasList ? [`${one} list`] : [])),
      ...names.filter((one) => one.endsWith(' list')).map((one) => one.slice(0, -' list'.length)),
    ]),
  ];
}

/** The name that a command was called by. */
function calledName(command: Command): string {
  const called = command.parent?.args[0] ?? '';
  return command.aliases().includes(called) ? called : command.name();
}

/** `nightly install`: the names of commands under commands, without the program's. */
function fullName(command: Command, nameIt = (one: Command): string => one.name()): string {
  const { parent } = command;
  return parent?.parent ? `${fullName(parent, nameIt)} ${nameIt(command)}` : nameIt(command);
}

function listEntries(section: unknown): readonly [string, Value][] {
  return typeof section === 'object' && section !== null
    ? (Object.entries(section) as [string, Value][])
    : [];
}

/** As on the command line, without dashes: `max-blocks`; `repeat` of `--no-repeat`. */
function findKey({ long, negate }: Option): string {
  return (long ?? '').replace(negate ? /^--no-/ : /^--/, '');
}

function findOption(command: Command, key: string): Option | undefined {
  return command.options.find((one) => findKey(one) === key);
}

/** @returns whether the file decides */
function set(command: Command, option: Option, given: Value): boolean {
  const attribute = option.attributeName();
  const source = command.getOptionValueSource(attribute);
  if (source !== undefined && source !== 'default') return false;
  command.setOptionValueWithSource(attribute, parsed(option, given), 'config');
  return true;
}

/**
 * Reads a value as the command line does; a list is read as an option that is given several times.
 */
function parsed(option: Option, given: Value): unknown {
  if (option.isBoolean() || option.negate) {
    if (typeof given === 'boolean') return given;
    throw refused(option, given, 'it is true or false');
  }
  const texts = Array.isArray(given) ? given : [String(given)];
  const { parseArg, defaultValue } = option;
  if (texts.length === 0 && !Array.isArray(defaultValue)) {
    throw refused(option, given, 'it is one value');
  }
  if (parseArg === undefined) return texts.at(-1);
  try {
    return texts.reduce<unknown>((sofar, text) => parseArg(text, sofar), defaultValue);
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw refused(option, given, error.message);
    throw error;
  }
}

function refused(option: Option, given: Value, why: string): FarmError {
  const seen = isSecret(option) ? 'this' : JSON.stringify(given);
  return new FarmError('bad-argument', {
    what: `${configFile}: ${findKey(option)} cannot be ${seen}: ${why}`,
    next: `Correct ${configFile}; ${npxCrossfarm} <command> --help says what an option takes.`,
  });
}

/** The JSON Schema of the file, for editors, of these commands. */
export function configSchema(commands: readonly Command[]): object {
  const sections = commands.flatMap((one) => [one, ...one.commands]);
  const shared = new Map(sections.flatMap((one) => listProperties(one)));
  const section = (properties: readonly (readonly [string, object])[]): object => ({
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(properties),
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'What farm is not told on the command line',
    type: 'object',
    additionalProperties: false,
    properties: {
      $schema: { type: 'string' },
      [forAll]: {
        ...section([...shared]),
        description: 'Of every command that has the option.',
      },
      ...Object.fromEntries(
        sections
          .filter((one) => listProperties(one).length > 0)
          .map((one) => [fullName(one), section(listProperties(one))]),
      ),
    },
  };
}

function listProperties(command: Command): readonly (readonly [string, object])[] {
  return command.options.map((option) => {
    const { description, argChoices } = option;
    const isBoolean = option.isBoolean() || option.negate;
    const type = isBoolean ? 'boolean' : ['string', 'number', 'array'];
    const what = { description, ...(argChoices === undefined ? { type } : { enum: argChoices }) };
    const items = isBoolean || argChoices !== undefined ? {} : { items: { type: 'string' } };
    return [findKey(option), { ...what, ...items }] as const;
  });
}
