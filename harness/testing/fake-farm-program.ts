/**
 * The farm as a program whose devices are all played by the fake driver: pages say how long their
 * work took by their name, `20ms.html` 20 ms. For tests of what only a process has, such as its streams.
 */
import { fakeDriver } from '../../drivers/fake/fake.ts';
import { runCommandLine } from '../core/cli/command-line.ts';
import { openIo } from '../core/cli/io.ts';
import { commands } from '../features.ts';
import { pagesWith } from './fake-pages.ts';

const driver = fakeDriver({
  trial: pagesWith((version) => ({ 'measure:work': parseInt(version, 10) })),
});
const { stdout, stderr } = process;
process.exitCode = await runCommandLine(process.argv.slice(2), {
  commands,
  stdout,
  stderr,
  open: () => ({ ...openIo(), loadDriver: () => Promise.resolve(driver) }),
});
