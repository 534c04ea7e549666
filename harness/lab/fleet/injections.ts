import { setTimeout as pause } from 'node:timers/promises';
import type { SeededGenerator } from '../../core/analysis/stats/random.ts';
import { exitCodes } from '../../core/errors.ts';
import { HostUnderFire, writeHost } from './host-under-fire.ts';
import { countBefore, type FleetScene } from './scene.ts';

interface Moment {
  readonly scene: FleetScene;
  readonly generator: SeededGenerator;
}

type HostInjection = (host: HostUnderFire, moment: Moment) => Promise<void>;

/** A worker is taken for dead after 30 s. */
const silentMs = 32_000;
const patienceMs = 90_000;
const longestStartMs = 3_000;

/** Breaks something of one host, and returns when it is mended. */
export const hostFaults = {
  'worker killed -9': async (host, { generator }) => {
    await host.end('SIGKILL');
    await pause(generator.uniform() * longestStartMs);
    host.start();
  },
  'worker ended and started': async (host) => {
    await host.end('SIGTERM');
    host.start();
  },
  'browser killed': (host) => {
    host.killBrowser();
    return Promise.resolve();
  },
  'network cut': async (host, moment) => {
    host.facts.link.cut();
    await pause(drawAway(moment));
    host.facts.link.mend();
  },
  'connections reset': (host) => {
    host.facts.link.reset();
    return Promise.resolve();
  },
  'clock set forward or back': (host) => {
    host.signal('SIGUSR2');
    return Promise.resolve();
  },
  'disk full': async (host, moment) => {
    await host.facts.disk?.fill();
    await pause(drawAway(moment));
    await host.facts.disk?.empty();
  },
  'job cancelled': (host, { scene }) =>
    withServer(scene, async () => {
      const [job] = await scene.server.query<{ id: number }>(
        `SELECT id::int FROM job WHERE host = $1 AND state = 'active'`,
        [host.facts.name],
      );
      if (job !== undefined) await scene.queue.cancel(job.id);
    }),
  'second worker of its name': (host, { scene }) =>
    withServer(scene, async () => {
      const second = await makeSecond(host);
      second.start();
      const code = await second.waitForEnd(patienceMs);
      expectRefusal(second, { code, says: 'Another worker is', scene });
    }),
  'name taken while it stood still': (host, { scene }) =>
    withServer(scene, async () => {
      const { name } = host.facts;
      host.signal('SIGSTOP');
      await pause(silentMs);
      const second = await makeSecond(host);
      second.start();
      await untilMeasured(second);
      const [taken] = await scene.server.query<{ lease: string }>(
        'SELECT lease::text FROM host WHERE name = $1',
        [name],
      );
      const lease = taken?.lease ?? '0';
      scene.takeovers.push({ host: name, lease, counted: await countBefore(scene, name, lease) });
      host.signal('SIGCONT');
      const code = await host.waitForEnd(patienceMs);
      expectRefusal(host, { code, says: 'Another worker has the name', scene });
      await second.end('SIGTERM');
      host.start();
    }),
} as const satisfies Readonly<Record<string, HostInjection>>;

export type HostFault = keyof typeof hostFaults;

/** Breaks the server of all hosts, and returns when it answers again. */
export const serverFaults = {
  'PostgreSQL killed -9': async ({ scene }) => {
    for (const pid of await scene.postgres.listProcesses()) kill(pid);
    await startAgain(scene);
  },
  'one of its processes killed -9': async ({ scene, generator }) => {
    const [, ...children] = await scene.postgres.listProcesses();
    kill(children[generator.nextInt(children.length)]);
    await untilAnswered(scene);
  },
  'PostgreSQL away': async (moment) => {
    await moment.scene.postgres.stop();
    await pause(drawAway(moment));
    await startAgain(moment.scene);
  },
} as const satisfies Readonly<Record<string, (moment: Moment) => Promise<void>>>;

export type ServerFault = keyof typeof serverFaults;

function drawAway({ scene, generator }: Moment): number {
  const { awayMs } = scene.order;
  return awayMs[generator.nextInt(awayMs.length)] ?? 0;
}

/** Keeps the server from being broken meanwhile. */
async function withServer(scene: FleetScene, work: () => Promise<void>): Promise<void> {
  while (scene.serverMendedAt === Infinity) await pause(200);
  scene.serverUsers += 1;
  try {
    await work();
  } finally {
    scene.serverUsers -= 1;
  }
}

async function makeSecond({ facts }: HostUnderFire): Promise<HostUnderFire> {
  const folder = `${facts.folder}-second`;
  await writeHost(folder);
  return new HostUnderFire({ ...facts, folder, disk: null });
}

function expectRefusal(
  { facts, said }: HostUnderFire,
  { code, says, scene }: { code: number | null; says: string; scene: FleetScene },
): void {
  if (code === exitCodes.unfinished && said.includes(says)) return;
  scene.findings.push(`${facts.name} ended with ${String(code)}, without "${says}": ${said}`);
}

async function untilMeasured(host: HostUnderFire): Promise<void> {
  const until = performance.now() + patienceMs;
  while (host.measuredAt === 0) {
    if (performance.now() > until) throw new Error(`it did not take over: ${host.said}`);
    await pause(200);
  }
}

function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It ended with the others.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Memory of a server that was killed is in use until its last process has seen it. */
async function startAgain(scene: FleetScene): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await scene.postgres.start();
      break;
    } catch (error) {
      if (tries === 10) throw error;
      await pause(1_000);
    }
  }
  await untilAnswered(scene);
}

async function untilAnswered({ server }: FleetScene): Promise<void> {
  const until = performance.now() + patienceMs;
  for (;;) {
    try {
      await server.query('SELECT 1');
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
      await pause(200);
    }
  }
}
