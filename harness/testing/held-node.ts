import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aFolder } from './folder.ts';

interface HeldNode {
  readonly folder: string;
  /** From now on it completes the given number of trials, and the next one never ends. */
  readonly holdAfter: (trials: number) => void;
  /** From now on all trials end. */
  readonly release: () => void;
}

/**
 * A folder whose only device, `mine`, is Node.js, and waits in a trial that the test chooses: a farm
 * that is to be ended in its run waits there for that, however busy the machine is.
 */
export async function aHeldNode(): Promise<HeldNode> {
  const folder = await aFolder();
  const at = (name: string): string => join(folder, name);
  const [begun, most, node] = [at('begun'), at('most'), at('node')];
  const script = `#!/bin/sh
[ "$1" = --version ] && echo v20.1.0 && exit
echo . >> '${begun}'
[ "$(wc -l < '${begun}')" -le "$(cat '${most}')" ] || exec sleep 600
exec '${process.execPath}' "$@"
`;
  writeFileSync(node, script);
  chmodSync(node, 0o755);
  // It writes into this folder, which a confined program does not see.
  const environment = { CROSSFARM_CONFINED: 'no' };
  const device = { id: 'mine', browser: 'node', driver: 'process', executable: node, environment };
  writeFileSync(join(folder, 'devices.json'), JSON.stringify({ devices: [device] }));
  const holdAfter = (trials: number): void => {
    writeFileSync(begun, '');
    writeFileSync(most, String(trials));
  };
  const release = (): void => {
    holdAfter(1_000_000);
  };
  release();
  return { folder, holdAfter, release };
}
