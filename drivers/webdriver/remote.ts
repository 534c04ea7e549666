import { randomUUID } from 'node:crypto';
import type { LaunchOptions, RemoteRequest, Session, Sighting } from '../driver.ts';
import { firstByChromium } from './first-script.ts';
import { awaitSlot, endSession, findNode, refuseWrongNode, watchNode } from './grid-session.ts';
import {
  fittingSlots,
  nameCapability,
  nodeCapability,
  readStatus,
  whyNoSlot,
  type WantedSlot,
} from '../shared/grid-status.ts';
import { errorText, watchEnding } from '../shared/step.ts';
import { makeSession, startBrowser, type W3cOptions } from '../shared/w3c-session.ts';
import type { ServerRecipe } from '../shared/webdriver-servers.ts';

/** Sessions with a WebDriver server that the farm did not start, such as a hub of Selenium Grid. */

type W3cCapabilities = Readonly<Record<string, unknown>>;

function withRequest(
  capabilities: W3cCapabilities,
  { node, capabilities: further }: RemoteRequest,
): W3cCapabilities {
  return { ...capabilities, ...(node !== undefined && { [nodeCapability]: node }), ...further };
}

function slotFor(capabilities: W3cCapabilities, { node }: RemoteRequest): WantedSlot {
  return { browserName: String(capabilities['browserName']), node: node ?? null };
}

/** Looks whether the server is there and has the browser; whether a slot is free is not asked. */
export async function findRemote(
  address: string,
  recipe: ServerRecipe,
  remote: RemoteRequest,
): Promise<Sighting> {
  const wanted = slotFor(withRequest(recipe.capabilities(nothingSpecial), remote), remote);
  try {
    const { slots } = await readStatus(address);
    if (slots === null) {
      return remote.node === undefined
        ? { node: null }
        : { refusal: `the server at ${address} is no Selenium Grid, and has no node` };
    }
    const [first] = fittingSlots(slots, wanted);
    return first === undefined
      ? { refusal: whyNoSlot(slots, wanted) ?? 'the grid has no slot' }
      : { node: first.node };
  } catch (error) {
    return { refusal: errorText(error) };
  }
}

/** Enough of a launch to learn how a recipe calls its browser. */
const nothingSpecial: LaunchOptions = {
  browser: '',
  executable: '',
  remote: {},
  flags: [],
  preferences: {},
  headless: true,
  sandbox: true,
  environment: {},
  profile: '',
  signal: new AbortController().signal,
  timeoutMs: 0,
};

interface RemoteLaunch {
  readonly options: LaunchOptions;
  readonly abandoned: AbortSignal;
}

/** Share of the time for a launch that may be spent on waiting for a slot. */
const waitingShare = 0.8;

/**
 * Names of sessions that could not be ended, or whose request had no answer because the hub died:
 * the node may have begun them all the same, and would hold its slot for minutes.
 */
const lost = new Set<string>();

export async function launchRemote(
  address: string,
  recipe: W3cCapabilities,
  { options, abandoned }: RemoteLaunch,
): Promise<Session> {
  const { remote = {}, timeoutMs, remember } = options;
  const capabilities = withRequest(recipe, remote);
  const isGrid = await awaitSlot(address, slotFor(capabilities, remote), {
    patienceMs: timeoutMs * waitingShare,
    abandoned,
    lost,
  });
  const ask = { address, capabilities, timeoutMs };
  if (!isGrid) return begin(ask, { options, abandoned });
  const name = `crossfarm ${randomUUID()}`;
  await remember?.({ kind: 'grid', server: address, name });
  const named = { [nameCapability]: name, ...capabilities };
  try {
    const session = await begin({ ...ask, capabilities: named }, { options, abandoned });
    return { ...session, close: () => session.close().catch(losing(name)) };
  } catch (error) {
    return losing(name)(error);
  }
}

const losing =
  (name: string) =>
  (error: unknown): never => {
    lost.add(name);
    throw error;
  };

async function begin(ask: W3cOptions, { options, abandoned }: RemoteLaunch): Promise<Session> {
  const { address } = ask;
  const { remote = {}, remember } = options;
  const browser = await startBrowser(ask);
  const ending = watchEnding();
  const parts = { ending, server: null, generations: 0, by: 'WebDriver' };
  try {
    const known = { kind: 'webdriver', server: address, session: browser.sessionId } as const;
    await remember?.(known);
    const node = await findNode(address, browser.sessionId, abandoned);
    if (node !== null) await remember?.({ ...known, nodeUri: node.uri });
    refuseWrongNode(node, remote.node);
    const stopWatching = node === null ? () => undefined : watchNode(node, ending);
    const session = makeSession(browser, {
      ...parts,
      comeFirst: firstByChromium(options.browser, browser),
      remove: () => endSession(browser, node),
    });
    return {
      ...session,
      ...(node !== null && { node }),
      close: () => {
        stopWatching();
        return session.close();
      },
    };
  } catch (error) {
    // Report the first error; the grid ends an unused session by itself.
    await endSession(browser, null).catch(() => undefined);
    throw error;
  }
}
