import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { seededGenerator, type SeededGenerator } from '../../core/analysis/stats/random.ts';
import { readFarmUrl } from '../../features/fleet/farm-url.ts';
import { JobQueue, priorities } from '../../features/fleet/jobs.ts';
import { FarmServer } from '../../features/fleet/server.ts';
import { startPostgres } from '../../testing/postgres.ts';
import { mountSmallDisk } from '../faults/small-disk.ts';
import { count, type FleetCount } from './count.ts';
import { HostUnderFire, writeHost } from './host-under-fire.ts';
import { hostFaults, type HostFault, serverFaults, type ServerFault } from './injections.ts';
import type { FleetScene, SceneOrder } from './scene.ts';
import { SeverableLink } from './severable-link.ts';

export interface FleetOrder extends SceneOrder {
  readonly seed: number;
  /** The fewest faults. */
  readonly faults: number;
  readonly hosts: number;
  /** Kinds of faults, as often as each is to happen. */
  readonly hostFaults: readonly HostFault[];
  readonly serverFaults: readonly ServerFault[];
}

interface Recovery {
  readonly fault: string;
  /** From the end of the fault until a trial that was measured after it has arrived at the server. */
  readonly ms: number;
}

export interface FleetResult extends FleetCount {
  readonly recoveries: readonly Recovery[];
  readonly faults: Readonly<Record<string, number>>;
  /** Times that a worker died of a fault, and was started again. */
  readonly deaths: readonly string[];
}

/** The longest time without a stored trial; a host that takes longer is lost. */
const patienceMs = 150_000;
const lookMs = 200;
/** Between two faults of one host, at most. */
const restMs = 4_000;
/** Between two faults of the server, at least. */
const serverRestMs = 15_000;
const settleMs = 240_000;

/**
 * Lets played hosts work for one PostgreSQL server, each behind its own network and on its own disk,
 * and breaks all of it at moments drawn from the seed. Everything is counted in the end.
 */
export async function runFleetCampaign(order: FleetOrder): Promise<FleetResult> {
  const postgres = await startPostgres();
  const server = new FarmServer(readFarmUrl(postgres.url));
  const scene: BrokenScene = {
    postgres,
    server,
    queue: await JobQueue.open(server),
    hosts: [],
    order,
    findings: [],
    serverMendedAt: 0,
    serverUsers: 0,
    takeovers: [],
  };
  try {
    for (let number = 1; number <= order.hosts; number += 1) {
      scene.hosts.push(await openHost(`host-${String(number)}`, scene));
    }
    return await new FleetCampaign(scene).hold();
  } finally {
    await Promise.all(scene.hosts.map((host) => host.end('SIGKILL')));
    for (const { facts } of scene.hosts) {
      facts.link.close();
      await facts.disk?.remove();
    }
    await server.close();
    await postgres.remove();
  }
}

interface BrokenScene extends FleetScene {
  readonly order: FleetOrder;
}

async function openHost(name: string, { order, postgres }: BrokenScene): Promise<HostUnderFire> {
  const disk = order.hostFaults.includes('disk full')
    ? await mountSmallDisk(join(order.folder, name))
    : null;
  const folder = join(disk?.folder ?? join(order.folder, name), 'farm');
  await mkdir(folder, { recursive: true });
  await writeHost(folder);
  const link = await SeverableLink.open(postgres.port);
  const url = postgres.url.replace(`:${String(postgres.port)}/`, `:${String(link.port)}/`);
  return new HostUnderFire({ name, folder, url, link, disk });
}

class FleetCampaign {
  readonly #scene: BrokenScene;
  readonly #recoveries: Recovery[] = [];
  readonly #faults = new Map<string, number>();
  readonly #arrivals = new Map<string, { stored: number; at: number }>();
  #done = false;

  constructor(scene: BrokenScene) {
    this.#scene = scene;
  }

  async hold(): Promise<FleetResult> {
    const { hosts, order } = this.#scene;
    for (const host of hosts) host.start();
    const watching = this.#watch();
    const feeding = this.#feed();
    await Promise.all([
      ...hosts.map((host, index) =>
        this.#breakHost(host, seededGenerator(order.seed * 100 + index)),
      ),
      this.#breakServer(seededGenerator(order.seed * 100 + 99)),
    ]);
    this.#done = true;
    await Promise.all([watching, feeding]);
    await this.#settle();
    for (const host of hosts) await host.end('SIGTERM');
    return {
      ...(await count(this.#scene)),
      recoveries: this.#recoveries,
      faults: Object.fromEntries(this.#faults),
      deaths: hosts.flatMap(({ deaths }) => deaths),
    };
  }

  get #isEnough(): boolean {
    const sum = [...this.#faults.values()].reduce((all, one) => all + one, 0);
    return sum >= this.#scene.order.faults;
  }

  async #breakHost(host: HostUnderFire, generator: SeededGenerator): Promise<void> {
    const { order } = this.#scene;
    await this.#recover(host, null);
    while (!this.#isEnough) {
      await pause(generator.uniform() * restMs);
      const fault = draw(
        order.hostFaults.filter((one) => one !== 'disk full' || host.facts.disk !== null),
        generator,
      );
      this.#note(fault);
      order.say(`${host.facts.name}: ${fault}`);
      host.mendedAt = Infinity;
      try {
        await hostFaults[fault](host, { scene: this.#scene, generator });
      } catch (error) {
        this.#scene.findings.push(`${host.facts.name}, ${fault}: ${String(error)}`);
      }
      host.mendedAt = performance.now();
      await this.#recover(host, fault);
    }
  }

  async #breakServer(generator: SeededGenerator): Promise<void> {
    const { order, hosts } = this.#scene;
    if (order.serverFaults.length === 0) return;
    while (!this.#isEnough) {
      await pause(serverRestMs * (1 + generator.uniform()));
      while (this.#scene.serverUsers > 0) await pause(lookMs);
      const fault = draw(order.serverFaults, generator);
      this.#note(fault);
      order.say(`server: ${fault}`);
      this.#scene.serverMendedAt = Infinity;
      await serverFaults[fault]({ scene: this.#scene, generator });
      this.#scene.serverMendedAt = performance.now();
      await Promise.all(hosts.map((host) => this.#recover(host, fault)));
    }
  }

  #note(fault: string): void {
    this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1);
  }

  /** Waits for a trial that was measured after all was mended, and has arrived. */
  async #recover(host: HostUnderFire, fault: string | null): Promise<void> {
    const { name } = host.facts;
    const since = performance.now();
    let mended = since;
    for (let measured = 0; ;) {
      await pause(lookMs);
      const now = Math.max(host.mendedAt, this.#scene.serverMendedAt);
      if (now !== mended) measured = 0;
      mended = now;
      if (measured === 0 && host.measuredAt > mended) measured = host.measuredAt;
      const arrived = this.#arrivals.get(name)?.at ?? 0;
      if (measured > 0 && arrived > measured) {
        if (fault !== null) this.#recoveries.push({ fault, ms: arrived - mended });
        return;
      }
      if (performance.now() - Math.max(since, Math.min(mended, since + patienceMs)) < patienceMs)
        continue;
      this.#scene.findings.push(
        `${name} has stored nothing for ${String(patienceMs / 1_000)} s after ${fault ?? 'its start'}: ${host.said.slice(-400)}`,
      );
      return;
    }
  }

  /** Looks which hosts have sent trials. */
  async #watch(): Promise<void> {
    while (!this.#done) {
      const rows = await this.#ask<{ host: string; stored: number }>(
        'SELECT host, sum(stored)::int AS stored FROM run GROUP BY host',
      );
      for (const { host, stored } of rows) {
        if (stored > (this.#arrivals.get(host)?.stored ?? 0)) {
          this.#arrivals.set(host, { stored, at: performance.now() });
        }
      }
      await pause(lookMs);
    }
  }

  /** Keeps two jobs for each host: a long one of the night, and one of a person that goes before it. */
  async #feed(): Promise<void> {
    const { hosts, queue, order } = this.#scene;
    const generator = seededGenerator(order.seed);
    while (!this.#done) {
      const open = await this.#ask<{ host: string; priority: number }>(
        `SELECT host, priority FROM job WHERE state IN ('waiting', 'active', 'cancelling')`,
      );
      for (const { facts } of hosts) {
        for (const [who, trials] of [
          ['night', 60],
          ['person', 20],
        ] as const) {
          const priority = priorities[who];
          if (open.some((job) => job.host === facts.name && job.priority === priority)) continue;
          if (who === 'person' && generator.uniform() > 0.1) continue;
          const words = [
            'run',
            '--bench',
            'control',
            '--device',
            'one',
            '--trials',
            String(trials),
          ];
          // The server may be away: then it is asked again.
          await queue
            .submit({ host: facts.name, words, priority, askedBy: who })
            .catch(() => undefined);
        }
      }
      await pause(5 * lookMs);
    }
  }

  /** Lets all jobs end. */
  async #settle(): Promise<void> {
    const until = performance.now() + settleMs;
    while (performance.now() < until) {
      const open = await this.#scene.server
        .query(`SELECT 1 FROM job WHERE state IN ('waiting', 'active', 'cancelling')`)
        .catch(() => null);
      if (open?.length === 0) return;
      await pause(5 * lookMs);
    }
  }

  /** Nothing while the server is away. */
  async #ask<Row extends object>(sql: string): Promise<readonly Row[]> {
    return this.#scene.server.query<Row>(sql).catch(() => []);
  }
}

function draw<Item>(items: readonly Item[], generator: SeededGenerator): Item {
  const item = items[generator.nextInt(items.length)];
  if (item === undefined) throw new Error('there is nothing to draw from');
  return item;
}
