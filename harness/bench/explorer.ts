import { median } from 'simple-statistics';
import { apiSources } from '../app/serve/serve-sources.ts';
import { explorerFolder, farmVersion } from '../project.ts';
import { createApp } from '../server/api/app.ts';
import { openHistory } from '../store/history/history.ts';
import { openStore } from '../store/store.ts';

const rounds = 7;

/** What the page asks for before anything is seen, and what a reader asks for next. */
const questions = {
  'explorer: first page': ['/api/v1/filters', '/api/v1/summaries?limit=500&metric=duration&'],
  'explorer: a filter that nothing matches': ['/api/v1/summaries?version=0&'],
  'explorer: a case over all runs': ['/api/v1/summaries?case=bench-0+n%3D1&limit=500&'],
  'explorer: first page of trials': ['/api/v1/trials?'],
} as const;

/** What is asked for after the first picture stands; it is made once, so it is timed once. */
const afterwards = {
  'explorer: findings of a night, when first asked for': ['/api/v1/runs/:run/findings?limit=500'],
  'explorer: changes over the nights, when first asked for': ['/api/v1/changes?limit=500'],
} as const;

/** Server time of the explorer's questions about a generated history, in ms: the median of several rounds. */
export async function timeQuestions(
  path: string,
  nights: number,
): Promise<readonly (readonly [string, number])[]> {
  const history = await openHistory(path);
  const store = await openStore(path);
  const options = { sources: apiSources(history, store), explorer: explorerFolder() };
  const app = await createApp({ ...options, version: farmVersion() });
  const ask = async (url: string): Promise<void> => {
    const answer = await app.inject({ url, headers: { host: 'localhost:0' } });
    if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.body}`);
  };
  try {
    const times: (readonly [string, number])[] = [];
    for (const [figure, urls] of Object.entries(questions)) {
      const seen: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const startedAt = performance.now();
        for (const url of urls) await ask(urlOf(url, nights));
        seen.push(performance.now() - startedAt);
      }
      times.push([figure, median(seen)]);
    }
    for (const [figure, [url]] of Object.entries(afterwards)) {
      const startedAt = performance.now();
      await ask(url.replace(':run', String(nights)));
      times.push([figure, performance.now() - startedAt]);
    }
    return times;
  } finally {
    await app.close();
    await store.close();
    await history.close();
  }
}

/** The first page shows the newest night. */
function urlOf(url: string, nights: number): string {
  const ofPage = url.includes('metric=duration') ? `benchmark=bench-0&run=${String(nights)}` : '';
  return `${url}${ofPage}`.replace(/[?&]$/, '');
}
