import { expect, test } from '@playwright/test';
import type { ThreadReading } from '../model/reading.ts';
import { realFiles, type SystemFiles } from '../system-files.ts';
import { createCpuThreadProbe } from './cpu-thread.ts';

test("gives the busiest JavaScript thread's wait for a core", () => {
  test.skip(process.platform !== 'linux', 'reads /proc, which only Linux has');
  const { pid } = process;
  let waitingNs = 5e9;
  const files: SystemFiles = {
    ...realFiles,
    read: (path) => {
      const text = realFiles.read(path);
      const isOurs = path === `/proc/${String(pid)}/task/${String(pid)}/schedstat`;
      return isOurs ? (text?.replace(/ \d+ /, ` ${String(waitingNs)} `) ?? null) : text;
    },
  };
  const session = { browser: 'node', processTree: () => [pid] };
  const probe = createCpuThreadProbe('linux', files).attach(session);
  probe.start();
  const from = process.cpuUsage();
  while (process.cpuUsage(from).user < 50_000);
  waitingNs += 120e6;
  probe.stop();
  const { wait } = probe.collect() as ThreadReading;
  probe.detach();
  expect(wait?.waitedMs).toBe(120);
  expect(wait?.ranMs).toBeGreaterThan(20);
});
