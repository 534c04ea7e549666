/** Scripts by which shells complete commands and options; files are completed as everywhere else. */

export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  /** Those under it; none when left out. */
  readonly commands?: readonly CompletedCommand[];
}

interface CompletedOption {
  /** `--suite` */
  readonly flag: string;
  readonly description: string;
  readonly takesValue: boolean;
}

/** The names of the one program. */
const programs = ['farm', 'crossfarm'] as const;

/** By the name of the shell. */
export const completions: Readonly<
  Record<string, (commands: readonly CompletedCommand[]) => string>
> = { bash, zsh, fish };

/** Names are ours, and hold nothing that a shell reads as more than a name. */
function bash(commands: readonly CompletedCommand[]): string {
  return [
    '_farm() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" words="" commands=""',
    '  COMPREPLY=()',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W "${listNames(commands)}" -- "$current"))`,
    '    return',
    '  fi',
    '  case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in',
    ...commands.flatMap(bashCases),
    '  esac',
    '  case "$current" in',
    '    -*) COMPREPLY=($(compgen -W "$words --help" -- "$current")) ;;',
    '    *) [ "$COMP_CWORD" -ne 2 ] || COMPREPLY=($(compgen -W "$commands" -- "$current")) ;;',
    '  esac',
    '}',
    `complete -o bashdefault -o default -F _farm ${programs.join(' ')}`,
  ].join('\n');
}

function bashCases({ name, options, commands = [] }: CompletedCommand): readonly string[] {
  const flags = (all: readonly CompletedOption[]): string => all.map(({ flag }) => flag).join(' ');
  return [
    ...commands.map((one) => `    "${name} ${one.name}") words="${flags(one.options)}" ;;`),
    `    "${name} "*) words="${flags(options)}" commands="${listNames(commands)}" ;;`,
  ];
}

function listNames(commands: readonly CompletedCommand[]): string {
  return commands.map(({ name }) => name).join(' ');
}

function zsh(commands: readonly CompletedCommand[]): string {
  return [
    `#compdef ${programs.join(' ')}`,
    '_farm() {',
    ...zshCommands(commands),
    '}',
    `compdef _farm ${programs.join(' ')}`,
  ].join('\n');
}

/** Completes one of these commands, and what follows its name. */
function zshCommands(commands: readonly CompletedCommand[]): readonly string[] {
  return [
    '  if (( CURRENT == 2 )) && [[ $PREFIX != -* ]]; then',
    '    local -a commands=(',
    ...commands.map(
      ({ name, summary }) => `      ${quoted(`${name}:${escaped(summary, /[\\:]/g)}`)}`,
    ),
    '    )',
    "    _describe 'command' commands",
    '    return',
    '  fi',
    '  case $words[2] in',
    ...commands.flatMap((command) => [
      `    ${command.name})`,
      '      (( CURRENT-- )); shift words',
      ...(command.commands?.length ? zshCommands(command.commands) : []),
      `      _arguments ${zshOptions(command)}`,
      '      return ;;',
    ]),
    '  esac',
  ];
}

function zshOptions({ options }: CompletedCommand): string {
  const specs = options.map(({ flag, description, takesValue }) =>
    quoted(`*${flag}[${escaped(description, /[[\]\\:]/g)}]${takesValue ? ':value:_files' : ''}`),
  );
  return [...specs, quoted('*:file:_files')].join(' ');
}

function fish(commands: readonly CompletedCommand[]): string {
  return programs
    .flatMap((program) =>
      commands.flatMap((command) => [
        `complete -c ${program} -n __fish_use_subcommand -f ${fishName(command)}`,
        ...fishCommand(command).map((line) => `complete -c ${program} ${line}`),
      ]),
    )
    .join('\n');
}

/** Completes what follows the name of a command. */
function fishCommand({ name, options, commands = [] }: CompletedCommand): readonly string[] {
  const isSeen = `__fish_seen_subcommand_from ${name}`;
  const below = `__fish_seen_subcommand_from ${listNames(commands)}`;
  const isLast = commands.length === 0 ? isSeen : `${isSeen}; and not ${below}`;
  return [
    ...commands.map((one) => `-n '${isLast}' -f ${fishName(one)}`),
    ...options.map((option) => `-n '${isLast}' ${fishOption(option)}`),
    ...commands.flatMap((one) =>
      one.options.map(
        (option) =>
          `-n '${isSeen}; and __fish_seen_subcommand_from ${one.name}' ${fishOption(option)}`,
      ),
    ),
  ];
}

function fishName({ name, summary }: CompletedCommand): string {
  return `-a ${name} -d ${fishQuoted(summary)}`;
}

function fishOption({ flag, description, takesValue }: CompletedOption): string {
  return `-l ${flag.slice(2)}${takesValue ? ' -r' : ''} -d ${fishQuoted(description)}`;
}

function escaped(text: string, special: RegExp): string {
  return text.replace(special, '\\$&');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** In its single quotes fish reads a backslash. */
function fishQuoted(text: string): string {
  return `'${escaped(text, /[\\']/g)}'`;
}
