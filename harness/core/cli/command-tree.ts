import { type Command, Help } from 'commander';
import { nearestName, unknownName } from '../errors.ts';
import type { CommandEntry } from './index.ts';
import type { Runner } from './io.ts';

/**
 * Replaces the bare name of a command that stands under another by both names, such as `export` by
 * `db export`, and `help <command>` by `<command> --help`.
 */
export function completeNames(
  args: readonly string[],
  entries: readonly CommandEntry[],
): readonly string[] {
  const at = args.findIndex((arg) => !arg.startsWith('-'));
  const word = args[at];
  if (word === undefined) return args;
  const [before, after] = [args.slice(0, at), args.slice(at + 1)];
  if (word === 'help') return [...completeNames([...before, ...after], entries), '--help'];
  if (findTop(word, entries) !== undefined) return args;
  const entry = entries.find((one) => one.under !== undefined && isCalled(one, word));
  return entry?.under === undefined ? args : [...before, entry.under, word, ...after];
}

/** Adds the name of the command that takes a first argument which names none: `open mine.html`. */
export async function addCommand(
  args: readonly string[],
  entries: readonly CommandEntry[],
): Promise<readonly string[]> {
  const at = args.findIndex((arg) => !arg.startsWith('-'));
  const word = args[at];
  if (word === undefined || findTop(word, entries) !== undefined) return args;
  for (const { name, takes } of entries) {
    if ((await takes?.(word)) === true) return [...args.slice(0, at), name, ...args.slice(at)];
  }
  return args;
}

interface Declaring {
  /** False for a command whose module stays unloaded: it has its summary alone. */
  readonly isNeeded?: (entry: CommandEntry) => boolean;
  readonly run: Runner;
}

/** Declares commands, and those under them, in their order. */
export async function declareCommands(
  program: Command,
  entries: readonly CommandEntry[],
  { isNeeded = () => true, run }: Declaring,
): Promise<void> {
  const tops = new Map<string, Command>();
  for (const entry of entries) {
    const { name, under, also = [], summary, group, isHidden: hidden = false } = entry;
    const parent = under === undefined ? program : tops.get(under);
    if (parent === undefined) throw new Error(`no command ${String(under)} was declared`);
    const command = parent.command(name, { hidden }).aliases([...also]);
    command.description(summary);
    if (under === undefined) {
      tops.set(name, command);
      if (group !== undefined) command.helpGroup(group);
    }
    if (isNeeded(entry)) (await entry.load()).declare(command, run);
  }
  for (const command of tops.values()) {
    refuseOtherNames(command);
    explainUse(command, program.name());
  }
}

/** Ends an error of use with the usage of the command that was called. */
function explainUse(command: Command, above: string): void {
  const typed = `${above} ${command.name()}`;
  command.showHelpAfterError(`(usage: ${typed} ${command.usage()}; ${typed} --help explains it)`);
  for (const one of command.commands) explainUse(one, typed);
}

/** Help calls a command by its one name. */
export const oneName = {
  subcommandTerm: (command: Command): string => command.name(),
  commandUsage(this: Help, command: Command): string {
    return Help.prototype.commandUsage.call(this, command).replace(/\|\S+/, '');
  },
};

/** The argument of a group that takes none is meant as the name of a command under it. */
function refuseOtherNames(group: Command): void {
  if (group.commands.length === 0 || group.registeredArguments.length > 0) return;
  group.allowExcessArguments().hook('preAction', (_group, acting) => {
    const [seen] = acting.args;
    if (acting !== group || seen === undefined) return;
    const known = group.commands.map((one) => one.name());
    throw unknownName('bad-argument', { kind: `command of ${group.name()}`, seen, known });
  });
}

/** Returns the command whose name is nearest to an unknown one, as it is typed; else null. */
export function nearestCommand(seen: string, entries: readonly CommandEntry[]): string | null {
  const typed = new Map(
    entries.flatMap((entry) => namesOf(entry).map((name) => [name, typedName(entry)] as const)),
  );
  const near = nearestName(seen, [...typed.keys()]);
  return near === null ? null : (typed.get(near) ?? null);
}

/** `db export`, as its user types it. */
export function typedName({ name, under }: Pick<CommandEntry, 'name' | 'under'>): string {
  return under === undefined ? name : `${under} ${name}`;
}

/** The command at the top level that is called so. */
export function findTop(word: string, entries: readonly CommandEntry[]): CommandEntry | undefined {
  return entries.find((one) => one.under === undefined && isCalled(one, word));
}

/** True if a command is called so, without that which it stands under. */
export function isCalled(entry: CommandEntry, word: string): boolean {
  return namesOf(entry).includes(word);
}

function namesOf({ name, also = [] }: CommandEntry): readonly string[] {
  return [name, ...also];
}
