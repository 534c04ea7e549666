import { once } from 'node:events';
import type { Browser } from 'webdriverio';
import { isChromium } from '../shared/launch-recipes.ts';
import { startBrowser, type W3cOptions } from '../shared/w3c-session.ts';

/** Puts a script before those of the page that is opened next in a window. */
export type ComeFirst = (script: string, window: string) => Promise<unknown>;

/** By the DevTools protocol, which chromedriver and its relatives pass on; undefined for other browsers. */
export function firstByChromium(product: string, browser: Browser): ComeFirst | undefined {
  if (!isChromium(product)) return undefined;
  return (source) =>
    browser.sendCommandAndGetResult('Page.addScriptToEvaluateOnNewDocument', { source });
}

/** Arguments by which geckodriver offers WebDriver BiDi at a free port: two may run side by side. */
export const bidiArguments: readonly string[] = ['--websocket-port', '0'];

interface BrowserWithBidi {
  readonly browser: Browser;
  readonly comeFirst: ComeFirst;
  readonly disconnect: () => void;
}

/** Starts a browser that also speaks WebDriver BiDi, used only for scripts that come first. */
export async function startWithBidi(options: W3cOptions): Promise<BrowserWithBidi> {
  let address: string | null = null;
  const browser = await startBrowser({
    ...options,
    takeBidi: (given) => {
      address = given;
    },
  });
  if (address === null) throw new Error('the server offers no WebDriver BiDi');
  const { send, disconnect } = await connect(address);
  const comeFirst: ComeFirst = (script, window) =>
    send('script.addPreloadScript', {
      functionDeclaration: `() => { ${script} }`,
      contexts: [window],
    });
  return { browser, comeFirst, disconnect };
}

interface BidiConnection {
  send(method: string, params: object): Promise<unknown>;
  disconnect(): void;
}

async function connect(address: string): Promise<BidiConnection> {
  const { WebSocket } = await import('ws');
  const socket = new WebSocket(address);
  await once(socket, 'open');
  // A connection that is lost is heard by what is asked next.
  socket.on('error', () => undefined);
  let asked = 0;
  return {
    send: (method, params) =>
      new Promise((resolve, reject) => {
        const id = (asked += 1);
        socket.on('message', function onMessage(data: Buffer) {
          const answer = JSON.parse(data.toString()) as { id?: number; message?: string };
          if (answer.id !== id) return;
          socket.off('message', onMessage);
          if (answer.message === undefined) resolve(answer);
          else reject(new Error(answer.message));
        });
        socket.send(JSON.stringify({ id, method, params }), (error) => {
          if (error) reject(error);
        });
      }),
    disconnect: () => {
      socket.terminate();
    },
  };
}
