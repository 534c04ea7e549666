import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, BrowserContext, Dialog, KeyInput, Page } from 'puppeteer-core';
import {
  DriverError,
  type Input,
  isCharacter,
  type LaunchOptions,
  type OpenOptions,
  type SiteAccess,
} from '../driver.ts';
import { settleMs } from '../shared/chromium-trace.ts';
import { isChromium } from '../shared/launch-recipes.ts';
import {
  giveAccess,
  makeHeaders,
  isSameSite,
  type PageProtocol,
  withHeaders,
} from '../shared/site-access.ts';
import { runStep, type Ending } from '../shared/step.ts';

/** A browser that the farm started, or one profile of a shared browser. */
type PagePlace = Pick<Browser, 'pages' | 'newPage' | 'setCookie'>;

/** Keeps one page open: each `open` makes a new one and closes what was there before. */
export class Pages {
  private place: PagePlace;
  private readonly ending: Ending;
  private readonly circumstances: Pick<LaunchOptions, 'browser' | 'access'>;
  private opened: Page | null = null;

  constructor(place: PagePlace, ending: Ending, circumstances: Pages['circumstances']) {
    this.place = place;
    this.ending = ending;
    this.circumstances = circumstances;
  }

  async current(): Promise<Page> {
    const page = this.opened ?? (await this.place.pages()).at(-1);
    if (page === undefined) throw new DriverError('browser-died', 'There is no page any more');
    return page;
  }

  /** Keeps its page in this context instead, until the returned function closes that. */
  async moveTo(context: BrowserContext): Promise<() => Promise<void>> {
    const usual = this.place;
    if (this.opened !== null) await this.clear();
    this.place = context;
    return async () => {
      this.place = usual;
      this.opened = null;
      await context.close();
    };
  }

  /** Leaves a blank page: a browser without any may end. */
  private async clear(): Promise<void> {
    const former = await this.place.pages();
    await this.place.newPage();
    await Promise.all(former.map((one) => one.close()));
    await pause(settleMs);
  }

  async act(input: Input): Promise<void> {
    const { mouse, keyboard } = await this.current();
    if (input.by === 'click') await mouse.click(input.x, input.y);
    else if (input.by === 'wheel') await mouse.wheel({ deltaY: input.y });
    else if (isCharacter(input.key)) await keyboard.type(input.key);
    else await keyboard.press(input.key as KeyInput);
  }

  open(url: string, { signal, timeoutMs, first }: OpenOptions): Promise<void> {
    const what = 'Opening a page by Puppeteer';
    return runStep(
      async (abandoned) => {
        const former = await this.place.pages();
        const page = await this.place.newPage();
        page.on('error', () => {
          this.ending.tell('the page crashed');
        });
        page.on('dialog', closeDialog);
        this.opened = page;
        await Promise.all(former.map((one) => one.close()));
        await this.letIn(page);
        if (first !== undefined) await page.evaluateOnNewDocument(first);
        await go(page, url, { timeout: timeoutMs, signal: abandoned });
      },
      { what, code: 'navigation-failed', signal, timeoutMs },
    );
  }

  navigate(url: string, { signal, timeoutMs }: OpenOptions): Promise<void> {
    return runStep(
      async (abandoned) => go(await this.current(), url, { timeout: timeoutMs, signal: abandoned }),
      { what: 'Leading a page by Puppeteer', code: 'navigation-failed', signal, timeoutMs },
    );
  }

  private async letIn(page: Page): Promise<void> {
    const { browser, access } = this.circumstances;
    if (access === undefined) return;
    if (isChromium(browser)) {
      const protocol = await page.createCDPSession();
      // Puppeteer's type knows every command by its name; ours takes any.
      return giveAccess(protocol as unknown as PageProtocol, access);
    }
    const { hostname, protocol } = new URL(access.origin);
    const secure = protocol === 'https:';
    const cookies = Object.entries(access.cookies ?? {});
    await this.place.setCookie(
      ...cookies.map(([name, value]) => ({ name, value, domain: hostname, path: '/', secure })),
    );
    await addHeaders(page, access);
  }
}

/** No lifecycle event is waited for: the page itself says when it is ready. */
async function go(page: Page, url: string, bounds: Parameters<Page['goto']>[1]): Promise<void> {
  await page.goto(url, { ...bounds, waitUntil: [] });
}

/** Firefox asks here for each request, also for one that was redirected, which then lacks them. */
async function addHeaders(page: Page, access: SiteAccess): Promise<void> {
  const added = makeHeaders(access);
  if (Object.keys(added).length === 0) return;
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    const isOurs = isSameSite(access, request.url());
    const changes = isOurs ? { headers: withHeaders(request.headers(), added) } : {};
    // The page may be gone, and its request with it.
    request.continue(changes).catch(() => undefined);
  });
}

/** Otherwise the page would wait for a person. It may be gone by then, and its dialog with it. */
function closeDialog(dialog: Dialog): void {
  const closing = dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss();
  closing.catch(() => undefined);
}
