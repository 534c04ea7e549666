import type { GuestReader } from '../../../pages/protocol.d.ts';
import type { Benchmark, Case } from '../../model/case.ts';
import type { Measure } from './measures.ts';
import type { Version } from './resolve.ts';

interface Reading {
  readonly measures: readonly Measure[];
  readonly begin?: string;
  readonly discover?: readonly GuestReader[];
}

/** One benchmark whose parameter `version` says which page is opened. */
export function versionsBenchmark(
  versions: readonly Version[],
  { measures, begin, discover }: Reading,
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
    ],
    metrics: measures.map(({ metric }) => metric),
    guest: {
      places: versions.map(({ name, place }) => ({ version: name, place })),
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

/** A case for each version, in their order. */
export function versionCases(benchmark: Benchmark): readonly Case[] {
  const [version] = benchmark.parameters;
  if (version?.kind !== 'choice') throw new TypeError('a page has versions');
  return version.values.map((name) => ({ benchmark, parameters: { version: name } }));
}
