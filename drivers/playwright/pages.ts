import { setTimeout as pause } from 'node:timers/promises';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright';
import {
  DriverError,
  type Input,
  isCharacter,
  type LaunchOptions,
  type OpenOptions,
} from '../driver.ts';
import { settleMs } from '../shared/chromium-trace.ts';
import { isChromium } from '../shared/launch-recipes.ts';
import { giveAccess, type PageProtocol } from '../shared/site-access.ts';
import { runStep, type Ending } from '../shared/step.ts';

/** A page is measured as a person would see it: no emulated screen, no emulated media. */
export const asSeen = {
  viewport: null,
  colorScheme: null,
  reducedMotion: null,
  forcedColors: null,
  contrast: null,
} as const satisfies BrowserContextOptions;

/** Options of a context for the site that lets it in; pages of Chromium get the rest. */
export function accessOptions({
  browser,
  access,
}: Pick<LaunchOptions, 'browser' | 'access'>): BrowserContextOptions {
  if (access === undefined) return {};
  const { origin, user, certificates } = access;
  const byContext = user !== undefined && !isChromium(browser);
  return {
    ...(certificates === 'any' && { ignoreHTTPSErrors: true }),
    ...(byContext && {
      httpCredentials: { username: user.name, password: user.password, origin },
    }),
  };
}

type Circumstances = Pick<LaunchOptions, 'browser' | 'emulation' | 'access'>;

/**
 * Keeps one page open: each `open` makes a new one and closes what was there before. The first
 * takes the blank page that the browser began with, which nothing has used yet.
 */
export class Pages {
  private unused: Page | undefined;
  private context: BrowserContext;
  private readonly ending: Ending;
  private readonly circumstances: Circumstances;

  constructor(context: BrowserContext, ending: Ending, circumstances: Circumstances) {
    this.context = context;
    this.ending = ending;
    this.circumstances = circumstances;
    this.unused = context.pages()[0];
  }

  current(): Page {
    const page = this.context.pages().at(-1);
    if (page === undefined) throw new DriverError('browser-died', 'There is no page any more');
    return page;
  }

  open(url: string, { signal, timeoutMs, first }: OpenOptions): Promise<void> {
    const what = 'Opening a page by Playwright';
    return runStep(
      async (abandoned) => {
        const page = this.unused ?? (await this.context.newPage());
        this.unused = undefined;
        const former = this.context.pages().filter((one) => one !== page);
        page.on('crash', () => {
          this.ending.tell('the page crashed');
        });
        await Promise.all(former.map((one) => one.close()));
        await this.slowDown(page);
        await this.letIn(page);
        if (first !== undefined) await page.addInitScript(first);
        await go(page, url, { timeout: timeoutMs, signal: abandoned });
      },
      { what, code: 'navigation-failed', signal, timeoutMs },
    );
  }

  navigate(url: string, { signal, timeoutMs }: OpenOptions): Promise<void> {
    return runStep(
      (abandoned) => go(this.current(), url, { timeout: timeoutMs, signal: abandoned }),
      { what: 'Leading a page by Playwright', code: 'navigation-failed', signal, timeoutMs },
    );
  }

  /** Keeps its page in this context instead, until the returned function closes that. */
  async moveTo(context: BrowserContext): Promise<() => Promise<void>> {
    const usual = this.context;
    const blank = this.unused ?? (await this.clear());
    this.context = context;
    this.unused = undefined;
    return async () => {
      this.context = usual;
      this.unused = blank;
      await context.close();
    };
  }

  private async clear(): Promise<Page> {
    const blank = await this.context.newPage();
    const former = this.context.pages().filter((one) => one !== blank);
    await Promise.all(former.map((one) => one.close()));
    await pause(settleMs);
    return blank;
  }

  async act(input: Input): Promise<void> {
    const { mouse, keyboard } = this.current();
    if (input.by === 'click') await mouse.click(input.x, input.y);
    else if (input.by === 'wheel') await mouse.wheel(0, input.y);
    else if (isCharacter(input.key)) await keyboard.type(input.key);
    else await keyboard.press(input.key);
  }

  /** Until the page is closed, which ends this session of the protocol, too. */
  private async slowDown(page: Page): Promise<void> {
    const { cpuThrottling } = this.circumstances.emulation ?? {};
    if (cpuThrottling === undefined) return;
    const protocol = await this.context.newCDPSession(page);
    await protocol.send('Emulation.setCPUThrottlingRate', { rate: cpuThrottling });
  }

  private async letIn(page: Page): Promise<void> {
    const { browser, access } = this.circumstances;
    if (access === undefined) return;
    if (isChromium(browser)) {
      const protocol = await this.context.newCDPSession(page);
      // Playwright's type knows every command by its name; ours takes any.
      return giveAccess(protocol as unknown as PageProtocol, access);
    }
    const cookies = Object.entries(access.cookies ?? {});
    await this.context.addCookies(
      cookies.map(([name, value]) => ({ name, value, url: access.origin })),
    );
  }
}

async function go(page: Page, url: string, bounds: Parameters<Page['goto']>[1]): Promise<void> {
  await page.goto(url, { ...bounds, waitUntil: 'commit' });
}
