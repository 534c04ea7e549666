import { probeArguments } from './options.ts';
import type { ReproduceOptions } from './reproduce.ts';
import { circumstancesOf } from './repeat-options.ts';

/** The command that reproduces this again, order and all. */
export function reproduceCommand(id: string, options: ReproduceOptions, seed: number): string {
  const { device, param, without, cores } = options;
  return [
    `npx farm reproduce ${id}`,
    device.length > 0 ? `--device ${device.join(',')}` : '',
    ...Object.entries(param).map(([name, value]) => `--param ${name}=${[value].flat().join(',')}`),
    without.length > 0 ? `--without ${without.join(',')}` : '',
    cores.length > 0 ? `--cores ${cores.join(',')}` : '',
    `--max-blocks ${String(options.maxBlocks)}`,
    options.budget === undefined ? '' : `--budget ${String(options.budget / 1000)}`,
    ...probeArguments(options),
    options.repeat ? '' : '--no-repeat',
    ...circumstancesOf(options),
    `--seed ${String(seed)}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}
