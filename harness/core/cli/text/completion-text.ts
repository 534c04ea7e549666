/** Scripts by which shells complete commands and options; files are completed as everywhere else. */

export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
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
  const cases = commands.map(
    ({ name, options }) => `    ${name}) words="${options.map(({ flag }) => flag).join(' ')}" ;;`,
  );
  return [
    '_farm() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" words=""',
    '  COMPREPLY=()',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')}" -- "$current"))`,
    '    return',
    '  fi',
    '  case "${COMP_WORDS[1]}" in',
    ...cases,
    '  esac',
    '  case "$current" in',
    '    -*) COMPREPLY=($(compgen -W "$words --help" -- "$current")) ;;',
    '  esac',
    '}',
    `complete -o bashdefault -o default -F _farm ${programs.join(' ')}`,
  ].join('\n');
}

function zsh(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(({ name, options }) => {
    const specs = options.map(({ flag, description, takesValue }) =>
      quoted(`*${flag}[${escaped(description, /[[\]\\:]/g)}]${takesValue ? ':value:_files' : ''}`),
    );
    return `    ${name}) _arguments ${[...specs, quoted('*:file:_files')].join(' ')} ;;`;
  });
  return [
    `#compdef ${programs.join(' ')}`,
    '_farm() {',
    '  if (( CURRENT == 2 )); then',
    '    local -a commands=(',
    ...commands.map(
      ({ name, summary }) => `      ${quoted(`${name}:${escaped(summary, /[\\:]/g)}`)}`,
    ),
    '    )',
    "    _describe 'command' commands",
    '    return',
    '  fi',
    '  local command=$words[2]',
    '  (( CURRENT-- )); shift words',
    '  case $command in',
    ...cases,
    '  esac',
    '}',
    `compdef _farm ${programs.join(' ')}`,
  ].join('\n');
}

function fish(commands: readonly CompletedCommand[]): string {
  return programs
    .flatMap((program) =>
      commands.flatMap(({ name, summary, options }) => [
        `complete -c ${program} -n __fish_use_subcommand -f -a ${name} -d ${fishQuoted(summary)}`,
        ...options.map(
          ({ flag, description, takesValue }) =>
            `complete -c ${program} -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}${takesValue ? ' -r' : ''} -d ${fishQuoted(description)}`,
        ),
      ]),
    )
    .join('\n');
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
