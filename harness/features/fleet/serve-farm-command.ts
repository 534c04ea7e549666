import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Command } from 'commander';
import { type ExitCode, errorText, exitCodes, FarmError } from '../../core/errors.ts';
import { closeInTime, listen } from '../../core/http-server.ts';
import { type Io, next, note, print, printJson, type Runner } from '../../core/cli/io.ts';
import { type JsonOption, parsePort, withJson } from '../../core/cli/options.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { withJobs } from './jobs.ts';
import { type FarmOption, withFarm } from './options.ts';
import { listTokens } from './tokens.ts';

interface Options extends FarmOption, JsonOption {
  readonly port: number;
  readonly public?: string;
  readonly userHeader?: string;
}

const usualPort = 8711;

/** `serve --farm` leads here. */
export function declare(command: Command, run: Runner): void {
  withFarm(command);
  withJson(command, 'print { url, public } when it listens')
    .option('--port <number>', 'port to listen on; 0 takes a free one', parsePort, usualPort)
    .option('--public <origin>', 'https address of the proxy in front')
    .option('--user-header <name>', 'header by which the proxy names its user')
    .addHelpText('after', help)
    .action((options: Options) => run((io) => serveFarm(options, io)));
}

const help = `
It listens on this machine's loopback alone. A proxy with TLS in front lets others in; they log in by a
token (${npxCrossfarm} queue tokens alice --role submit), or the proxy says who they are:

  ${npxCrossfarm} serve --farm --public https://farm.example
  ${npxCrossfarm} queue serve --public https://farm.example --user-header x-forwarded-user

A proxy that names users must remove that header from what they send.`;

const settleMs = 5_000;

async function serveFarm(options: Options, io: Io): Promise<ExitCode> {
  const { farm, port, json, public: given, userHeader } = options;
  const { callCommand: call } = io;
  if (call === undefined) throw new Error('a command runs outside of a command line');
  const publicOrigin = given === undefined ? null : readOrigin(given);
  if (userHeader !== undefined && publicOrigin === null) {
    throw new FarmError('bad-argument', {
      what: '--user-header needs a proxy, of which --public is the address.',
      next: 'Add --public https://farm.example',
    });
  }
  return withJobs(farm, async (queue, server) => {
    if (
      publicOrigin !== null &&
      userHeader === undefined &&
      (await listTokens(server)).length === 0
    )
      throw noTokens();
    const { createSite } = await import('./farm-site.ts');
    const { app, settle } = await createSite({
      server,
      queue,
      call,
      publicOrigin,
      userHeader: userHeader?.toLowerCase() ?? null,
      say: (sentence) => {
        note(io, sentence);
      },
    });
    await listen(app, { port, host: '127.0.0.1' });
    const url = `http://127.0.0.1:${String((app.server.address() as AddressInfo).port)}/`;
    if (json) printJson(io, { url, public: publicOrigin });
    else {
      print(io, publicOrigin ?? url);
      if (publicOrigin !== null) note(io, `The proxy in front asks ${url}`);
      next(io, { 'end it': 'Ctrl-C' });
    }
    const timer = settleNowAndThen(settle, (sentence) => {
      note(io, sentence);
    });
    try {
      if (!io.signal.aborted) await once(io.signal, 'abort');
    } finally {
      clearInterval(timer);
      await closeInTime(app);
    }
    return exitCodes.fine;
  });
}

/** Runs one at a time, and reports each new error once. */
function settleNowAndThen(
  settle: () => Promise<void>,
  say: (sentence: string) => void,
): NodeJS.Timeout {
  let isBusy = false;
  let said = '';
  return setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    settle()
      .then(() => {
        said = '';
      })
      .catch((error: unknown) => {
        const why = errorText(error);
        if (why !== said) say(why);
        said = why;
      })
      .finally(() => {
        isBusy = false;
      });
  }, settleMs);
}

/** @throws FarmError `bad-argument` */
function readOrigin(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === 'https:' && url.pathname === '/' && url.username === '') return url.origin;
  throw new FarmError('bad-argument', {
    what: 'The address of the proxy is not an https origin: tokens must not pass a network in the clear.',
    next: 'It looks like --public https://farm.example',
  });
}

function noTokens(): FarmError {
  return new FarmError('bad-argument', {
    what: '--public lets other people in, but no token exists.',
    next: `Make one: ${npxCrossfarm} queue tokens alice --role administrator`,
  });
}
