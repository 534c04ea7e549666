import type { Choices } from '../../plan/catalog/expansion.ts';
import { defaultInventory, pagesFolder } from '../../project.ts';
import { defaultLimits } from '../../run/limits.ts';
import { isOverTls, type TlsOptions } from '../tls/certificate.ts';
import type { MeasuringOptions } from './execute-plan.ts';

/** Parts of the commands that repeat runs, which are stored with them. */

type Circumstances = Pick<MeasuringOptions, 'pages' | 'deadline' | 'measurement'> &
  TlsOptions & { readonly inventory?: string };

/** Lists the arguments for the circumstances of a repetition that are not the usual ones. */
export function readCircumstances({
  inventory,
  pages,
  deadline,
  measurement = 'standard',
  ...others
}: Circumstances): readonly string[] {
  return [
    ...(inventory === undefined || inventory === defaultInventory()
      ? []
      : [`--inventory ${shellWord(inventory)}`]),
    ...(pages === pagesFolder() ? [] : [`--pages ${shellWord(pages)}`]),
    ...(deadline === defaultLimits.trialMs ? [] : [`--deadline ${String(deadline / 1000)}`]),
    ...(measurement === 'standard' ? [] : [`--measurement ${measurement}`]),
    // Where the owner's key lies is not told.
    ...(isOverTls(others) ? ['--tls'] : []),
  ];
}

/** Repeats a choice of probes, as arguments. */
export function probeArguments({
  probes,
  probe = [],
}: Pick<MeasuringOptions, 'probes' | 'probe'>): readonly string[] {
  return [
    ...(probes ? [] : ['--no-probes']),
    ...(probe.length > 0 ? [`--probe ${probe.join(',')}`] : []),
  ];
}

/** Repeats a choice of parameters, as arguments. */
export function parameterArguments(choices: Choices): readonly string[] {
  return Object.entries(choices).map(
    ([name, values]) => `--param ${name}=${[values].flat().join(',')}`,
  );
}

/** A text as one word of a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The words of a stored command, as a shell would split what `shellWord` wrote. */
export function splitWords(command: string): readonly string[] {
  const words = command.match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? [];
  return words.map((word) =>
    word.replace(/'([^']*)'|\\(.)/g, (_, quoted?: string, sign?: string) => quoted ?? sign ?? ''),
  );
}
