import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { policyOf, readableDate } from '../../../reports/html/page.ts';
import type { CallCommand } from '../../core/cli/io.ts';
import { FarmError } from '../../core/errors.ts';
import { withTemporaryFolder } from '../../core/app/temporary-folder.ts';
import { type BatchAnswer, BatchWatch, settleBatch } from './batch-answer.ts';
import { casePage } from './case-page.ts';
import type { FarmPage, Surroundings } from './farm-layout.ts';
import { casesPage, homePage, runPage, runsPage } from './farm-pages.ts';
import {
  listBatches,
  listCases,
  listFarmRuns,
  readCase,
  readFarmRun,
  readLocalRuns,
} from './farm-queries.ts';
import { listHosts } from './hosts.ts';
import { jobPage } from './job-page.ts';
import { type Job, type JobQueue, listJobs, priorities } from './jobs.ts';
import { agreeOnNights } from './night-agreement.ts';
import { nightsPage } from './nights-page.ts';
import { orderPage } from './order-page.ts';
import type { FarmServer } from './server.ts';
import { importFromFarm } from './stored-runs.ts';
import { mayDo } from './tokens.ts';

interface Farm {
  readonly server: FarmServer;
  readonly queue: JobQueue;
  readonly call: CallCommand;
}

const newest = { jobs: 20, runs: 20, runsOfList: 100, nights: 10, cases: 2_000, points: 2_000 };
/** Answers that are kept to be judged again only when trials have come. */
const mostWatches = 20;

/** Answers the pages of the farm's explorer. */
export class FarmVisits {
  readonly #farm: Farm;
  readonly #watches = new Map<number, BatchWatch>();
  /** One report is made at a time. */
  #lastReport: Promise<unknown> = Promise.resolve();

  constructor(farm: Farm) {
    this.#farm = farm;
  }

  async hostNames(): Promise<readonly string[]> {
    return (await listHosts(this.#farm.server)).map(({ name }) => name);
  }

  async home(around: Surroundings): Promise<FarmPage> {
    const { server } = this.#farm;
    const hosts = await listHosts(server);
    const jobs = await listJobs(server, newest.jobs);
    const runs = await listFarmRuns(server, { host: undefined, before: undefined }, newest.runs);
    return homePage(around, { hosts, jobs, runs });
  }

  async runs(
    around: Surroundings,
    filter: { readonly host?: string | undefined; readonly before?: string | undefined },
  ): Promise<FarmPage> {
    const { host, before } = filter;
    const runs = await listFarmRuns(this.#farm.server, { host, before }, newest.runsOfList);
    const hosts = await this.hostNames();
    return runsPage(around, { runs, hosts, host, mostShown: newest.runsOfList });
  }

  async run(around: Surroundings, id: number): Promise<FarmPage> {
    const run = await readFarmRun(this.#farm.server, id);
    if (run === null) throw unknownRun(id);
    return runPage(around, run);
  }

  async cases(around: Surroundings): Promise<FarmPage> {
    return casesPage(around, await listCases(this.#farm.server, newest.cases));
  }

  async case(around: Surroundings, name: string, host: string | undefined): Promise<FarmPage> {
    const points = await readCase(this.#farm.server, name, { host, limit: newest.points });
    // Copied runs may be of a host that never had a worker.
    const measured = points.map((point) => point.host);
    const hosts = [...new Set([...(await this.hostNames()), ...measured])].toSorted();
    return casePage(around, { name, points, hosts, host });
  }

  async nights(around: Surroundings): Promise<FarmPage> {
    const { server, queue } = this.#farm;
    const batches = await listBatches(server, 'nightly', newest.nights);
    const nights = await Promise.all(
      batches.map(async (batch) => {
        const jobs = await queue.readBatch(batch);
        const when = readableDate(jobs[0]?.submittedAt.toISOString() ?? '');
        return { batch, when, ...agreeOnNights(jobs) };
      }),
    );
    return nightsPage(around, nights);
  }

  async job(around: Surroundings, id: number): Promise<FarmPage> {
    const jobs = await this.#farm.queue.readBatch(id);
    const answer = await this.#watch(jobs).look(jobs);
    const undecided =
      jobs.every(({ endedAt }) => endedAt !== null) &&
      answer?.kind === 'comparison' &&
      answer.verdict.rows.some(({ verdict }) => verdict === 'undecided');
    return jobPage(around, { jobs, answer, undecided });
  }

  /** The report of a run, made from a copy of it. */
  report(id: number): Promise<FarmPage> {
    const made = this.#lastReport.then(() => this.#makeReport(id));
    this.#lastReport = made.catch(() => undefined);
    return made;
  }

  async order(around: Surroundings, refusal: string | null): Promise<FarmPage> {
    const order = { command: '', on: 'all', night: false };
    return orderPage(around, { hosts: await this.hostNames(), order, refusal });
  }

  /** @throws FarmError `bad-argument` if another person submitted the job */
  async cancel({ visitor }: Surroundings, id: number): Promise<void> {
    const { queue } = this.#farm;
    const jobs = await queue.readBatch(id);
    const isOwn = jobs.every(({ askedBy }) => askedBy === visitor?.name);
    if (visitor === null || (!isOwn && !mayDo(visitor, 'administrator'))) {
      throw new FarmError('bad-argument', {
        what: `Job ${String(id)} is not yours.`,
        next: 'Ask the person who submitted it, or an administrator.',
      });
    }
    for (const job of jobs) if (job.endedAt === null) await queue.cancel(job.id);
  }

  /**
   * Continues the comparison on each host that has not decided all of it: its blocks come to those
   * it has. A run that is decided cannot be continued.
   */
  async measureMore({ visitor }: Surroundings, id: number): Promise<void> {
    const { server, queue } = this.#farm;
    const jobs = await queue.readBatch(id);
    const runs = await readLocalRuns(
      server,
      jobs.map((job) => job.id),
    );
    const batch = jobs[0]?.batch ?? id;
    const decided = listDecided(await this.#watch(jobs).look(jobs));
    for (const { host, run } of runs.filter((one) => !decided.includes(one.host))) {
      const words = ['continue', String(run)];
      const askedBy = visitor?.name ?? 'nobody';
      await queue.submit({ host, words, priority: priorities.person, askedBy, batch });
    }
  }

  /**
   * Ends comparisons that their hosts have decided together, even if no `submit` waits for the answer.
   */
  async settle(): Promise<void> {
    const { server, queue } = this.#farm;
    for (const batch of await listBatches(server, 'compare', newest.nights)) {
      const jobs = await queue.readBatch(batch);
      if (jobs.length < 2 || jobs.every(({ endedAt }) => endedAt !== null)) continue;
      await settleBatch(queue, jobs, await this.#watch(jobs).look(jobs));
    }
  }

  #watch(jobs: readonly Job[]): BatchWatch {
    const key = jobs[0]?.id ?? 0;
    const known = this.#watches.get(key);
    if (known !== undefined) return known;
    const fresh = new BatchWatch(this.#farm);
    this.#watches.set(key, fresh);
    const [oldest] = this.#watches.keys();
    if (this.#watches.size > mostWatches && oldest !== undefined) this.#watches.delete(oldest);
    return fresh;
  }

  #makeReport(id: number): Promise<FarmPage> {
    return withTemporaryFolder(async (folder) => {
      const [database, file] = [join(folder, 'farm.db'), join(folder, 'report.html')];
      const [copy] = await importFromFarm([id], database, this.#farm);
      if (copy === undefined) throw unknownRun(id);
      const where = ['--database', database, '--out', file];
      const { exitCode, text } = await this.#farm.call(['report', String(copy.run), ...where]);
      if (exitCode !== 0) {
        throw new FarmError('bad-database', { what: text, next: 'Its host has it as well.' });
      }
      const html = await readFile(file, 'utf8');
      return { html, policy: policyOf(html) };
    });
  }
}

function unknownRun(id: number): FarmError {
  return new FarmError('unknown-run', {
    what: `The farm has no run ${String(id)}.`,
    next: 'It may have been pruned.',
  });
}

/** Hosts to which nothing of their comparison is open. */
export function listDecided(answer: BatchAnswer | null): readonly string[] {
  if (answer?.kind !== 'comparison') return [];
  const { hosts, rows } = answer.verdict;
  const open = rows.flatMap((row) =>
    row.hosts.filter(({ decision }) => decision.verdict === 'undecided').map(({ host }) => host),
  );
  return hosts.map(({ host }) => host).filter((host) => !open.includes(host));
}
