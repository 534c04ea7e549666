import { setTimeout as pause } from 'node:timers/promises';
import type { LivePages } from '../../core/app/extensions.ts';
import { explorerFolder, farmVersion } from '../../core/project.ts';
import { startExplorer } from '../../core/server/api/app.ts';
import type { ApiSources } from '../../core/server/api/sources.ts';
import { openServed } from './served-database.ts';

/**
 * How long a page that follows a run may take to hear of its end, to ask what was found, and the analysis
 * to answer.
 */
const patience = { hearMs: 2_000, askMs: 1_000, answerMs: 30_000 };

/**
 * Serves the explorer to this machine, in the process of the command that measures. While somebody
 * watches, it asks the database once a second for news, and draws the comparisons after each block.
 * Errors: those of `openStore` and `startExplorer`.
 */
export async function openLivePages(database: string): Promise<LivePages> {
  const served = await openServed(database, {});
  const watch = new Watch(served.sources);
  try {
    const options = { sources: watch.sources, explorer: explorerFolder(), version: farmVersion() };
    const server = await startExplorer(options, 0);
    return {
      async addressOf(run) {
        // A database that was made meanwhile is opened by this.
        await served.sources.history.lastChange();
        return `${server.origin}/runs/${String(run)}`;
      },
      async close() {
        await watch.untilSeen();
        await server.close();
        await served.close();
      },
    };
  } catch (error) {
    await served.close();
    throw error;
  }
}

/** Notes what the pages of a run were given, so that the server does not end before they have its end. */
class Watch {
  readonly sources: ApiSources;
  #isFollowed = false;
  #hasHeard = false;
  #hasAsked = false;
  #hasAnswer = false;

  constructor(sources: ApiSources) {
    const progress: ApiSources['progress'] = async (run) => {
      const found = await sources.progress(run);
      if (found?.status === 'running') this.#isFollowed = true;
      else this.#hasHeard = true;
      return found;
    };
    const run: ApiSources['parts']['run'] = async (id) => {
      if (!this.#hasHeard) return sources.parts.run(id);
      this.#hasAsked = true;
      return sources.parts.run(id).finally(() => {
        this.#hasAnswer = true;
      });
    };
    const parts = Object.create(sources.parts, { run: { value: run } }) as ApiSources['parts'];
    this.sources = Object.create(sources, {
      progress: { value: progress },
      parts: { value: parts },
    }) as ApiSources;
  }

  async untilSeen(): Promise<void> {
    if (!this.#isFollowed) return;
    await within(patience.hearMs, () => this.#hasHeard);
    if (this.#hasHeard) await within(patience.askMs, () => this.#hasAsked);
    if (this.#hasAsked) await within(patience.answerMs, () => this.#hasAnswer);
    // The answer is on its way.
    await pause(200);
  }
}

async function within(ms: number, isSo: () => boolean): Promise<void> {
  const until = performance.now() + ms;
  while (!isSo() && performance.now() < until) await pause(50);
}
