import { execa } from 'execa';
import { join } from 'node:path';
import { median } from 'simple-statistics';
import { projectRoot } from '../core/project.ts';
import type { BenchRow } from './row.ts';

const rounds = 15;

interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/**
 * Measures the cost of help compared with an empty Node.js, interleaved so that a busy moment
 * affects all.
 */
export async function startupBench(): Promise<readonly BenchRow[]> {
  const farm = join(projectRoot(), 'dist/harness/main.js');
  const commands = {
    'node -e 0': ['-e', '0'],
    'farm --help': [farm, '--help'],
    'farm devices --help': [farm, 'devices', '--help'],
  };
  const costs = new Map<string, Cost[]>(Object.keys(commands).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, args] of Object.entries(commands)) costs.get(name)?.push(await costOf(args));
  }
  const baseline = middle(costs.get('node -e 0') ?? []);
  return [...costs].map(([name, seen]) => {
    const { wallMs, cpuMs } = middle(seen);
    return {
      bench: 'startup',
      figure: name,
      value: wallMs,
      unit: 'ms',
      ratio: wallMs / baseline.wallMs,
      detail: `CPU ${cpuMs.toFixed(0)} ms (${(cpuMs / baseline.cpuMs).toFixed(2)}×), median of ${String(rounds)}`,
    };
  });
}

function middle(costs: readonly Cost[]): Cost {
  return {
    wallMs: median(costs.map((one) => one.wallMs)),
    cpuMs: median(costs.map((one) => one.cpuMs)),
  };
}

/** Printed by the child as it exits; the hook costs every command the same. */
const tellCpu =
  'data:text/javascript,process.on("exit",()=>process.stderr.write("\\n"+JSON.stringify(process.cpuUsage())))';

/** Wall time as seen from here, CPU time as the operating system accounts it to the child. */
async function costOf(args: readonly string[]): Promise<Cost> {
  const startedAt = performance.now();
  const { stderr } = await execa(process.execPath, ['--import', tellCpu, ...args]);
  const wallMs = performance.now() - startedAt;
  const { user, system } = JSON.parse(stderr.split('\n').at(-1) ?? '') as NodeJS.CpuUsage;
  return { wallMs, cpuMs: (user + system) / 1000 };
}
