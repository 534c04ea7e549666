import { execa } from 'execa';
import { findOnPath } from '../core/setup/executable.ts';

/** A network of machines around one, which nothing else sees: each is a network namespace. */
export class Network {
  readonly #mark = `cf${String(process.pid)}`;
  readonly #hub: string;

  /** The machine in the middle has the address 10.77.0.1. */
  constructor(hub: string) {
    this.#hub = hub;
  }

  /** Name of the namespace of a machine. */
  name(machine: string): string {
    return `${this.#mark}-${machine}`;
  }

  /** Words that run a program on a machine. */
  enter(machine: string): readonly [program: string, ...words: string[]] {
    return ['nsenter', `--net=/run/netns/${this.name(machine)}`, '--'];
  }

  /** Gives the machines the addresses 10.77.0.2 and so on. @returns why there can be none, or null */
  async make(machines: readonly string[]): Promise<string | null> {
    if (process.getuid?.() !== 0 || findOnPath(['ip']) === null || findOnPath(['nsenter']) === null)
      return 'network namespaces need root, ip and nsenter';
    const hub = this.name(this.#hub);
    if ((await execa('ip', ['netns', 'add', hub], { reject: false })).failed)
      return 'network namespaces are not allowed here';
    const inHub = (...words: readonly string[]) => execa('ip', ['-n', hub, ...words]);
    await inHub('link', 'add', 'bridge0', 'type', 'bridge');
    await inHub('addr', 'add', '10.77.0.1/24', 'dev', 'bridge0');
    for (const link of ['lo', 'bridge0']) await inHub('link', 'set', link, 'up');
    for (const [index, machine] of machines.entries()) {
      const name = this.name(machine);
      await execa('ip', ['netns', 'add', name]);
      const inside = (...words: readonly string[]) => execa('ip', ['-n', name, ...words]);
      await inHub('link', 'add', machine, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
      await inHub('link', 'set', machine, 'master', 'bridge0', 'up');
      await inside('addr', 'add', `10.77.0.${String(index + 2)}/24`, 'dev', 'eth0');
      for (const link of ['lo', 'eth0']) await inside('link', 'set', link, 'up');
    }
    return null;
  }

  async plug(machine: string, state: 'up' | 'down'): Promise<void> {
    await execa('ip', ['-n', this.name(machine), 'link', 'set', 'eth0', state]);
  }

  async remove(machines: readonly string[]): Promise<void> {
    for (const machine of [this.#hub, ...machines])
      await execa('ip', ['netns', 'delete', this.name(machine)], { reject: false });
  }
}
