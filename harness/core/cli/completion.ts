import type { Command } from 'commander';
import { type ExitCode, exitCodes, unknownName } from '../errors.ts';
import { type Io, print, type Runner } from './io.ts';
import { type CompletedCommand, completions } from './text/completion-text.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

export function declare(command: Command, run: Runner): void {
  command
    .argument('<shell>', Object.keys(completions).join(', '))
    .addHelpText('after', examples)
    .action((shell: string) => run((io) => Promise.resolve(complete(shell, command.parent, io))));
}

const examples = `
It completes farm and crossfarm, where these are commands of the shell (npm install -g, or
node_modules/.bin in PATH); npx completes for itself alone.

Examples:
  source <(${npxCrossfarm} completion bash)                              (in ~/.bashrc)
  source <(${npxCrossfarm} completion zsh)                               (in ~/.zshrc, after compinit)
  ${npxCrossfarm} completion fish > ~/.config/fish/completions/farm.fish`;

function complete(shell: string, program: Command | null, io: Io): ExitCode {
  const known = Object.keys(completions);
  const write = completions[shell];
  if (write === undefined) {
    throw unknownName('bad-argument', { kind: 'shell', seen: shell, known });
  }
  print(io, write((program?.commands ?? []).map(completed)));
  return exitCodes.fine;
}

function completed(command: Command): CompletedCommand {
  const options = command.options.flatMap(({ long, description, required, optional }) =>
    typeof long === 'string' ? [{ flag: long, description, takesValue: required || optional }] : [],
  );
  const commands = command.commands.map(completed);
  return { name: command.name(), summary: command.description(), options, commands };
}
