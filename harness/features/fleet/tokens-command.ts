import { type Command, Option } from 'commander';
import { type ExitCode, exitCodes } from '../../core/errors.ts';
import { type Io, next, note, print, printJson, type Runner } from '../../core/cli/io.ts';
import { type JsonOption, withJson } from '../../core/cli/options.ts';
import { drawTable, readTerminalWidth } from '../../core/cli/text/draw-table.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { type FarmOption, withFarm } from './options.ts';
import { type FarmServer, withServer } from './server.ts';
import { listTokens, makeToken, revokeToken, type Role, roles } from './tokens.ts';

interface Options extends FarmOption, JsonOption {
  readonly role: Role;
  readonly revoke: boolean;
}

export function declare(command: Command, run: Runner): void {
  withFarm(command);
  withJson(command, 'print the tokens, or { name, role, token } of a new one')
    .argument('[name]', 'make a token for this person or program')
    .addOption(
      new Option('--role <role>', 'what it allows').choices(roles).default('read' satisfies Role),
    )
    .option('--revoke', 'end the token of this name', false)
    .action((name: string | undefined, options: Options) =>
      run((io) => withServer(options.farm, (server) => change(server, name, { ...options, io }))),
    );
}

async function change(
  server: FarmServer,
  name: string | undefined,
  { role, revoke, json, io }: Options & { readonly io: Io },
): Promise<ExitCode> {
  if (name === undefined) return list(server, { json, io });
  if (revoke) {
    await revokeToken(server, name);
    if (json) printJson(io, { name, revoked: true });
    else print(io, `${name} is revoked`);
    return exitCodes.fine;
  }
  const token = await makeToken(server, name, role);
  if (json) printJson(io, { name, role, token });
  else {
    print(io, token);
    note(io, `It is shown this once. Whoever has it may ${describeRole(role)}.`);
    next(io, { 'end it': `${npxCrossfarm} queue tokens ${name} --revoke` });
  }
  return exitCodes.fine;
}

function describeRole(role: Role): string {
  return {
    read: 'read everything',
    submit: 'read everything and order measurements',
    administrator: 'also cancel the jobs of others',
  }[role];
}

async function list(
  server: FarmServer,
  { json, io }: JsonOption & { readonly io: Io },
): Promise<ExitCode> {
  const tokens = await listTokens(server);
  if (json) printJson(io, tokens);
  else if (tokens.length === 0) {
    note(io, 'There is no token: the explorer answers this machine alone.');
    next(io, { 'make one': `${npxCrossfarm} queue tokens alice --role submit` });
  } else {
    const rows = tokens.map(({ name, role, madeAt, usedAt }) => [
      ...[name, role, madeAt.toISOString().slice(0, 10)],
      usedAt?.toISOString().slice(0, 10) ?? 'never',
    ]);
    const width = readTerminalWidth(io.stdout);
    print(io, await drawTable({ head: ['name', 'role', 'made', 'used'], rows }, width));
  }
  return exitCodes.fine;
}
