import type { GuestReader } from '../../../pages/protocol.d.ts';
import type { Benchmark, Case, Parameter } from '../../model/case.ts';
import type { NamedNetwork } from './conditions.ts';
import type { Measure } from './measures.ts';
import type { Version } from './resolve.ts';

interface Reading {
  readonly network?: NamedNetwork;
  readonly measures: readonly Measure[];
  readonly begin?: string;
  readonly discover?: readonly GuestReader[];
}

/** One benchmark whose parameter `version` says which page is opened. */
export function versionsBenchmark(
  versions: readonly Version[],
  { measures, network, begin, discover }: Reading,
): Benchmark {
  return {
    id: 'page',
    version: 1,
    title: 'Versions of a page',
    description: `A page that is not ours, in the versions ${versions.map(({ name }) => name).join(', ')}.`,
    page: 'index.html',
    parameters: [
      {
        name: 'version',
        kind: 'choice',
        values: versions.map(({ name }) => name),
        default: versions[0]?.name ?? '',
      },
      ...networkParameter(network),
    ],
    metrics: measures.map(({ metric }) => metric),
    guest: {
      places: versions.map(({ name, place }) => ({ version: name, place })),
      ...(network === undefined ? {} : { network }),
      ...(begin === undefined ? {} : { begin }),
      readers: Object.fromEntries(
        measures.flatMap((one) => ('reader' in one ? [[one.metric.id, one.reader]] : [])),
      ),
      watched: Object.fromEntries(
        measures.flatMap((one) => ('watched' in one ? [[one.metric.id, one.watched]] : [])),
      ),
      ...(discover === undefined ? {} : { discover }),
    },
  };
}

/** A condition of all versions: results under another one are another series. */
function networkParameter(network: NamedNetwork | undefined): readonly Parameter[] {
  if (network === undefined) return [];
  const { name } = network;
  return [{ name: 'network', kind: 'choice', values: [name], default: name }];
}

/** A case for each version, in their order. */
export function versionCases(benchmark: Benchmark): readonly Case[] {
  const [version, ...rest] = benchmark.parameters;
  if (version?.kind !== 'choice') throw new TypeError('a page has versions');
  const conditions = Object.fromEntries(rest.map((one) => [one.name, one.default]));
  return version.values.map((name) => ({
    benchmark,
    parameters: { version: name, ...conditions },
  }));
}
