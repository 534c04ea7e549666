import { basename, dirname, extname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { writeWhole } from '../../../core/app/records.ts';
import { readFindings } from '../../../core/app/report/report.ts';
import { type Io, print, printJson, type Runner } from '../../../core/cli/io.ts';
import { type JsonOption, parseRun, withDatabase, withJson } from '../../../core/cli/options.ts';
import { type ExitCode, exitCodes, FarmError } from '../../../core/errors.ts';
import { npxCrossfarm } from '../../../core/model/typed-command.ts';
import type { Findings } from '../../../core/results/index.ts';
import { mergedStudies, studiesMarkdown } from './markdown.ts';
import { drawStudyPicture } from './picture.ts';

type Options = JsonOption & { readonly database: string };

export function declare(command: Command, run: Runner): void {
  command
    .argument('<file>', 'where to write the page; its pictures go into a folder beside it')
    .argument('[runs...]', 'numbers of stored runs (default: the latest)');
  withDatabase(command);
  withJson(command, 'print { path, bytes, pictures }').action(
    (file: string, named: readonly string[], options: Options) =>
      run((io) => writeStudies(file, named.length === 0 ? ['latest'] : named, options, io)),
  );
}

/** Writes the published tables and charts, each next to ours: of the last of the runs that has it. */
async function writeStudies(
  file: string,
  runs: readonly string[],
  { json, database }: Options,
  io: Io,
): Promise<ExitCode> {
  const path = resolve(file);
  const folder = basename(path, extname(path));
  const each = [];
  for (const run of runs) each.push(await readFindings([parseRun(run)], { database }));
  const pictures = new Map((await Promise.all(each.map(drawPictures))).flat());
  const page = studiesMarkdown(
    mergedStudies(each),
    new Map([...pictures.keys()].map((id) => [id, `${folder}/${id}.svg`])),
  );
  if (page === null) {
    throw new FarmError('bad-argument', {
      what: 'The run has no case of a published study.',
      next: `Measure some: ${npxCrossfarm} run --suite studies-full`,
    });
  }
  for (const [id, svg] of pictures) {
    await writeWhole(join(dirname(path), folder, `${id}.svg`), svg);
  }
  await writeWhole(path, page);
  if (json) printJson(io, { path, bytes: Buffer.byteLength(page), pictures: pictures.size });
  else print(io, path);
  return exitCodes.fine;
}

/** The charts that a run has something to draw of, by their ids, as SVG. */
async function drawPictures(findings: Findings): Promise<readonly (readonly [string, string])[]> {
  const drawn = [];
  for (const chart of findings.rebuiltCharts ?? []) {
    const svg = await drawStudyPicture(chart, findings);
    if (svg !== null) drawn.push([chart.id, svg] as const);
  }
  return drawn;
}
