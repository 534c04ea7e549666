import type { Readable } from 'node:stream';
import { type CallToolResult, McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../core/errors.ts';
import type { CalledCommand, CallCommand, Io } from '../../core/cli/io.ts';
import { farmVersion } from '../../core/project.ts';
import type { RunListener } from '../../core/run/listener.ts';
import {
  type Allowed,
  findForbidden,
  makeInput,
  makeWords,
  type Tool,
  type ToolInput,
  tools,
} from './tools.ts';

/**
 * Serves commands of the farm as tools over standard input and output, until the agent closes them.
 * Standard output carries the protocol alone: what a command prints is the answer of its tool.
 */
export async function serveTools(mcp: Command, allowed: Allowed, io: Io): Promise<ExitCode> {
  const { callCommand, stdin = process.stdin } = io;
  if (callCommand === undefined) throw new TypeError('a command of the farm serves tools');
  const server = new McpServer({ name: 'crossfarm', version: farmVersion() });
  const gone = new AbortController();
  const wait = makeQueue();
  for (const tool of tools) {
    const command = findCommand(mcp.parent, tool.command);
    const { name, title, description, measures } = tool;
    const inputSchema = makeInput(tool, command, allowed);
    const annotations = { title, readOnlyHint: !measures, openWorldHint: allowed.urls };
    const place = listPlace(mcp, command);
    server.registerTool(
      name,
      { title, description, inputSchema, annotations },
      (input, { mcpReq: request }) => {
        const signal = AbortSignal.any([request.signal, gone.signal]);
        const use = () =>
          useTool(tool, input as ToolInput, { allowed, place, callCommand, signal, request });
        // A second measurement would disturb the first.
        return measures ? wait(use) : use();
      },
    );
  }
  await server.connect(new StdioServerTransport(stdin, io.stdout));
  await untilClosed(stdin, io.signal);
  gone.abort(new Error('The agent has gone.'));
  // The work in hand closes its browsers; trials that had ended are kept.
  await wait(() => Promise.resolve());
  await server.close();
  return exitCodes.fine;
}

/** Lets each work begin when the one before has ended. */
function makeQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine;
    return mine;
  };
}

/** Waits until the agent closes its side, or the user ends the farm. */
function untilClosed(stdin: Readable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      resolve();
    };
    for (const event of ['end', 'close']) stdin.once(event, end);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}

/** @throws TypeError for one that the farm does not have */
function findCommand(program: Command | null, words: readonly string[]): Command {
  let found = program;
  for (const word of words) {
    found = found?.commands.find((one) => one.name() === word) ?? null;
  }
  if (found === null) throw new TypeError(`the farm has no command ${words.join(' ')}`);
  return found;
}

/** The devices and the database that the user chose for all tools, as words. */
function listPlace(mcp: Command, command: Command): readonly string[] {
  return ['inventory', 'database'].flatMap((name) => {
    const isChosen = mcp.getOptionValueSource(name) !== 'default';
    const isTaken = command.options.some((option) => option.attributeName() === name);
    return isChosen && isTaken ? [`--${name}=${String(mcp.getOptionValue(name))}`] : [];
  });
}

interface Using {
  readonly allowed: Allowed;
  readonly place: readonly string[];
  readonly callCommand: CallCommand;
  readonly signal: AbortSignal;
  readonly request: ServerContext['mcpReq'];
}

async function useTool(
  tool: Tool,
  input: ToolInput,
  { allowed, place, callCommand, signal, request }: Using,
): Promise<CallToolResult> {
  signal.throwIfAborted();
  const forbidden = findForbidden(tool, input, allowed);
  if (forbidden !== null) return { isError: true, content: [{ type: 'text', text: forbidden }] };
  const progress = reportProgress(request);
  const words = makeWords(tool, input, place);
  return describeAnswer(await callCommand(words, { signal, ...progress }));
}

interface Progress {
  readonly watcher: RunListener;
  readonly onLine: (line: string) => void;
}

const longestMessage = 500;

/** Tells the agent how far the work is, where it asked for that: by trials, with the newest sentence. */
function reportProgress({ _meta, notify }: Using['request']): Progress | object {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return {};
  let [ended, total, message] = [0, undefined as number | undefined, ''];
  const tell = (): void => {
    const params = { progressToken, progress: ended, message: message.slice(0, longestMessage) };
    const notice = { ...params, ...(total !== undefined && { total }) };
    // An agent that has gone is noticed by its closed input.
    notify({ method: 'notifications/progress', params: notice }).catch(() => undefined);
  };
  return {
    watcher: {
      onRunStarted: ({ run, plan, mayEndEarly = false }) => {
        message = `run ${String(run)} has begun`;
        total = mayEndEarly ? undefined : ended + plan.jobs.length;
        tell();
      },
      onTrialEnded: () => {
        ended += 1;
        tell();
      },
      onLook: ({ lines }) => {
        if (lines.length > 0) message = lines.join('; ');
      },
    },
    onLine: (line) => {
      if (line.trim() !== '') message = line.trim();
    },
  } satisfies Progress;
}

const meanings: Readonly<Record<ExitCode, string>> = {
  [exitCodes.fine]: 'fine',
  [exitCodes.refuted]: 'a regression, a refuted expectation, or a trial that failed',
  [exitCodes.usage]: 'wrong use',
  [exitCodes.unfinished]: 'not finished',
  [exitCodes.undecided]: 'undecided',
  [exitCodes.internal]: 'a bug of the farm',
};

const failures: ReadonlySet<ExitCode> = new Set([
  exitCodes.usage,
  exitCodes.unfinished,
  exitCodes.internal,
]);

/** The answer of a command for an agent: its document, what its exit code means, and its notes. */
function describeAnswer({ exitCode, document, text }: CalledCommand): CallToolResult {
  const answer = { exitCode, meaning: meanings[exitCode], answer: document, notes: text };
  return {
    isError: failures.has(exitCode),
    structuredContent: answer,
    content: [{ type: 'text', text: JSON.stringify(answer, null, 2) }],
  };
}
