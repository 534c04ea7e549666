import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { isHarmlessInventory, listUntrusted, trustFiles } from '../app/trust.ts';
import { exitCodes, type ExitCode, FarmError } from '../errors.ts';
import { type Grant, listConsents, withdrawConsent } from '../setup/consent.ts';
import { configFile } from './config.ts';
import { type Io, print, printJson, type Runner } from './io.ts';
import { type JsonOption, withJson } from './options.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

const examples = `
Examples:
  ${npxCrossfarm} trust                          (what you trust, in every folder)
  ${npxCrossfarm} trust grant                    (devices.json, crossfarm.config.json and the builds of this folder, as they are)
  ${npxCrossfarm} trust grant bench/devices.json
  ${npxCrossfarm} trust revoke                   (everything in this folder)

A file is trusted as it is now, with the programs of its folder that it names: one that changes is
asked for again. What is trusted is noted in your own state folder (XDG_STATE_HOME), never here.`;

export function declare(command: Command, run: Runner): void {
  const list = (options: JsonOption): Promise<void> => run((io) => showTrusted(options, io));
  command.addHelpText('after', examples);
  withJson(command, 'print { trusted, untrusted }').action(list);
  withJson(command.command('list').description('list trusted files'), 'print an object').action(
    list,
  );
  command
    .command('grant')
    .description('trust files as they are now')
    .argument('[files...]', 'files to trust (default: those of this folder)')
    .action((files: readonly string[]) => run((io) => Promise.resolve(grant(files, io))));
  command
    .command('revoke')
    .description('trust files no longer')
    .argument('[paths...]', 'files or folders (default: this folder)')
    .action((paths: readonly string[]) => run((io) => Promise.resolve(revoke(paths, io))));
}

/** Of the current folder. */
const inventory = 'devices.json';

async function showTrusted({ json }: JsonOption, io: Io): Promise<ExitCode> {
  const trusted = listConsents();
  const isHarmless = existsSync(inventory) && (await isHarmlessInventory(inventory));
  const files = isHarmless ? [configFile] : [inventory, configFile];
  const untrusted = listUntrusted(process.cwd(), files);
  if (json) printJson(io, { trusted, untrusted });
  else {
    const lines = [
      ...trusted.map(describeGrant),
      ...untrusted.map((file) => `not trusted  ${file}`),
    ];
    print(io, lines.length === 0 ? 'nothing is trusted' : lines.map(oneLine).join('\n'));
  }
  return exitCodes.fine;
}

function describeGrant({ file, since, isCurrent }: Grant): string {
  return `${isCurrent ? 'trusted    ' : 'changed    '}  ${file}  (${since.slice(0, 10)})`;
}

function grant(files: readonly string[], io: Io): ExitCode {
  const absent = files.find((file) => !existsSync(file) || !statSync(file).isFile());
  if (absent !== undefined) {
    throw new FarmError('bad-argument', {
      what: `${resolve(absent)} is not a file.`,
      next: `${npxCrossfarm} trust lists the files of this folder.`,
    });
  }
  const chosen = files.length > 0 ? files : listUntrusted(process.cwd(), [inventory, configFile]);
  const granted = trustFiles(chosen);
  const lines = granted.map((file) => oneLine(`trusted  ${file}`));
  print(io, lines.length === 0 ? 'nothing here needs it' : lines.join('\n'));
  return exitCodes.fine;
}

function revoke(paths: readonly string[], io: Io): ExitCode {
  const chosen = paths.length > 0 ? paths : [process.cwd()];
  const ended = [...new Set(chosen.flatMap(withdrawConsent))];
  const lines = ended.map((file) => oneLine(`no longer trusted  ${file}`));
  print(io, lines.length === 0 ? 'nothing there was trusted' : lines.join('\n'));
  return exitCodes.fine;
}

/** The name of a stranger's file, on one line. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, '?');
}
