/**
 * The farm as a program whose browsers are played: a trial takes `CROSSFARM_PLAYED_MS`. Tells its
 * parent of each trial, and lets a browser die in its next trial on any message.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { fakeDriver, type FakeTrial } from '../../../drivers/fake/fake.ts';
import { runCommandLine } from '../../core/cli/command-line.ts';
import { openIo } from '../../core/cli/io.ts';
import { commands } from '../../features.ts';

const trialMs = Number(process.env['CROSSFARM_PLAYED_MS'] ?? 100);
let dies = false;
process.on('message', () => {
  dies = true;
});
process.channel?.unref();

const completes: FakeTrial = {
  does: 'completes',
  metrics: [{ metric: 'duration', unit: 'ms', timed: [10] }],
  work: async () => {
    await pause(trialMs);
    process.send?.('trial');
  },
};
const driver = fakeDriver({
  trial: () => {
    if (!dies) return completes;
    dies = false;
    return { does: 'dies', when: 'timed' };
  },
});
const { stdout, stderr } = process;
process.exitCode = await runCommandLine(process.argv.slice(2), {
  commands,
  stdout,
  stderr,
  open: () => ({ ...openIo(), loadDriver: () => Promise.resolve(driver) }),
});
