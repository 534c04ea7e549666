import { exitCodes } from '../../core/errors.ts';
import { html, type Html } from '../../../reports/html/escape.ts';
import { table } from '../../../reports/html/table.ts';
import type { BatchAnswer } from './batch-answer.ts';
import { type FarmPage, layOut, moment, section, type Surroundings } from './farm-layout.ts';
import { answerSections } from './fleet-report.ts';
import { describeRow } from './fleet-text.ts';
import { describeProgress, lastWords, typedWords } from './job-text.ts';
import type { Job } from './jobs.ts';
import { mayDo } from './tokens.ts';

const isOpen = ({ endedAt }: Job): boolean => endedAt === null;

/** A submission: how each host stands, and what they say together. */
export function jobPage(
  around: Surroundings,
  {
    jobs,
    answer,
    undecided,
  }: {
    readonly jobs: readonly Job[];
    readonly answer: BatchAnswer | null;
    /** More blocks may decide it, and nothing goes on. */
    readonly undecided: boolean;
  },
): FarmPage {
  const [first] = jobs;
  const command = first === undefined ? '' : typedWords(first);
  const isLive = jobs.some(isOpen);
  const finding = findMain(answer);
  return layOut(around, {
    title: finding ?? command,
    kicker: finding === null ? `job ${String(first?.id)}` : command,
    isLive,
    sections: [
      ...(answer === null ? [] : answerSections(answer)),
      section('jobs', 'Hosts', jobLines(jobs)),
      actions(around, jobs, undecided),
    ],
  });
}

function jobLines(jobs: readonly Job[]): Html {
  return table({
    id: 'jobs-table',
    caption: 'Its jobs',
    hideCaption: true,
    stack: true,
    columns: [
      { title: 'Job' },
      { title: 'Host', label: 'Host' },
      { title: 'Stands', label: 'Stands' },
      { title: 'Began', label: 'Began' },
      { title: 'Ended', label: 'Ended' },
    ],
    groups: [
      {
        rows: jobs.map((job) => [
          html`job ${job.id}`,
          job.host,
          html`<bdi>${describeProgress(job)}</bdi>${whyFailed(job)}`,
          moment(job.startedAt),
          moment(job.endedAt),
        ]),
      },
    ],
  });
}

const { fine, refuted, undecided } = exitCodes;
const answered: readonly (number | null)[] = [fine, refuted, undecided];

/** Why a command failed: one that found a regression, or decided nothing, says so in its answer. */
function whyFailed(job: Job): Html | false {
  const said = lastWords(job);
  return (
    said !== '' && !answered.includes(job.exitCode) && html`<br /><small><bdi>${said}</bdi></small>`
  );
}

/** The verdict that matters most; null before there is any. */
function findMain(answer: BatchAnswer | null): string | null {
  const rows = answer?.kind === 'comparison' ? answer.verdict.rows : [];
  const telling = rows.find(({ verdict }) => verdict !== 'undecided') ?? rows[0];
  return telling === undefined ? null : describeRow(telling);
}

/** The buttons for what the visitor may do. */
function actions(
  { visitor }: Surroundings,
  jobs: readonly Job[],
  undecided: boolean,
): Html | false {
  if (visitor === null || !mayDo(visitor, 'submit')) return false;
  const open = jobs.filter(isOpen).length;
  const isOwn = jobs.every(({ askedBy }) => askedBy === visitor.name);
  const mayEnd = isOwn || mayDo(visitor, 'administrator');
  const form = (act: string, text: string): Html =>
    html`<form method="post" action="/jobs/${jobs[0]?.id}/${act}">
      <button type="submit">${text}</button>
    </form>`;
  const cancels = open === 1 ? 'Cancel the job' : `Cancel ${String(open)} jobs`;
  return html`<div class="acts">
    ${mayEnd && open > 0 && form('cancel', cancels)}
    ${undecided && form('more', 'Measure more blocks')}
  </div>`;
}
