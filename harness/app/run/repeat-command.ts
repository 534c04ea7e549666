import { defaultInventory, pagesFolder } from '../../project.ts';
import { defaultLimits } from '../../run/limits.ts';
import type { InventoryOption } from '../../cli/options.ts';
import type { MeasuringOptions } from './execute-plan.ts';

type Circumstances = Partial<InventoryOption> & Pick<MeasuringOptions, 'pages' | 'deadline'>;

/** What a command that repeats a run must say of its circumstances: whatever is not as usual. */
export function circumstancesOf({ inventory, pages, deadline }: Circumstances): readonly string[] {
  return [
    ...(inventory === undefined || inventory === defaultInventory()
      ? []
      : [`--inventory ${shellWord(inventory)}`]),
    ...(pages === pagesFolder() ? [] : [`--pages ${shellWord(pages)}`]),
    ...(deadline === defaultLimits.trialMs ? [] : [`--deadline ${String(deadline / 1000)}`]),
  ];
}

/** A text as one word of a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
