/** Compares the probes of other systems with the kernel of Linux. */
import { expect, test } from '@playwright/test';
import { createCpuCoreProbe } from './cpu-core.ts';
import { createEnvironmentProbe } from './environment.ts';
import type { AttachedProbe, WatchedSession } from './probe.ts';

const nothing: WatchedSession = { browser: 'program', processTree: () => [] };

/** Uses this much CPU time, however busy the machine is. */
function burn(ms: number): void {
  const from = process.cpuUsage();
  while (process.cpuUsage(from).user < ms * 1000);
}

function watch(attached: readonly AttachedProbe[]): void {
  for (const one of attached) one.start();
  burn(1_000);
  for (const one of attached) one.stop();
  for (const one of attached) one.detach();
}

test('Node.js tells the time of the cores as the kernel does, to 2 points', () => {
  test.skip(process.platform !== 'linux', 'reads /proc, which only Linux has');
  const attached = (['linux', 'darwin'] as const).map((one) =>
    createCpuCoreProbe(one).attach(nothing),
  );
  watch(attached);
  const [kernel = [], node = []] = attached.map((one) => {
    const reading = one.collect();
    if (!('snapshots' in reading)) throw new Error('not supported here');
    return (reading.snapshots.at(-1)?.busyMs ?? []).map((ms) => (100 * ms) / reading.wallMs);
  });
  expect(kernel.length).toBeGreaterThan(0);
  expect(node).toHaveLength(kernel.length);
  node.forEach((share, core) => {
    expect(Math.abs(share - (kernel[core] ?? NaN)), `core ${String(core)}`).toBeLessThan(2);
  });
});

test('gives the share of others where ps tells of processes, and none on Windows', () => {
  for (const [platform, isKnown] of [
    ['darwin', true],
    ['win32', false],
  ] as const) {
    const probe = createEnvironmentProbe(platform).attach(nothing);
    watch([probe]);
    const reading = probe.collect();
    if (!('foreignShare' in reading)) throw new Error('not supported here');
    expect(reading.foreignShare !== null, platform).toBe(isKnown);
    // Only Linux tells what a hypervisor took.
    expect(reading.stealShare, platform).toBeNull();
  }
});
