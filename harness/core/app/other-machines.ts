import type { Target } from '../model/device.ts';
import type { Equipment } from '../run/equipment.ts';
import type { RunnerSession } from '../run/session-keeper.ts';

/** The machines of one kind, none of them this one, during a run. A feature reads them. */
export interface OtherMachines {
  /** As `Equipment.makeReady`, for the devices of this kind; none is waited for when left out. */
  readonly makeReady?: NonNullable<Equipment['makeReady']>;
  /** Starts a session and adds the probes that see its machine; only starts that of another kind. */
  equip(target: Target, start: () => Promise<RunnerSession>): Promise<RunnerSession>;
  /** Ends what stayed open between sessions. */
  close(): Promise<void>;
}

interface Surroundings {
  /** Settings of the probes that watch every trial. */
  readonly probes: boolean;
  readonly signal: AbortSignal;
  /** Shows a sentence to the person who watches the run. */
  readonly say: (sentence: string) => void;
}

/** Loads the code of a kind when a run begins. */
export type MachineKind = () => Promise<(surroundings: Surroundings) => OtherMachines>;

/** Opens the machines of all kinds, as those of one. */
export async function openOtherMachines(
  kinds: readonly MachineKind[],
  surroundings: Surroundings,
): Promise<Required<OtherMachines>> {
  const opened = await Promise.all(kinds.map(async (load) => (await load())(surroundings)));
  return {
    makeReady: async (target, tell) => {
      for (const one of opened) await one.makeReady?.(target, tell);
    },
    equip: (target, start) =>
      opened.reduce((begin, one) => () => one.equip(target, begin), start)(),
    close: async () => {
      await Promise.all(opened.map((one) => one.close()));
    },
  };
}
